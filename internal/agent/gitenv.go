package agent

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"delegate/internal/guard"
)

// gitSettings are the variables that keep an agent's git to its own branch: hooks is the folder
// that guard.WriteHooks wrote, path the PATH that it would have otherwise, which is among them
// again. They refuse early and say why. An agent that takes them away (env -u, git -c) is held by
// the layers behind them, not by these.
func (p Place) gitSettings(hooks, path string) map[string]string {
	env := map[string]string{
		// Pushes go to a scheme whose helper refuses them in words and reports them; every other
		// transport is refused by git, fetches too.
		"GIT_ALLOW_PROTOCOL": guard.PushScheme,
		"PATH": strings.TrimSuffix(filepath.Join(hooks, guard.HookPrograms)+string(os.PathListSeparator)+
			path, string(os.PathListSeparator)),
		// No question waits for an answer that nobody gives: for logins and hosts, which the first
		// only silences at a terminal,
		"GIT_TERMINAL_PROMPT": "0",
		"GIT_SSH_COMMAND":     "false",
		// for messages and lists of steps, where git takes ":" for an editor that changes nothing:
		// a commit without a message is then refused,
		// a rebase goes on as listed, a merge has its usual message;
		"GIT_EDITOR":          ":",
		"GIT_SEQUENCE_EDITOR": ":",
		// and at a pager.
		"GIT_PAGER": "cat",
	}
	settings := p.gitConfig(hooks)
	for i, setting := range settings {
		n := strconv.Itoa(i)
		env["GIT_CONFIG_KEY_"+n], env["GIT_CONFIG_VALUE_"+n] = setting[0], setting[1]
	}
	env["GIT_CONFIG_COUNT"] = strconv.Itoa(len(settings))
	return env
}

// gitConfig lists configuration that is over every file's, as keys and values.
func (p Place) gitConfig(hooks string) [][2]string {
	return [][2]string{
		// The hooks are for worktrees of this repository alone: what the agent's tests do in
		// repositories of their own has the hooks of those.
		{"includeIf.gitdir:" + globbed(filepath.ToSlash(p.Git)) + "/worktrees/*.path",
			filepath.ToSlash(filepath.Join(hooks, guard.HookConfig))},
		// The empty text begins every URL. A remote with a URL for pushes of its own is not turned;
		// its transport is refused.
		{"url." + guard.PushScheme + "://.pushInsteadOf", ""},
		// An empty helper takes away those that are configured before it; an empty program asks
		// nobody, nor the one that ssh would ask.
		{"credential.helper", ""},
		{"core.askPass", ""},
		// Tidying removes folders and packs references that others in this repository rely on, and
		// cannot where they are not writable.
		{"gc.auto", "0"},
		{"maintenance.auto", "false"},
		// A monitor is a process that outlives the turn.
		{"core.fsmonitor", "false"},
		// Inside a fence files can seem to belong to somebody else.
		{"safe.directory", "*"},
		// The person's keys are not the agent's.
		{"commit.gpgSign", "false"},
		{"tag.gpgSign", "false"},
	}
}

// globbed is a path for git's globs to take by the letter.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
