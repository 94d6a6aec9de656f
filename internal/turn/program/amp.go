package program

// amp is written from its documentation alone.
func amp() Program {
	return Program{
		Name: "amp", Delivery: Argument,
		Command: []string{"amp", "-x", "{prompt}", "--dangerously-allow-all"},
		Hosts:   []string{"ampcode.com"},
		PassEnv: []string{"AMP_API_KEY"},
		Marks:   []string{"AMP_CURRENT_THREAD_ID"},
		Login:   "amp login, or set AMP_API_KEY",
		Hidden:  []string{".config/amp"},
	}
}
