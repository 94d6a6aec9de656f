package program

// cursor is written from its documentation alone.
func cursor() Program {
	return Program{
		Name: "cursor-agent", Delivery: Argument,
		Command: []string{"cursor-agent", "-p", "{prompt}", "--output-format", "text", "--force"},
		Hosts:   []string{"*.cursor.sh"},
		PassEnv: []string{"CURSOR_API_KEY"},
		Marks:   []string{"CURSOR_AGENT"},
		Login:   "cursor-agent login, or set CURSOR_API_KEY",
	}
}
