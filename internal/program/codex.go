package program

import (
	"delegate/internal/dialect"
)

// codex is OpenAI Codex.
func codex() Program {
	command := func(more ...string) []string {
		return append([]string{
			"codex", "exec", "--json", "--disable", "multi_agent", "--dangerously-bypass-hook-trust", "{sandbox}",
			"-c", "check_for_update_on_startup=false", "-C", "{worktree}",
		}, more...)
	}
	return Program{
		Name: "codex", Tested: "0.169.0", Command: command("{prompt}"),
		Resume: command("resume", "{session_id}", "{prompt}"), Delivery: Argument, Output: dialect.EventLines,
		Hook: &Hook{Event: "PreToolUse", Refuse: permissionDecision, Write: "Write"},
		Inner: []string{
			"-c", `sandbox_mode="workspace-write"`, "-c", `approval_policy="never"`, "-c",
			"sandbox_workspace_write.exclude_slash_tmp=true",
			"-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true", "-c",
			"sandbox_workspace_write.writable_roots={writable}",
		},
		Outer:       []string{"--dangerously-bypass-approvals-and-sandbox"}, // its own cannot start inside of another
		Env:         map[string]string{"CODEX_HOME": "{home}/.codex"},
		PassEnv:     []string{"OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"},
		Credentials: []string{".codex/auth.json", ".codex/config.toml"},
		Files: []ConfigFile{{Path: "{home}/.codex/hooks.json",
			Content: `{"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": [
	{"type": "command", "command": "{hook}", "timeout": 30}]}]}}`}},
		Login: "codex login, or set CODEX_API_KEY",
		Tools: Tools{
			Start: []string{"spawn_agent", "send_input", "resume_agent", "close_agent"}, Patch: []string{"apply_patch"},
			Shell: []string{"shell", "exec_command", "local_shell"}, Read: []string{"view_image"},
		},
		// Its own commands lie in the home; a skill lies in the repository.
		CommandFile: func(c Command) CommandFile {
			return CommandFile{Path: ".agents/skills/" + c.Skill + "/SKILL.md", Typed: "$" + c.Skill,
				Content: frontMatter(c.Body, "what the person asked for", "name: "+c.Skill,
					"description: "+c.About+". Only when the person asks for it by name.")}
		},
	}
}
