package program

import (
	"delegate/internal/dialect"
)

// opencode asks no hook; its rules for permissions are made from the scope.
func opencode() Program {
	return Program{
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
		Login:       "opencode auth login",
		Aliases:     []string{"opencode-ai"},
		CommandFile: func(c Command) CommandFile { return c.markdown(".opencode/commands/", "$ARGUMENTS") },
	}
}
