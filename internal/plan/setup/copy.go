package setup

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"delegate/internal/sys/run"
)

// installer is how what a lock file names gets where it is used.
type installer struct {
	lock  string
	there []string // one of these beside the lock file says that it was done
	line  string
	needs string // a text without which the file names nothing to install
}

// installers are in the order in which they are asked; of those that fill the same folder the first counts.
func installers() []installer {
	modules := []string{"node_modules", ".pnp.cjs"}
	python := []string{".venv", "venv"}
	return []installer{
		{lock: "pnpm-lock.yaml", there: modules, line: "pnpm install --frozen-lockfile"},
		{lock: "yarn.lock", there: modules, line: "yarn install"},
		{lock: "bun.lock", there: modules, line: "bun install --frozen-lockfile"},
		{lock: "bun.lockb", there: modules, line: "bun install --frozen-lockfile"},
		{lock: "package-lock.json", there: modules, line: "npm ci"},
		{lock: "npm-shrinkwrap.json", there: modules, line: "npm ci"},
		{lock: "package.json", there: modules, line: "npm install", needs: `ependencies"`},
		{lock: "uv.lock", there: python, line: "uv sync --frozen"},
		{lock: "poetry.lock", there: python, line: "poetry install"},
		{lock: "Pipfile.lock", there: python, line: "pipenv sync --dev"},
		{lock: "composer.lock", there: []string{"vendor"}, line: "composer install"},
		{lock: "mix.lock", there: []string{"deps"}, line: "mix deps.get"},
	}
}

// steps are the commands for lock files at the root and right below it whose packages are not there.
func steps(tree fs.FS) ([]Step, error) {
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		return nil, err
	}
	dirs := []string{"."}
	for _, e := range entries {
		skipped := strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{"node_modules", "vendor", "third_party",
			"testdata", "examples", "target", "dist", "build"}, e.Name())
		if e.IsDir() && !skipped && plainPath(e.Name()) {
			dirs = append(dirs, e.Name())
		}
	}
	var all []Step
	for _, dir := range dirs {
		found, err := stepsIn(tree, dir)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func stepsIn(tree fs.FS, dir string) (all []Step, err error) {
	sub, err := fs.Sub(tree, dir)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{} // by what says that it was done: one program installs for each language
	for _, i := range installers() {
		member := i.needs != "" && dir != "." && has(tree, i.lock) // whose packages the root's installation brings
		if seen[i.there[0]] || member {
			continue
		}
		data, err := fs.ReadFile(sub, i.lock)
		if err != nil || !strings.Contains(string(data), i.needs) {
			continue // not there, or a folder
		}
		seen[i.there[0]] = true
		if has(sub, i.there...) {
			continue
		}
		line := i.line
		if dir != "." {
			line = "cd " + run.Quote(dir) + " && " + line
		}
		all = append(all, Step{Line: line, Lock: path.Join(dir, i.lock)})
	}
	return all, nil
}

// need is how much a new worktree depends on an ignored path.
type need int

const (
	nothing  need = iota // a worktree does without, or makes it itself
	required             // nothing in git brings it back
	handy                // a build makes it again, in more time
)

// deepest is how many folders below the root something that a build needs is looked for, mostAlike
// how many of one name are listed before a pattern stands for them.
const (
	deepest   = 4
	mostAlike = 4
)

// items sorts what git ignores by what a worktree needs of it.
func items(ctx context.Context, r Request, tree fs.FS) (needed, spare []Item, err error) {
	alike := map[string][]Item{}
	var order []string
	kind := map[string]need{}
	for _, entry := range r.Ignored {
		name := strings.TrimSuffix(entry, "/")
		what := classify(tree, name)
		if what == nothing || !plainPath(name) || strings.HasPrefix(entry, r.Own+"/") && r.Own != "" {
			continue
		}
		full := filepath.Join(r.Root, filepath.FromSlash(name))
		if info, err := os.Lstat(full); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue // gone, or a link, which would lead every worktree to one place
		}
		size, err := Measure(ctx, full)
		if err != nil {
			return nil, nil, err
		}
		base := path.Base(name)
		if _, known := alike[base]; !known {
			order = append(order, base)
		}
		kind[base] = what
		alike[base] = append(alike[base], Item{Path: name, Count: 1, Size: size})
	}
	slices.Sort(order)
	for _, base := range order {
		merged := gather(base, alike[base])
		if kind[base] == handy {
			spare = append(spare, merged...)
		} else {
			needed = append(needed, merged...)
		}
	}
	return needed, spare, nil
}

// gather puts a pattern in the place of many of one name.
func gather(base string, all []Item) []Item {
	if len(all) <= mostAlike {
		return all
	}
	one := Item{Path: "**/" + base}
	for _, it := range all {
		one.Count += it.Count
		one.Size = one.Size.plus(it.Size)
	}
	return []Item{one}
}

// classify tells what an ignored path is by its name and by what lies beside it.
func classify(tree fs.FS, name string) need {
	if strings.Count(name, "/") > deepest {
		return nothing
	}
	dir, base := path.Dir(name), path.Base(name)
	hasSibling := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return has(tree, path.Join(dir, n)) })
	}
	switch {
	case base == ".env" || strings.HasPrefix(base, ".env."), base == "local.properties", name == "config/master.key":
		return required
	case base == "node_modules", base == ".venv" || base == "venv", name == ".yarn/cache":
		return required
	case base == "env" && has(tree, path.Join(name, "pyvenv.cfg")), base == "bundle" && path.Base(dir) == "vendor":
		return required
	case base == "vendor" && (hasSibling("composer.json") || has(tree, path.Join(name, "bundle"))), base == "deps" &&
		hasSibling("mix.exs"), base == "Pods" && hasSibling("Podfile"):
		return required
	case base == "target" && hasSibling("Cargo.toml", "pom.xml"), base == "_build" && hasSibling("mix.exs"),
		base == ".gradle" && hasSibling("build.gradle", "build.gradle.kts"):
		return handy
	}
	return nothing
}

// plainPath says whether a path can be written into the list as it is: no text of it is a pattern,
// a drive, or drives a terminal.
func plainPath(name string) bool {
	return !strings.HasPrefix(name[1:], ":") && utf8.ValidString(name) && !strings.ContainsAny(name, `*?[]{}!\`) &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return !unicode.IsPrint(r)
		})
}
