package suite

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"

	"golang.org/x/mod/modfile"
)

// Detect lists the commands that build and test a tree, by the files of build systems that lie at its root,
// or, if none lies there, in each folder right below it. An empty list says that nothing is known of it.
// A file that does not parse counts as what its name says: the command then fails, and tells.
// The error says that the tree could not be read.
func Detect(tree fs.FS) ([]Command, error) {
	all, err := detectAt(tree, ".")
	if err != nil || len(all) > 0 {
		return all, err
	}
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || isSkipped(e.Name()) {
			continue
		}
		found, err := detectAt(tree, e.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// isSkipped tells folders whose code belongs to others, or to tests.
func isSkipped(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") ||
		slices.Contains([]string{"node_modules", "vendor", "testdata", "third_party", "target", "dist", "build",
			"examples"}, folder)
}

// place is a folder that is looked at.
type place struct {
	tree fs.FS // the folder
	dir  string
}

// command makes a command that is run in the folder.
func (p place) command(line, why string) Command {
	return Command{Line: form{dir: p.dir}.in(line), Why: path.Join(p.dir, why)}
}

// has lists those of the names that are there.
func (p place) has(names ...string) (found []string, err error) {
	for _, name := range names {
		_, there, err := read(p.tree, name)
		if err != nil {
			return nil, err
		}
		if there {
			found = append(found, name)
		}
	}
	return found, nil
}

func detectAt(tree fs.FS, dir string) ([]Command, error) {
	sub, err := fs.Sub(tree, dir)
	if err != nil {
		return nil, err
	}
	p := place{sub, dir}
	var all []Command
	for _, look := range []func(place) ([]Command, error){detectGo, detectNode, detectPython, detectCargo, detectJava} {
		found, err := look(p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return detectMake(p)
	}
	return all, nil
}

func detectGo(p place) ([]Command, error) {
	text, workspace, err := read(p.tree, "go.work")
	if err != nil {
		return nil, err
	}
	what, why := "./...", "go.mod"
	if workspace {
		why = "go.work"
		if used := usedModules(text); len(used) > 0 {
			what = strings.Join(used, " ")
		}
	} else if found, err := p.has("go.mod"); err != nil || len(found) == 0 {
		return nil, err
	}
	return []Command{p.command("go build "+what, why), p.command("go test "+what, why)}, nil
}

// usedModules are the patterns of all packages of a workspace, whose root need not be a module itself.
func usedModules(text string) []string {
	work, err := modfile.ParseWork("go.work", []byte(text), nil)
	if err != nil {
		return nil
	}
	var all []string
	for _, use := range work.Use {
		dir := path.Clean(use.Path)
		if !fs.ValidPath(dir) { // outside of the tree
			continue
		}
		all = append(all, quote("./"+path.Join(dir, "...")))
	}
	return all
}

func detectPython(p place) ([]Command, error) {
	const line = "python3 -m pytest -q"
	for _, mark := range []struct{ file, text string }{
		{"pytest.ini", ``}, {"pyproject.toml", `(?m)^\s*\[tool\.pytest\b`}, {"setup.cfg", `(?m)^\[tool:pytest\]`},
		{"tox.ini", `(?m)^\[pytest\]`}, {"conftest.py", ``},
	} {
		text, there, err := read(p.tree, mark.file)
		if err != nil {
			return nil, err
		}
		if there && regexp.MustCompile(mark.text).MatchString(text) {
			return []Command{p.command(line, mark.file)}, nil
		}
	}
	for _, pattern := range []string{"test_*.py", "tests/test_*.py", "tests/*_test.py", "test/test_*.py",
		"tests/*/test_*.py"} {
		found, err := fs.Glob(p.tree, pattern)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return []Command{p.command(line, found[0])}, nil
		}
	}
	return nil, nil
}

func detectCargo(p place) ([]Command, error) {
	text, there, err := read(p.tree, "Cargo.toml")
	if err != nil || !there {
		return nil, err
	}
	line := "cargo test"
	if regexp.MustCompile(`(?m)^\s*\[workspace\b`).MatchString(text) {
		line += " --workspace"
	}
	return []Command{p.command(line, "Cargo.toml")}, nil
}

func detectJava(p place) ([]Command, error) {
	for _, of := range []struct{ file, wrapper, program, rest string }{
		{"pom.xml", "mvnw", "mvn", " -q -B test"}, {"build.gradle", "gradlew", "gradle", " test"},
		{"build.gradle.kts", "gradlew", "gradle", " test"},
	} {
		found, err := p.has(of.file, of.wrapper)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 2:
			return []Command{p.command("./"+of.wrapper+of.rest, of.file)}, nil
		case slices.Contains(found, of.file):
			return []Command{p.command(of.program+of.rest, of.file)}, nil
		}
	}
	return nil, nil
}

// makesTest is a target "test" in a makefile.
var makesTest = lazyregexp.New(`(?m)^test\s*::?(?:[^=]|$)`)

// detectMake is asked where nothing else is known: elsewhere make calls what was found already.
func detectMake(p place) ([]Command, error) {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} { // the order in which make takes them
		text, there, err := read(p.tree, name)
		if err != nil {
			return nil, err
		}
		switch {
		case there && makesTest.MatchString(text):
			return []Command{p.command("make test", name)}, nil
		case there:
			return nil, nil
		}
	}
	return nil, nil
}

// npmPackage is what of a package.json says how the package is built and tested.
type npmPackage struct {
	Scripts    map[string]string `json:"scripts"`
	Workspaces json.RawMessage   `json:"workspaces"`
}

// tests says whether the package has a test script other than npm's placeholder.
func (n npmPackage) tests() bool {
	script := n.Scripts["test"]
	return strings.TrimSpace(script) != "" && !strings.Contains(script, "no test specified")
}

// members are the patterns of the folders of its workspaces.
func (n npmPackage) members() []string {
	var list []string
	if json.Unmarshal(n.Workspaces, &list) == nil {
		return list
	}
	var mapping struct{ Packages []string }
	if json.Unmarshal(n.Workspaces, &mapping) == nil {
		return mapping.Packages
	}
	return nil
}

// pnpmMembers are the patterns that a pnpm-workspace.yaml lists, in the block form that pnpm itself writes.
func pnpmMembers(text string) []string {
	_, list, _ := strings.Cut("\n"+text, "\npackages:")
	item := regexp.MustCompile(`^\s*-\s+(?:'([^']*)'|"([^"]*)"|([^'"#\s]+))\s*(?:#.*)?$`)
	var all []string
	for line := range strings.Lines(list) {
		line = strings.TrimRight(line, "\r\n")
		found := item.FindStringSubmatch(line)
		switch blank := strings.TrimSpace(line); {
		case found != nil:
			all = append(all, found[1]+found[2]+found[3])
		case blank != "" && !strings.HasPrefix(blank, "#"):
			return all
		}
	}
	return all
}

// runner is the program that runs a package's scripts, by its lock file.
func runner(p place) (program, lock string, err error) {
	for _, of := range []struct{ lock, program string }{
		{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"},
		{"package-lock.json", "npm"}, {"npm-shrinkwrap.json", "npm"},
	} {
		found, err := p.has(of.lock)
		if err != nil || len(found) > 0 {
			return of.program, of.lock, err
		}
	}
	return "npm", "", nil
}

func detectNode(p place) ([]Command, error) {
	text, there, err := read(p.tree, "package.json")
	if err != nil || !there {
		return nil, err
	}
	program, lock, err := runner(p)
	if err != nil {
		return nil, err
	}
	why := "package.json"
	if lock != "" {
		why += " and " + lock
	}
	testing := program + " test"
	if program == "bun" { // its own "test" runs what it takes for tests, whatever the script says
		testing = "bun run test"
	}
	var n npmPackage
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return []Command{p.command(testing, why)}, nil
	}
	var all []Command
	if strings.TrimSpace(n.Scripts["build"]) != "" {
		all = append(all, p.command(program+" run build", why))
	}
	if !n.tests() {
		testing, err = membersTest(p, n, program)
	}
	if err != nil || testing == "" {
		return all, err
	}
	return append(all, p.command(testing, why)), nil
}

// membersTest is the line that runs the tests of all members of the package's workspaces.
// It is empty where no member has some, for then the line would pass and test nothing, and where
// the program would stop at a member that has none.
func membersTest(p place, n npmPackage, program string) (string, error) {
	members, err := members(p, n, program)
	if err != nil || !slices.ContainsFunc(members, npmPackage.tests) {
		return "", err
	}
	switch program {
	case "npm":
		return "npm test --workspaces --if-present", nil
	case "pnpm":
		return "pnpm -r run --if-present test", nil
	case "bun":
		return "bun run --filter '*' test", nil
	}
	modern, err := p.has(".yarnrc.yml") // the settings of yarn from its second release on
	switch {
	case err != nil:
		return "", err
	case len(modern) > 0:
		return "yarn workspaces foreach --all run test", nil
	case slices.ContainsFunc(members, func(m npmPackage) bool { return !m.tests() }):
		return "", nil
	}
	return "yarn workspaces run test", nil
}

// members are the packages of the workspaces, as far as they can be read.
func members(p place, n npmPackage, program string) ([]npmPackage, error) {
	patterns := n.members()
	if program == "pnpm" {
		text, _, err := read(p.tree, "pnpm-workspace.yaml")
		if err != nil {
			return nil, err
		}
		patterns = pnpmMembers(text)
	}
	var all []npmPackage
	for _, pattern := range patterns {
		found, err := fs.Glob(p.tree, path.Join(strings.ReplaceAll(pattern, "**", "*"), "package.json"))
		if err != nil {
			continue // no pattern: the program will say so
		}
		for _, name := range found {
			text, _, err := read(p.tree, name)
			if err != nil {
				return nil, err
			}
			var member npmPackage
			if json.Unmarshal([]byte(text), &member) == nil {
				all = append(all, member)
			}
		}
	}
	return all, nil
}
