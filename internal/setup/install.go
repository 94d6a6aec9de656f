package setup

import (
	"errors"
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
}

// installers are in the order in which they are asked; the first of a folder whose kind is the same counts.
func installers() []installer {
	modules := []string{"node_modules", ".pnp.cjs"}
	python := []string{".venv", "venv"}
	return []installer{
		{"pnpm-lock.yaml", modules, "pnpm install --frozen-lockfile"},
		{"yarn.lock", modules, "yarn install"},
		{"bun.lock", modules, "bun install --frozen-lockfile"},
		{"bun.lockb", modules, "bun install --frozen-lockfile"},
		{"package-lock.json", modules, "npm ci"},
		{"npm-shrinkwrap.json", modules, "npm ci"},
		{"uv.lock", python, "uv sync --frozen"},
		{"poetry.lock", python, "poetry install"},
		{"Pipfile.lock", python, "pipenv sync --dev"},
		{"composer.lock", []string{"vendor"}, "composer install"},
		{"mix.lock", []string{"deps"}, "mix deps.get"},
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
		if seen[i.there[0]] {
			continue
		}
		if _, err := fs.Stat(sub, i.lock); errors.Is(err, fs.ErrNotExist) {
			continue
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
	return strings.HasPrefix(dir, ".") || slices.Contains([]string{"node_modules", "vendor", "third_party", "testdata", "examples", "target", "dist", "build"}, dir)
}
