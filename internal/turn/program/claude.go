package program

import (
	"os"
	"strconv"
	"strings"

	"delegate/internal/turn/dialect"
)

// claude is Claude Code.
func claude() Program {
	command := func(session string) []string {
		return []string{
			"claude", "-p", "{prompt}", "{choice}", session, "{session_id}", "--output-format", "stream-json",
			"--verbose",
			"--permission-mode", "bypassPermissions", "--setting-sources", "", "--settings", "{turn}/settings.json",
			"--disallowedTools", "Agent", "Task", "Workflow", "SendMessage", "CronCreate", "ScheduleWakeup",
			"EnterWorktree", "--append-system-prompt-file", "{turn}/instructions.md",
			"--mcp-config", "{turn}/mcp.json", "--strict-mcp-config",
		}
	}
	p := Program{
		Name: "claude", Tested: "2.1.330", Command: command("--session-id"), Resume: command("--resume"),
		Takeover: claudeAtTerminal(), Delivery: Argument, Output: dialect.EventLines,
		Hook: &Hook{Event: "PreToolUse", Refuse: permissionDecision, Write: "Write"},
		Env: map[string]string{
			"CLAUDE_CONFIG_DIR": "{home}/.claude", "CLAUDE_CODE_TMPDIR": "{tmp}", "DISABLE_AUTOUPDATER": "1",
			"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		},
		PassEnv: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL",
			"CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL",
			"ANTHROPIC_DEFAULT_SONNET_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL"},
		Model: []string{"--model", "{model}"}, Effort: []string{"--effort", "{effort}"},
		Budget: []string{"--max-budget-usd", "{budget}"}, Clouds: claudeClouds(),
		Hosts: anthropicHosts, Credentials: []string{".claude/.credentials.json"}, Files: []ConfigFile{
			{Path: "{turn}/settings.json", Merge: ".claude/settings.json", Keep: []string{"model", "effortLevel"},
				Content: `{"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": [
	{"type": "command", "command": "{hook}", "timeout": {hook_seconds}, "onFailure": "block"}]}]}}`},
			{Path: "{turn}/instructions.md", Text: "{instructions}"},
			{Path: "{home}/.claude/.claude.json", Content: claudeKnows}, // what it would ask a person first
			{Path: "{turn}/mcp.json", Content: `{"mcpServers": {servers}}`},
		},
		Project: Sources{Files: []string{"CLAUDE.md", ".claude/CLAUDE.md"}, Rules: []string{".claude/rules"},
			Skills: []string{".claude/skills"}, Agents: []string{".claude/agents"}, Servers: []string{".mcp.json"},
			Imports: true},
		Person: Sources{Files: []string{".claude/CLAUDE.md"}, Rules: []string{".claude/rules"},
			Skills: []string{".claude/skills"}, Agents: []string{".claude/agents"}, Servers: []string{".claude.json"},
			Imports: true},
		Servers: Servers{Key: "mcpServers"},
		Moves: []Move{{From: ".claude", Variable: "CLAUDE_CONFIG_DIR"},
			{From: ".claude.json", Variable: "CLAUDE_CONFIG_DIR", To: ".claude.json"}},
		Login: "type claude and log in, or set ANTHROPIC_API_KEY", AsksOfKey: "ANTHROPIC_API_KEY",
		Keychain: true, Hidden: []string{".claude.json"},
		Tools: Tools{
			Start: []string{"Agent", "Task", "Workflow", "SendMessage", "CronCreate", "ScheduleWakeup", "EnterWorktree",
				"TeamCreate", "RemoteTrigger"},
			Write: []string{"Write", "Edit", "MultiEdit", "NotebookEdit"}, Shell: []string{"Bash", "Monitor"},
			Read: []string{"Read", "NotebookRead"}, Look: []string{"Grep", "Glob", "LS"}, Ask: []string{askTool},
		},
		Marks: []string{"CLAUDECODE"}, Aliases: []string{"claude-code"}, ServerFile: ".mcp.json",
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

// claudeKnows are answers to the questions of its first start on a screen, which asks its maker's servers as well.
const claudeKnows = `{"hasCompletedOnboarding": true, "projects": {"{worktree}": {"hasTrustDialogAccepted": true}},
	"customApiKeyResponses": {"approved": {approved}}}`

// claudeAtTerminal is its command for a person, who is there to be asked.
func claudeAtTerminal() []string {
	return []string{"claude", "--resume", "{session_id}", "{choice}", "--permission-mode", "acceptEdits",
		"--setting-sources", "", "--settings", "{turn}/settings.json", "--disallowedTools", "Agent", "Task", "Workflow",
		"--append-system-prompt-file", "{turn}/instructions.md", "--mcp-config", "{turn}/mcp.json",
		"--strict-mcp-config"}
}

// askTool is with what claude asks the person, where it offers that.
const askTool = "AskUserQuestion"

func claudeClouds() []Cloud {
	return []Cloud{
		{Switch: "CLAUDE_CODE_USE_BEDROCK", PassEnv: []string{"AWS_REGION", "AWS_DEFAULT_REGION",
			"AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
			"ANTHROPIC_BEDROCK_BASE_URL", "CLAUDE_CODE_SKIP_BEDROCK_AUTH"},
			Hosts: []string{"bedrock-runtime.{region}.amazonaws.com", "bedrock.{region}.amazonaws.com",
				"sts.{region}.amazonaws.com"},
			Regions: []string{"AWS_REGION", "AWS_DEFAULT_REGION"}, Region: "us-east-1"},
		{Switch: "CLAUDE_CODE_USE_VERTEX", PassEnv: []string{"CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID",
			"ANTHROPIC_VERTEX_BASE_URL", "CLAUDE_CODE_SKIP_VERTEX_AUTH"}, Credentials: []string{googleLogin},
			Hosts: vertexHosts, Regions: []string{"CLOUD_ML_REGION"}, Region: "us-east5"},
	}
}
