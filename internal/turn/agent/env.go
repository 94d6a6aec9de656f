package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/fence/guard"
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
		// Of an index in two parts only one would be read after the turn.
		{"core.splitIndex", "false"},
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

// passed are the variables of the person's that every program sees which is or runs what agents wrote, beside LC_*:
// none holds a secret, and with them it finds programs, compilers and what was fetched and built before.
var passed = []string{
	"PATH", "TERM", "LANG", "LANGUAGE", "TZ", "SHELL", "USER", "LOGNAME", "CI",
	"GOPATH", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "GONOSUMDB", "GONOSUMCHECK", "GOSUMDB", "GOPRIVATE",
	"GOTOOLCHAIN", "GOROOT", "CGO_ENABLED", "CC", "CXX",
	"CARGO_HOME", "RUSTUP_HOME", "npm_config_cache", "NVM_DIR", "PIP_CACHE_DIR", "PYENV_ROOT", "JAVA_HOME",
	"MAVEN_OPTS", "GRADLE_USER_HOME", "ANDROID_HOME",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
}

// proxies are the variables that say how a network is reached. They may hold a password, so only agent programs
// see them, and none that has no network or one that goes by a proxy of ours.
func proxies() []string {
	return []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "all_proxy",
		"no_proxy", "NODE_USE_ENV_PROXY"}
}

// WithoutProxies is an environment for who has no network, whoever named its variables.
func WithoutProxies(env []string) []string {
	return slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(proxies(), name)
	})
}

// listed are those variables as this process has them, with the person's caches named.
func listed() map[string]string {
	env := map[string]string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") {
			env[name] = value
		}
	}
	cacheDefaults(env)
	return env
}

// handOn adds those of the named variables that this process has.
func handOn(env map[string]string, names []string) {
	for _, name := range names {
		if value, found := os.LookupEnv(name); found {
			env[name] = value
		}
	}
}

func entries(env map[string]string) []string {
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// Environ is the environment of a command of the person's that reads or runs what agents wrote:
// the same list as an agent's, in the person's own home, and the variables that the configuration names.
func Environ(named []string) []string {
	env := listed()
	handOn(env, append([]string{"HOME"}, named...))
	return entries(env)
}

// cacheDefaults names the person's existing tool caches, which the tools would else look for below
// the agent's own home.
func cacheDefaults(env map[string]string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return
	}
	if env["GOPATH"] == "" && env["GOMODCACHE"] == "" {
		setFolder(env, "GOMODCACHE", filepath.Join(home, "go", "pkg", "mod"))
	}
	if cache, err := os.UserCacheDir(); err == nil {
		setFolder(env, "GOCACHE", filepath.Join(cache, "go-build"))
		setFolder(env, "PIP_CACHE_DIR", filepath.Join(cache, "pip"))
	}
	setFolder(env, "npm_config_cache", filepath.Join(home, ".npm"))
	setFolder(env, "CARGO_HOME", filepath.Join(home, ".cargo"))
	setFolder(env, "RUSTUP_HOME", filepath.Join(home, ".rustup"))
}

func setFolder(env map[string]string, name, path string) {
	if env[name] != "" {
		return
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		env[name] = path
	}
}

// apart names what keeps an agent's servers, containers and databases apart from those of others.
func (p Place) apart(env map[string]string) {
	if p.PortCount > 0 {
		env["DELEGATE_PORT_BASE"], env["DELEGATE_PORTS"] = strconv.Itoa(p.PortBase), strconv.Itoa(p.PortCount)
	}
	if p.Name != "" {
		env["DELEGATE_NAME"] = p.Name
	}
}
