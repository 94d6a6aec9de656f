package program

import (
	"delegate/internal/text/lazyregexp"
	"slices"

	"delegate/internal/turn/dialect"
)

// codex is OpenAI Codex.
func codex() Program {
	command := func(more ...string) []string {
		return append([]string{
			"codex", "exec", "--json", "--disable", "multi_agent", "--dangerously-bypass-hook-trust", "{sandbox}",
			"-c", "check_for_update_on_startup=false", "-c", "project_doc_max_bytes=0",
			"-c", "skills.include_instructions=false", "{refuse}", "{choice}", "-C", "{worktree}",
		}, more...)
	}
	return Program{
		Name: "codex", Tested: "0.169.0", Command: command("{prompt}"),
		Resume: command("resume", "{session_id}", "{prompt}"), Delivery: Argument, Output: dialect.EventLines,
		Takeover: []string{"codex", "resume", "--disable", "multi_agent", "--dangerously-bypass-hook-trust",
			"{sandbox}", "-c", "check_for_update_on_startup=false", "-c", "project_doc_max_bytes=0",
			"-c", "skills.include_instructions=false", "-c", untrusted,
			"{refuse}", "{choice}", "-C", "{worktree}", "{session_id}"},
		Hook: &Hook{Event: "PreToolUse", Refuse: permissionDecision, Write: "Write"},
		Inner: []string{
			"-c", `sandbox_mode="workspace-write"`, "-c", `approval_policy="never"`, "-c",
			"sandbox_workspace_write.exclude_slash_tmp=true",
			"-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true", "-c",
			"sandbox_workspace_write.writable_roots={writable}",
		},
		Outer: []string{"--dangerously-bypass-approvals-and-sandbox"}, // its own cannot start inside of another
		Env:   map[string]string{"CODEX_HOME": "{home}/.codex"},
		Notes: ".codex/sessions/*/*/*/rollout-*-{session_id}.jsonl",
		Model: []string{"-c", "model={model}"}, Effort: []string{"-c", "model_reasoning_effort={effort}"},
		Settings: ".codex/config.toml", Chosen: modelOfTOML,
		Hosts:       openaiHosts,
		PassEnv:     []string{"OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"},
		Credentials: []string{".codex/auth.json"}, Hidden: []string{".codex/config.toml"},
		Files: []ConfigFile{
			{Path: "{home}/.codex/hooks.json", Content: `{"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": [
	{"type": "command", "command": "{hook}", "timeout": {hook_seconds}}]}]}}`},
			{Path: "{home}/.codex/config.toml", Copy: ".codex/config.toml"},
			{Path: "{home}/.codex/AGENTS.override.md", Text: "{instructions}"}, // goes before AGENTS.md beside it
		},
		Project: Sources{Files: []string{"AGENTS.md", "AGENTS.override.md"}, Skills: []string{".agents/skills"}},
		Person: Sources{Files: []string{".codex/AGENTS.md", ".codex/AGENTS.override.md"},
			Skills: []string{".codex/skills", ".agents/skills"}, Servers: []string{".codex/config.toml"}},
		Servers: Servers{Names: tomlTables, Refuse: func(name string) []string {
			return []string{"-c", "mcp_servers." + name + ".enabled=false"}
		}},
		Marks: []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI", "CODEX_THREAD_ID"},
		Moves: []Move{{From: ".codex", Variable: "CODEX_HOME"}},
		Login: "codex login, or set CODEX_API_KEY",
		Tools: Tools{
			Start: []string{"spawn_agent", "send_input", "resume_agent", "close_agent"}, Patch: []string{"apply_patch"},
			Shell: []string{"shell", "exec_command", "local_shell"}, Read: []string{"view_image"},
			Ask: []string{"request_user_input"},
		},
		// Its own commands lie in the home; a skill lies in the repository.
		CommandFile: func(c Command) CommandFile {
			return CommandFile{Path: ".agents/skills/" + c.Skill + "/SKILL.md", Typed: "$" + c.Skill,
				Content: frontMatter(c.Body, "what the person asked for", "name: "+c.Skill,
					"description: "+c.About+". Only when the person asks for it by name.")}
		},
	}
}

// untrusted has its screen ask whether to open the folder restricted, not whether to trust it: what an agent wrote into
// the settings there is not for it.
const untrusted = `projects={"{worktree}"={trust_level="untrusted"}}`

// serverTable is the head of a server's table, or of one below it.
var serverTable = lazyregexp.New(`(?m)^\s*\[\s*mcp_servers\s*\.\s*("[^"\n]+"|'[^'\n]+'|[A-Za-z0-9_-]+)\s*[.\]]`)

// The first table of a file, and the key of the model, which stands above it.
var (
	anyTable = lazyregexp.New(`(?m)^\s*\[`)
	modelKey = lazyregexp.New(`(?m)^\s*model\s*=\s*(?:"([^"\n]*)"|'([^'\n]*)')`)
)

// modelOfTOML is the model of a config.toml, "" for none.
func modelOfTOML(settings []byte) string {
	if at := anyTable.Compiled().FindIndex(settings); at != nil {
		settings = settings[:at[0]]
	}
	if m := modelKey.Compiled().FindSubmatch(settings); m != nil {
		return string(m[1]) + string(m[2])
	}
	return ""
}

// tomlTables are the servers of a config.toml, by the heads of their tables, as they are written there.
func tomlTables(file []byte) []string {
	var names []string
	for _, m := range serverTable.Compiled().FindAllSubmatch(file, -1) {
		if name := string(m[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
