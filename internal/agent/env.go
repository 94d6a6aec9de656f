package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// passed are the variables of the person's that every program sees which is or runs what agents wrote, beside LC_*:
// none holds a secret, and with them it finds programs, compilers and what was fetched and built before.
var passed = []string{
	"PATH", "TERM", "LANG", "LANGUAGE", "TZ", "SHELL", "USER", "LOGNAME", "CI",
	"GOPATH", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "GONOSUMDB", "GONOSUMCHECK", "GOSUMDB", "GOPRIVATE",
	"GOTOOLCHAIN", "GOROOT", "CGO_ENABLED", "CC", "CXX",
	"CARGO_HOME", "RUSTUP_HOME", "npm_config_cache", "NVM_DIR", "PIP_CACHE_DIR", "PYENV_ROOT", "JAVA_HOME",
	"MAVEN_OPTS", "GRADLE_USER_HOME", "ANDROID_HOME",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
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
	list := make([]string, 0, len(env))
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
