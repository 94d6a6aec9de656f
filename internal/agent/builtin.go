package agent

import (
	"os"

	"delegate/internal/dialect"
)

// Builtin are the profiles that need no configuration, by name. A configured profile of the same
// name overrides one key by key.
//
// Beside the words that a configured command may have, theirs know {home} and {tmp} (the agent's
// own folders), {turn} (the turn's private folder),
// {sandbox} (what concerns the program's own), {hook} (the command line of the pre-tool hook),
// {writable} (a TOML list of what git and the desk need) and {edits} (opencode's rules for edits).
func Builtin() map[string]Profile {
	all := map[string]Profile{}
	for _, p := range []Profile{claude(), codex(), opencode(), gemini(), qwen(), aider(), copilot(), cursor(), amp()} {
		all[p.Name] = p
	}
	return all
}

// Preferred is the order in which installed programs are tried where no profile is named.
func Preferred() []string {
	return []string{"claude", "codex", "opencode", "gemini", "qwen", "aider", "copilot", "cursor-agent", "amp"}
}

func claude() Profile {
	command := func(session string) []string {
		return []string{
			"claude", "-p", "{prompt}", session, "{session_id}", "--output-format", "stream-json", "--verbose",
			"--permission-mode", "bypassPermissions", "--setting-sources", "", "--settings", "{turn}/settings.json",
			"--disallowedTools", "Agent", "Task", "Workflow", "SendMessage", "CronCreate", "ScheduleWakeup",
			"EnterWorktree",
		}
	}
	p := Profile{
		Name: "claude", Tested: "2.1.197", Command: command("--session-id"), Resume: command("--resume"),
		Delivery: Argument, Output: dialect.EventLines, Hook: "claude",
		Env: map[string]string{
			"CLAUDE_CONFIG_DIR": "{home}/.claude", "CLAUDE_CODE_TMPDIR": "{tmp}", "DISABLE_AUTOUPDATER": "1",
			"DISABLE_TELEMETRY":                        "1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		},
		PassEnv: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL",
			"CLAUDE_CODE_OAUTH_TOKEN"},
		Credentials: []string{".claude/.credentials.json"},
		Files: []ConfigFile{{Path: "{turn}/settings.json",
			Content: `{"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": [
	{"type": "command", "command": "{hook}", "timeout": 30, "onFailure": "block"}]}]}}`}},
		Login: "type claude and log in, or set ANTHROPIC_API_KEY",
	}
	if os.Geteuid() == 0 {
		p.Env["IS_SANDBOX"] = "1" // else it refuses to work without asking where it is root
	}
	return p
}

func codex() Profile {
	command := func(more ...string) []string {
		return append([]string{
			"codex", "exec", "--json", "--disable", "multi_agent", "--dangerously-bypass-hook-trust", "{sandbox}",
			"-c", "check_for_update_on_startup=false", "-C", "{worktree}",
		}, more...)
	}
	return Profile{
		Name: "codex", Tested: "0.169.0", Command: command("{prompt}"),
		Resume: command("resume", "{session_id}", "{prompt}"), Delivery: Argument, Output: dialect.EventLines, Hook: "codex",
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
	}
}

func opencode() Profile {
	return Profile{
		Name: "opencode", Tested: "1.18.33", Delivery: Argument, Output: dialect.EventLines,
		Command: []string{"opencode", "run", "--format", "json", "--dir", "{worktree}", "{prompt}"},
		Resume: []string{"opencode", "run", "--format", "json", "--dir", "{worktree}", "--session", "{session_id}",
			"{prompt}"},
		Env: map[string]string{
			"OPENCODE_CONFIG": "{turn}/opencode.json", "OPENCODE_DISABLE_AUTOUPDATE": "1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
			"OPENCODE_DISABLE_SHARE":        "1", "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
			"OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
			"npm_config_offline":               "true", // else it installs a package of its own into every new home
		},
		PassEnv: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY",
			"OPENCODE_API_KEY", "OPENCODE_DISABLE_MODELS_FETCH"},
		Credentials: []string{".local/share/opencode/auth.json"},
		Files: []ConfigFile{{Path: "{turn}/opencode.json", Merge: ".config/opencode/opencode.json",
			Content: `{"autoupdate": false, "share": "disabled", "permission": {
	"edit": {edits}, "bash": {"*": "allow", "git push*": "deny", "git worktree*": "deny"}, "external_directory": "deny", "task": "deny"}}`}},
		Login: "opencode auth login",
	}
}

func gemini() Profile {
	command := func(more ...string) []string {
		return append([]string{"gemini", "--skip-trust", "--approval-mode", "yolo", "-o", "stream-json"},
			append(more, "-p", "{prompt}")...)
	}
	return Profile{
		Name: "gemini", Tested: "0.61.0", Command: command(), Resume: command("--resume", "{session_id}"),
		Delivery: Argument, Output: dialect.EventLines, Hook: "gemini",
		Env:         map[string]string{"GEMINI_TELEMETRY_ENABLED": "false"},
		PassEnv:     []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL"},
		Credentials: []string{".gemini/oauth_creds.json", ".gemini/google_accounts.json"},
		Files: []ConfigFile{{Path: "{home}/.gemini/settings.json", Merge: ".gemini/settings.json",
			Content: `{"general": {"enableAutoUpdate": false},
	"privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}, "tools": {"exclude": ["invoke_agent"]},
	"hooks": {"BeforeTool": [{"matcher": ".*", "hooks": [{"type": "command", "command": "{hook}", "timeout": 30000}]}]}}`}},
		Login: "type gemini and log in, or set GEMINI_API_KEY",
	}
}

func qwen() Profile {
	command := func(more ...string) []string {
		return append(append([]string{"qwen", "--approval-mode", "yolo", "-o", "stream-json"}, more...), "{prompt}")
	}
	return Profile{
		Name: "qwen", Tested: "0.15.10", Command: command(), Resume: command("--resume", "{session_id}"),
		Delivery: Argument, Output: dialect.EventLines, Hook: "qwen",
		PassEnv:     []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"},
		Credentials: []string{".qwen/oauth_creds.json"},
		Files: []ConfigFile{{Path: "{home}/.qwen/settings.json", Merge: ".qwen/settings.json",
			Content: `{"general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
	"privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}, "permissions": {"deny": ["Agent"]},
	"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": [{"type": "command", "command": "{hook}", "timeout": 30000}]}]}}`}},
		Login: "type qwen and log in, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
	}
}

// The following are written from the programs' documentation and were never run here.

func aider() Profile {
	return Profile{
		Name: "aider", Untested: true, Delivery: File,
		Command: []string{"aider", "--message-file", "{prompt_file}", "--yes-always", "--no-auto-commits",
			"--no-stream", "--no-check-update"},
		PassEnv:     []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "AIDER_MODEL"},
		Credentials: []string{".aider.conf.yml"},
		Login:       "set the key of your model's provider",
	}
}

func copilot() Profile {
	return Profile{
		Name: "copilot", Untested: true, Delivery: Argument,
		Command: []string{"copilot", "-p", "{prompt}", "--allow-all-tools", "--deny-tool", "shell(git push)"},
		PassEnv: []string{"GH_TOKEN", "GITHUB_TOKEN", "COPILOT_MODEL"},
		Login:   "type copilot and /login",
	}
}

func cursor() Profile {
	return Profile{
		Name: "cursor-agent", Untested: true, Delivery: Argument,
		Command: []string{"cursor-agent", "-p", "{prompt}", "--output-format", "text", "--force"},
		PassEnv: []string{"CURSOR_API_KEY"},
		Login:   "cursor-agent login, or set CURSOR_API_KEY",
	}
}

func amp() Profile {
	return Profile{
		Name: "amp", Untested: true, Delivery: Argument,
		Command: []string{"amp", "-x", "{prompt}", "--dangerously-allow-all"},
		PassEnv: []string{"AMP_API_KEY"},
		Login:   "amp login, or set AMP_API_KEY",
	}
}
