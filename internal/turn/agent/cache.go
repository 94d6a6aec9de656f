package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/run"
	"delegate/scope"
)

// layered are the variables that name tool caches which an agent adds to, and from which the
// person's tools must not read its additions.
func layered() []string {
	return []string{"GOMODCACHE", "GOCACHE", "npm_config_cache", "PIP_CACHE_DIR", "CARGO_HOME", "GRADLE_USER_HOME"}
}

// usual are the folders of a home in which tools keep what they fetched and built.
func usual() []string {
	return []string{
		".cache", ".npm", ".m2", ".gradle", ".cargo", "go/pkg", ".yarn", ".local/share/pnpm", ".nuget", ".ivy2", ".sbt",
		".bun", ".deno", ".pub-cache", ".cabal", ".stack",
	}
}

// Layers are the folders of the person that processes read and add to without changing them; the
// additions go to folders below own, which no process that they are for may write itself: a link
// there would lead its additions anywhere. Those are the tool caches that the environment names,
// for processes in the person's own home those in there, and the temporary folders that programs
// name by heart.
func Layers(own, home string, env []string) []sandbox.Cache {
	var all []sandbox.Cache
	add := func(name, path string) {
		known := slices.ContainsFunc(all, func(c sandbox.Cache) bool {
			return scope.Within(path, c.Path)
		})
		if known || !filepath.IsAbs(path) || strings.HasPrefix(path, own+"/") || strings.HasPrefix(own, path+"/") ||
			!exists(path) {
			return
		}
		at := filepath.Join(own, name)
		all = append(all, sandbox.Cache{Path: path, Upper: filepath.Join(at, "added"), Work: filepath.Join(at, "work"),
			Spare: name == "tmp" || name == "var-tmp"})
	}
	if home != "" {
		for _, name := range usual() {
			add(strings.ReplaceAll(name, "/", "-"), filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	for _, name := range layered() {
		add(name, run.Variable(env, name))
	}
	if path := run.Variable(env, "GOPATH"); path != "" && run.Variable(env, "GOMODCACHE") == "" {
		add("GOMODCACHE", filepath.Join(filepath.SplitList(path)[0], "pkg", "mod"))
	}
	add("tmp", "/tmp")
	add("var-tmp", "/var/tmp")
	return all
}

// ownCaches puts the agent's own, empty caches in the place of the person's, where they cannot be layered:
// all of them where the fence knows no layers, else those whose folder is not there. Whoever is
// held in could not make it.
func (p Place) ownCaches(env map[string]string) {
	if p.Confinement == Unconfined {
		return
	}
	if path := env["GOPATH"]; path != "" && env["GOMODCACHE"] == "" {
		env["GOMODCACHE"] = filepath.Join(filepath.SplitList(path)[0], "pkg", "mod")
	}
	for _, name := range layered() {
		if env[name] != "" && (p.Confinement == Fenced || !exists(env[name])) {
			env[name] = filepath.Join(p.Home, ".caches", name, "own")
		}
	}
}

// WithSpareCaches is an environment for processes in the person's home in which caches that Layers
// cannot show them lie below own: a tool whose folder is not there yet would make it, and in a
// fence nothing lets it.
func WithSpareCaches(own, home string, env []string) []string {
	layers := Layers(own, home, env)
	for name, path := range usualCaches(home, env) {
		covered := slices.ContainsFunc(layers, func(c sandbox.Cache) bool {
			return scope.Within(path, c.Path)
		})
		if covered {
			continue
		}
		env = slices.DeleteFunc(env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		env = append(env, name+"="+filepath.Join(own, name))
	}
	return env
}

// usualCaches are the folders that tools take for their caches in a home and an environment, by the
// variable that moves them.
func usualCaches(home string, env []string) map[string]string {
	all := map[string]string{
		"npm_config_cache": filepath.Join(home, ".npm"), "CARGO_HOME": filepath.Join(home, ".cargo"),
		"GRADLE_USER_HOME": filepath.Join(home, ".gradle"),
		"GOMODCACHE":       filepath.Join(home, "go", "pkg", "mod"),
	}
	if cache, err := os.UserCacheDir(); err == nil {
		all["GOCACHE"], all["PIP_CACHE_DIR"] = filepath.Join(cache, "go-build"), filepath.Join(cache, "pip")
	}
	if path := run.Variable(env, "GOPATH"); path != "" {
		all["GOMODCACHE"] = filepath.Join(filepath.SplitList(path)[0], "pkg", "mod")
	}
	for name := range all {
		if path := run.Variable(env, name); path != "" {
			all[name] = path
		}
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
