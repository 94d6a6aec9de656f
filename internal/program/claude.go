package program

import (
	"os"
	"strconv"
	"strings"

	"delegate/internal/dialect"
)

// claude is Claude Code.
func claude() Program {
	command := func(session string) []string {
		return []string{
			"claude", "-p", "{prompt}", session, "{session_id}", "--output-format", "stream-json", "--verbose",
			"--permission-mode", "bypassPermissions", "--setting-sources", "", "--settings", "{turn}/settings.json",
			"--disallowedTools", "Agent", "Task", "Workflow", "SendMessage", "CronCreate", "ScheduleWakeup",
			"EnterWorktree",
		}
	}
	p := Program{
		Name: "claude", Tested: "2.1.197", Command: command("--session-id"), Resume: command("--resume"),
		Delivery: Argument, Output: dialect.EventLines,
		Hook: &Hook{Event: "PreToolUse", Refuse: permissionDecision, Write: "Write"},
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
		Login:    "type claude and log in, or set ANTHROPIC_API_KEY",
		Keychain: true, Hidden: []string{".claude.json"},
		Tools: Tools{
			Start: []string{"Agent", "Task", "Workflow", "SendMessage", "CronCreate", "ScheduleWakeup", "EnterWorktree",
				"TeamCreate", "RemoteTrigger"},
			Write: []string{"Write", "Edit", "MultiEdit", "NotebookEdit"}, Shell: []string{"Bash", "Monitor"},
			Read: []string{"Read", "NotebookRead"}, Look: []string{"Grep", "Glob", "LS"},
		},
		Aliases: []string{"claude-code"}, ServerFile: ".mcp.json",
		CommandFile: func(c Command) CommandFile {
			return c.markdown(".claude/commands/", "$ARGUMENTS", "argument-hint: "+strconv.Quote(c.Hint),
				"allowed-tools: Bash("+strings.Join(c.Allowed, ":*), Bash(")+":*)")
		},
	}
	if os.Geteuid() == 0 {
		p.Env["IS_SANDBOX"] = "1" // else it refuses to work without asking where it is root
	}
	return p
}
