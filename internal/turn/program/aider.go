package program

import "slices"

// aider is written from its documentation alone.
func aider() Program {
	return Program{
		Name: "aider", Delivery: File,
		Command: []string{"aider", "--message-file", "{prompt_file}", "--yes-always", "--no-auto-commits",
			"--no-stream", "--no-check-update"},
		PassEnv: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY",
			"AIDER_MODEL"},
		Hosts:       slices.Concat([]string{"openrouter.ai"}, anthropicHosts, openaiHosts, googleHosts),
		Credentials: []string{".aider.conf.yml"},
		Login:       "set the key of your model's provider",
	}
}
