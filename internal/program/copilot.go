package program

// copilot is written from its documentation alone.
func copilot() Program {
	return Program{
		Name: "copilot", Delivery: Argument,
		Command: []string{"copilot", "-p", "{prompt}", "--allow-all-tools", "--deny-tool", "shell(git push)"},
		PassEnv: []string{"GH_TOKEN", "GITHUB_TOKEN", "COPILOT_MODEL"},
		Login:   "type copilot and /login",
		Hidden:  []string{".config/github-copilot"}, Tools: Tools{Write: []string{"create"}},
	}
}
