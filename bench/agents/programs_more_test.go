//go:build bench && !windows

package agents_test

func copilot() program {
	args := func(prompt string, more ...string) []string {
		return append([]string{"-p", prompt, "--output-format", "json", "--allow-all-tools", "--deny-tool",
			"shell(git push)", "--excluded-tools", "task", "--no-ask-user", "--no-auto-update"}, more...)
	}
	model := func(address string) map[string]string {
		return map[string]string{"COPILOT_PROVIDER_BASE_URL": "http://" + address + "/v1",
			"COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "scripted", "COPILOT_OFFLINE": "true"}
	}
	return program{
		name:   "copilot",
		screen: ownScreen{asks: "Do you trust the files in this folder?", leave: "/exit"},
		person: func(address string) person {
			return person{env: model(address)}
		},
		files: func(at place) map[string]string {
			script := at.home + "/hook.sh"
			return map[string]string{
				script: hook,
				at.home + "/.copilot/settings.json": encode(object{"hooks": object{"PreToolUse": []object{
					{"type": "command", "bash": "sh " + script, "timeoutSec": 30}}}}),
			}
		},
		env: func(at place) []string {
			var env []string
			for name, value := range model(at.address) {
				env = append(env, name+"="+value)
			}
			return env
		},
		start: func(at place, prompt string) []string {
			return args(prompt, "--session-id", "11111111-2222-4333-8444-555555555555")
		},
		resume: func(at place, prompt, session string) []string { return args(prompt, "--resume", session) },
	}
}

func pi() program {
	args := func(at place, prompt string, more ...string) []string {
		return append(append([]string{"--mode", "json", "--no-extensions", "--extension", at.home + "/guard.js"},
			more...), "-p", prompt)
	}
	return program{
		name:   "pi",
		screen: ownScreen{leave: "/quit"},
		person: func(address string) person {
			return person{files: piModel(".pi/agent/", address)}
		},
		files: func(at place) map[string]string {
			files := piModel(at.home+"/.pi/agent/", at.address)
			files[at.home+"/guard.js"] = `export default pi => pi.on("tool_call", async event => {
	if (JSON.stringify(event.input).includes("secret/")) return { block: true, reason: "outside of your scope" };
});
`
			return files
		},
		env:   func(at place) []string { return []string{"PI_OFFLINE=1"} },
		start: func(at place, prompt string) []string { return args(at, prompt) },
		resume: func(at place, prompt, session string) []string {
			return args(at, prompt, "--session", session)
		},
	}
}

// piModel are the files that name the model.
func piModel(folder, address string) map[string]string {
	return map[string]string{
		folder + "models.json": encode(object{"providers": object{"scripted": object{
			"baseUrl": "http://" + address + "/v1", "api": "openai-completions", "apiKey": "none",
			"models": []object{{"id": "scripted",
				"cost": object{"input": 2, "output": 10, "cacheRead": 1, "cacheWrite": 0}}}}}}),
		folder + "settings.json": encode(object{"defaultProvider": "scripted", "defaultModel": "scripted",
			"retry": object{"provider": object{"maxRetries": 0}}}),
	}
}
