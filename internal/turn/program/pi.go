package program

import (
	"slices"

	"delegate/internal/turn/dialect"
)

// pi is the pi coding agent. It has neither hooks nor a sandbox of its own: an extension asks ours, and refuses on any
// doubt. A system prompt that is named, also an empty one for its own, keeps it from looking for one in the worktree.
func pi() Program {
	command := func(more ...string) []string {
		return append([]string{"pi", "--no-extensions", "--extension", "{turn}/extension.js", "--no-skills",
			"--no-prompt-templates", "--no-themes", "--no-context-files", "--system-prompt", "",
			"--append-system-prompt", "{turn}/instructions.md", "{choice}"}, more...)
	}
	return Program{
		Name: "pi", Tested: "0.73.1", Command: command("--mode", "json", "-p"),
		Resume:   command("--mode", "json", "-p", "--session", "{session_id}"),
		Takeover: command("--session", "{session_id}"),
		Delivery: Stdin, Output: dialect.EventLines,
		Hook: &Hook{Event: "tool_call", Write: "write",
			Refuse: func(_, reason string) any { return map[string]any{"decision": "deny", "reason": reason} }},
		Env: map[string]string{"PI_CODING_AGENT_DIR": "{home}/.pi/agent", "PI_OFFLINE": "1", "PI_TELEMETRY": "0"},
		PassEnv: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_OAUTH_TOKEN", "OPENAI_API_KEY", "GEMINI_API_KEY",
			"OPENROUTER_API_KEY", "OPENCODE_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY", "XAI_API_KEY", "ZAI_API_KEY",
			"DEEPSEEK_API_KEY", "AI_GATEWAY_API_KEY"},
		Hosts: slices.Concat([]string{"openrouter.ai", "opencode.ai", "api.mistral.ai", "api.groq.com", "api.x.ai",
			"api.z.ai", "api.deepseek.com", "ai-gateway.vercel.sh"}, anthropicHosts, openaiHosts, googleHosts),
		Model: []string{"--model", "{model}"}, Effort: []string{"--thinking", "{effort}"},
		Credentials: []string{".pi/agent/auth.json", ".pi/agent/models.json"},
		Files: []ConfigFile{
			// Its provider's client would wait in silence for as long as a limit lasts; pi says that it tries again.
			{Path: "{home}/.pi/agent/settings.json", Merge: ".pi/agent/settings.json",
				Content: `{"retry": {"provider": {"maxRetries": 0}}}`},
			{Path: "{turn}/instructions.md", Text: "{instructions}"},
			{Path: "{turn}/hook.json", Content: `{"command": "{hook}", "seconds": {hook_seconds}}`},
			{Path: "{turn}/extension.js", Text: piExtension},
		},
		Project: Sources{Files: []string{"AGENTS.md", "CLAUDE.md"}, Skills: []string{".pi/skills", ".agents/skills"}},
		Person: Sources{Files: []string{".pi/agent/AGENTS.md", ".pi/agent/CLAUDE.md", ".pi/agent/APPEND_SYSTEM.md"},
			Skills: []string{".pi/agent/skills", ".agents/skills"}},
		Moves: []Move{{From: ".pi/agent", Variable: "PI_CODING_AGENT_DIR"}},
		Login: "type pi and /login, or set the key of your model's provider",
		Tools: Tools{Write: []string{"write", "edit"}, Shell: []string{"bash"}, Read: []string{"read"},
			Look: []string{"grep", "find", "ls"}},
		Aliases: []string{"pi-coding-agent"},
	}
}

// piExtension asks the hook before each use of a tool. It gives paths as the tools of pi understand them: without the
// sign that stands before a path in its prompts, and with plain blanks. What is no answer is a refusal.
const piExtension = `import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const { command, seconds } = JSON.parse(readFileSync(join(folder, "hook.json"), "utf8"));

const ask = payload => new Promise(answer => {
	const hook = execFile("/bin/sh", ["-c", command], { timeout: seconds * 1000 },
		(fault, stdout, stderr) => answer({ fault, stdout, stderr }));
	hook.stdin.on("error", () => {}); // a hook that reads nothing has its exit code
	hook.stdin.end(JSON.stringify(payload));
});

export default function (pi) {
	pi.on("tool_call", async (event, ctx) => {
		const input = { ...event.input };
		if (typeof input.path === "string") {
			input.path = input.path.replace(/^@/, "").replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " ");
		}
		const asked = await ask(
			{ hook_event_name: "tool_call", cwd: ctx.cwd, tool_name: event.toolName, tool_input: input });
		if (!asked.fault && asked.stdout === "") return;
		let reason = "the hook did not answer";
		try {
			reason = JSON.parse(asked.stdout).reason ?? reason;
		} catch {
			reason = asked.stderr.trim() || reason;
		}
		return { block: true, reason: "refused: " + reason };
	});
}
`
