package agent

import (
	"os"
	"path/filepath"
	"strconv"
)

// cacheDefaults names the person's existing tool caches, which the tools would else look for below the agent's own home.
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

// WithCaches is an environment with the tool caches of the person named in it.
func WithCaches(env []string) []string {
	named := map[string]string{}
	for _, name := range caches {
		if value := lookup(env, name); value != "" {
			named[name] = value
		}
	}
	cacheDefaults(named)
	for name, value := range named {
		env = append(env, name+"="+value)
	}
	return env
}
