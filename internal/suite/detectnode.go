package suite

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// npmPackage is what of a package.json says how the package is built and tested.
type npmPackage struct {
	Scripts    map[string]string `json:"scripts"`
	Workspaces json.RawMessage   `json:"workspaces"`
}

// tests says whether the package has a test script beside npm's placeholder.
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
