//go:build bench && !windows

package agents_test

import (
	"encoding/json"
)

// program is how one agent program is started against the scripted model.
type program struct {
	name   string
	person func(address string) person
	files  func(at place) map[string]string // configuration, by path
	env    func(at place) []string          // beside what everything has
	start  func(at place, prompt string) []string
	resume func(at place, prompt, session string) []string
	screen ownScreen
}

// ownScreen is what a person finds on the screen of a program.
type ownScreen struct {
	asks  string // the question of its own that it begins with, to which Enter says yes; "" for none
	ready string // what it shows once it takes keys, beside the conversation
	leave string // what is typed to end it
}

// person is how somebody who uses the program by hand would have it find the model: files below the
// home folder, and variables.
type person struct {
	files map[string]string
	env   map[string]string
}

func agents() []program {
	return []program{claude(), codex(), opencode(), gemini(), qwen(), copilot(), pi()}
}

type object = map[string]any

func encode(v any) string {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // literals of this file
	}
	return string(data)
}

// hook is a shell script that refuses every tool that touches secret/, in the words that claude and codex share.
const hook = `case $(cat) in
*secret/*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"outside of your scope"}}' ;;
esac
`

// hooks asks the script before every tool.
func hooks(script string) object {
	command := object{"type": "command", "command": "sh " + script}
	return object{"PreToolUse": []object{{"matcher": ".*", "hooks": []object{command}}}}
}

func claude() program {
	args := func(at place, prompt string, more ...string) []string {
		return append([]string{"-p", prompt, "--output-format", "stream-json", "--verbose", "--permission-mode",
			"bypassPermissions",
			"--setting-sources", "", "--settings", at.home + "/settings.json", "--disallowedTools", "Agent",
			"Workflow"}, more...)
	}
	return program{
		name:   "claude",
		screen: ownScreen{leave: "/exit"},
		person: func(address string) person {
			return person{env: map[string]string{"ANTHROPIC_BASE_URL": "http://" + address,
				"ANTHROPIC_API_KEY": "none"}}
		},
		files: func(at place) map[string]string {
			script := at.home + "/hook.sh"
			return map[string]string{
				script: hook,
				at.home + "/settings.json": encode(object{
					"permissions": object{"deny": []string{"Edit(/" + at.outside + "/**)", "Bash(git push *)"}},
					"hooks":       hooks(script),
				})}
		},
		env: func(at place) []string {
			return []string{"CLAUDE_CONFIG_DIR=" + at.home + "/.claude", "ANTHROPIC_BASE_URL=http://" + at.address,
				"ANTHROPIC_API_KEY=none",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
				"IS_SANDBOX=1",
				"CLAUDE_CODE_TMPDIR=" + at.tmp}
		},
		start: func(at place, prompt string) []string {
			return args(at, prompt, "--session-id", "11111111-2222-4333-8444-555555555555")
		},
		resume: func(at place, prompt, session string) []string { return args(at, prompt, "--resume", session) },
	}
}

func codex() program {
	args := func(at place, more ...string) []string {
		return append([]string{"exec", "--json", "--disable", "multi_agent", "--dangerously-bypass-hook-trust", "-C",
			at.worktree}, more...)
	}
	return program{
		name:   "codex",
		screen: ownScreen{asks: "Open restricted", leave: "/quit"},
		person: func(address string) person {
			return person{files: map[string]string{".codex/config.toml": codexModel(address) + codexAnswered},
				env: map[string]string{"SCRIPTED_KEY": "none"}}
		},
		files: func(at place) map[string]string {
			git, script := at.repository+"/.git", at.home+"/hook.sh"
			return map[string]string{
				script:                         hook,
				at.home + "/.codex/hooks.json": encode(object{"hooks": hooks(script)}),
				at.home + "/.codex/config.toml": `check_for_update_on_startup = false
sandbox_mode = "workspace-write"
approval_policy = "never"
` + codexModel(at.address) + `
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
writable_roots = ["` + git + `/objects", "` + git + `/worktrees/work", "` + git + `/refs/heads/delegate/AGT-001", "` +
					git + `/logs/refs/heads/delegate/AGT-001"]
`}
		},
		env: func(at place) []string {
			return []string{"CODEX_HOME=" + at.home + "/.codex", "SCRIPTED_KEY=none"}
		},
		start:  func(at place, prompt string) []string { return args(at, prompt) },
		resume: func(at place, prompt, session string) []string { return args(at, "resume", session, prompt) },
	}
}

// codexAnswered is that the person does not want the newer model that its screen would ask about.
const codexAnswered = `
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
`

// codexModel is the part of a configuration that names the model.
func codexModel(address string) string {
	return `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "http://` + address + `/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[analytics]
enabled = false
`
}

func opencode() program {
	return program{
		name:   "opencode",
		screen: ownScreen{leave: "/exit"},
		person: func(address string) person {
			return person{
				files: map[string]string{".config/opencode/opencode.json": encode(opencodeModel(address))},
				env:   map[string]string{"OPENCODE_DISABLE_MODELS_FETCH": "1"},
			}
		},
		files: func(at place) map[string]string {
			config := opencodeModel(at.address)
			config["autoupdate"], config["share"] = false, "disabled"
			config["permission"] = object{
				"edit": object{"*": "allow", "secret/**": "deny"}, "bash": object{"*": "allow", "git push*": "deny"},
				"external_directory": "deny", "task": "deny"}
			return map[string]string{at.home + "/opencode.json": encode(config)}
		},
		env: func(at place) []string {
			return []string{"OPENCODE_CONFIG=" + at.home + "/opencode.json", "OPENCODE_DISABLE_AUTOUPDATE=1",
				"OPENCODE_DISABLE_MODELS_FETCH=1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_SHARE=1",
				"OPENCODE_DISABLE_PROJECT_CONFIG=1",
				"npm_config_offline=true"} // else it installs a package of 90 MB into every new home
		},
		start: func(at place, prompt string) []string {
			return []string{"run", "--format", "json", "--dir", at.worktree, prompt}
		},
		resume: func(at place, prompt, session string) []string {
			return []string{"run", "--format", "json", "--dir", at.worktree, "--session", session, prompt}
		},
	}
}

// opencodeModel is the part of a configuration that names the model.
func opencodeModel(address string) object {
	return object{
		"model": "scripted/scripted", "small_model": "scripted/scripted",
		"provider": object{"scripted": object{
			"npm": "@ai-sdk/openai-compatible", "name": "scripted",
			"options": object{"baseURL": "http://" + address + "/v1", "apiKey": "none"},
			"models":  object{"scripted": object{"name": "scripted", "tool_call": true}}}},
	}
}

func gemini() program {
	args := func(at place, prompt string, more ...string) []string {
		return append([]string{"--skip-trust", "--approval-mode", "yolo", "-m", "gemini-2.5-pro", "-o", "stream-json",
			"--policy", at.home + "/policy.toml", "-p", prompt}, more...)
	}
	return program{
		name:   "gemini",
		screen: ownScreen{leave: "/quit"},
		person: func(address string) person {
			return person{
				files: map[string]string{".gemini/settings.json": encode(
					object{"security": object{"auth": object{"selectedType": "gemini-api-key"}}})},
				env: map[string]string{"GOOGLE_GEMINI_BASE_URL": "http://" + address, "GEMINI_API_KEY": "none",
					"GEMINI_MODEL":           "gemini-2.5-pro",
					"GEMINI_CLI_NO_RELAUNCH": "true"}, // else it starts itself again, for memory that no script needs
			}
		},
		files: func(at place) map[string]string {
			return map[string]string{
				at.home + "/.gemini/settings.json": encode(object{
					"general":   object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
					"privacy":   object{"usageStatisticsEnabled": false},
					"telemetry": object{"enabled": false},
					"security":  object{"auth": object{"selectedType": "gemini-api-key"}},
				}),
				at.home + "/policy.toml": `[[rule]]
toolName = "write_file"
argsPattern = "/secret/"
decision = "deny"
priority = 900

[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "deny"
priority = 900

[[rule]]
toolName = "invoke_agent"
decision = "deny"
priority = 900
`}
		},
		env: func(at place) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=http://" + at.address, "GEMINI_API_KEY=none",
				"GEMINI_TELEMETRY_ENABLED=false"}
		},
		start:  func(at place, prompt string) []string { return args(at, prompt) },
		resume: func(at place, prompt, session string) []string { return args(at, prompt, "--resume", session) },
	}
}

func qwen() program {
	args := func(prompt string, more ...string) []string {
		return append(append([]string{"--auth-type", "openai", "--approval-mode", "yolo", "-o", "stream-json"},
			more...), prompt)
	}
	return program{
		name:   "qwen",
		screen: ownScreen{leave: "/quit"},
		person: func(address string) person {
			return person{
				files: map[string]string{".qwen/settings.json": encode(
					object{"security": object{"auth": object{"selectedType": "openai"}}})},
				env: map[string]string{"OPENAI_BASE_URL": "http://" + address + "/v1", "OPENAI_API_KEY": "none",
					"OPENAI_MODEL": "scripted", "QWEN_CODE_NO_RELAUNCH": "true"}, // as gemini
			}
		},
		files: func(at place) map[string]string {
			return map[string]string{at.home + "/.qwen/settings.json": encode(object{
				"general":     object{"enableAutoUpdate": false, "disableAutoUpdate": true},
				"privacy":     object{"usageStatisticsEnabled": false},
				"telemetry":   object{"enabled": false},
				"permissions": object{"deny": []string{"Edit(/secret/**)", "Bash(git push *)", "Agent"}},
			})}
		},
		env: func(at place) []string {
			return []string{"OPENAI_BASE_URL=http://" + at.address + "/v1", "OPENAI_API_KEY=none",
				"OPENAI_MODEL=scripted"}
		},
		start:  func(at place, prompt string) []string { return args(prompt) },
		resume: func(at place, prompt, session string) []string { return args(prompt, "--resume", session) },
	}
}
