package guard

// kind is what a tool does, as far as it matters here.
type kind int

const (
	harmless kind = iota // or not known
	startsAgent
	writesFile
	patchesFiles
	runsShell
	readsFile
	looksAround // reads what lies below a folder, the worktree if none is named
)

// kindOf knows the tools of all the programs by name; no two mean different things by one name.
func kindOf(tool string) kind {
	switch tool {
	case "Agent", "Task", "Workflow", "SendMessage", "CronCreate", "ScheduleWakeup", "EnterWorktree", "TeamCreate",
		"RemoteTrigger",
		"spawn_agent", "send_input", "resume_agent", "close_agent",
		"invoke_agent",
		"agent", "task", "send_message", "cron_create":
		return startsAgent
	case "Write", "Edit", "MultiEdit", "NotebookEdit", "write_file", "replace", "edit", "create":
		return writesFile
	case "apply_patch":
		return patchesFiles
	case "Bash", "Monitor", "shell", "exec_command", "local_shell", "run_shell_command", "monitor":
		return runsShell
	case "Read", "NotebookRead", "read_file", "view_image":
		return readsFile
	case "Grep", "Glob", "LS", "read_many_files", "list_directory", "grep_search", "search_file_content", "glob":
		return looksAround
	}
	return harmless
}
