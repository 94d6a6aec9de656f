package setup

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"delegate/internal/run"
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
		if e.IsDir() && !foreign(e.Name()) && plainPath(e.Name()) {
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

// foreign tells folders whose code belongs to others.
func foreign(dir string) bool {
	return strings.HasPrefix(dir, ".") ||
		slices.Contains([]string{"node_modules", "vendor", "third_party", "testdata", "examples", "target", "dist",
			"build"}, dir)
}
