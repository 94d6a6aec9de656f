package program

import (
	"delegate/internal/turn/dialect"
)

// qwen is Qwen Code, which prints the events of claude.
func qwen() Program {
	command := func(more ...string) []string {
		return append(append([]string{"qwen", "--include-directories", "{skills}", // takes all words up to an option
			"--approval-mode", "yolo", "-o", "stream-json", "{choice}"}, more...), "{prompt}")
	}
	return Program{
		Name: "qwen", Tested: "0.15.10", Command: command(), Resume: command("--resume", "{session_id}"),
		Takeover: []string{"qwen", "--include-directories", "{skills}", "{choice}", "--resume", "{session_id}"},
		Delivery: Argument, Output: dialect.EventLines,
		Hook:  &Hook{Event: "PreToolUse", Refuse: permissionDecision, Write: "write_file"},
		Model: []string{"--model", "{model}"},
		Hosts: []string{"chat.qwen.ai", "portal.qwen.ai", "dashscope.aliyuncs.com",
			"dashscope-intl.aliyuncs.com"},
		Notes:       ".qwen/projects/*/chats/{session_id}.jsonl",
		PassEnv:     []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"},
		Credentials: []string{".qwen/oauth_creds.json"},
		Files: []ConfigFile{{Path: "{home}/.qwen/settings.json", Merge: ".qwen/settings.json",
			Content: `{"general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
	"privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}, "permissions": {"deny": ["Agent", "Skill"]},
	"context": {"fileName": "DELEGATE.md"}, "mcpServers": {servers}, "mcp": {"allowed": {names}},
	"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": [{"type": "command", "command": "{hook}", "timeout": {hook_seconds}000}]}]}}`},
			{Path: "{home}/.qwen/DELEGATE.md", Text: "{instructions}"}},
		Project: Sources{Files: []string{"QWEN.md", "AGENTS.md"}, Skills: []string{".qwen/skills", ".agents/skills"},
			Agents: []string{".qwen/agents"}, Servers: []string{".qwen/settings.json"}, Imports: true},
		Person: Sources{Files: []string{".qwen/QWEN.md", ".qwen/AGENTS.md"},
			Skills: []string{".qwen/skills", ".agents/skills"}, Agents: []string{".qwen/agents"},
			Servers: []string{".qwen/settings.json"}, Imports: true},
		Servers: Servers{Key: "mcpServers"},
		Login:   "type qwen and log in, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
		Tools: Tools{
			Start: []string{"agent", "task", "send_message", "cron_create"}, Write: []string{"write_file", "edit"},
			Shell: []string{"run_shell_command", "monitor"}, Read: []string{"read_file"},
			Look: []string{"list_directory", "grep_search", "glob"},
			Ask:  []string{"ask_user_question"},
		},
		Tries:       []string{"refs/notes"}, // a note of its part in each commit
		Aliases:     []string{"qwen-code"},
		Marks:       []string{"QWEN_CODE"},
		CommandFile: func(c Command) CommandFile { return c.markdown(".qwen/commands/", "{{args}}") },
	}
}
