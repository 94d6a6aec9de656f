package agent

import (
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/sandbox"
)

// layered are the variables that name tool caches which an agent adds to, and from which the person's tools must not read its additions.
func layered() []string {
	return []string{"GOMODCACHE", "GOCACHE", "npm_config_cache", "PIP_CACHE_DIR", "CARGO_HOME", "GRADLE_USER_HOME"}
}

// usual are the folders of a home in which tools keep what they fetched and built.
func usual() []string {
	return []string{
		".cache", ".npm", ".m2", ".gradle", ".cargo", "go/pkg", ".yarn", ".local/share/pnpm", ".nuget", ".ivy2", ".sbt", ".bun", ".deno", ".pub-cache", ".cabal", ".stack",
	}
}

// Layers are the folders of the person that processes read and add to without changing them; the additions go to folders below own,
// which no process that they are for may write itself: a link there would lead its additions anywhere.
// Those are the tool caches that the environment names, for processes in the person's own home those in there, and the temporary folders that programs name by heart.
func Layers(own, home string, env []string) []sandbox.Cache {
	var all []sandbox.Cache
	add := func(name, path string) {
		known := slices.ContainsFunc(all, func(c sandbox.Cache) bool { return path == c.Path || strings.HasPrefix(path, c.Path+"/") })
		if known || !filepath.IsAbs(path) || strings.HasPrefix(path, own+"/") || strings.HasPrefix(own, path+"/") || !exists(path) {
			return
		}
		at := filepath.Join(own, name)
		all = append(all, sandbox.Cache{Path: path, Upper: filepath.Join(at, "added"), Work: filepath.Join(at, "work"), Spare: name == "tmp" || name == "var-tmp"})
	}
	if home != "" {
		for _, name := range usual() {
			add(strings.ReplaceAll(name, "/", "-"), filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	for _, name := range layered() {
		add(name, lookup(env, name))
	}
	if path := lookup(env, "GOPATH"); path != "" && lookup(env, "GOMODCACHE") == "" {
		add("GOMODCACHE", filepath.Join(filepath.SplitList(path)[0], "pkg", "mod"))
	}
	add("tmp", "/tmp")
	add("var-tmp", "/var/tmp")
	return all
}

// ownCaches puts the agent's own, empty caches in the place of the person's, where they cannot be layered.
func (p Place) ownCaches(env map[string]string) {
	for _, name := range layered() {
		if env[name] != "" {
			env[name] = filepath.Join(p.Home, ".caches", name, "own")
		}
	}
}
