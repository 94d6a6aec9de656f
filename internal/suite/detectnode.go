package suite

import (
	"encoding/json"
	"io/fs"
	"path"
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

// runner is the program that runs a package's scripts, by its lock file.
func runner(p place) (program, lock string, err error) {
	for _, of := range []struct{ lock, program string }{
		{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"package-lock.json", "npm"}, {"npm-shrinkwrap.json", "npm"},
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
	var n npmPackage
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return []Command{p.command(program+" test", why)}, nil
	}
	var all []Command
	if strings.TrimSpace(n.Scripts["build"]) != "" {
		all = append(all, p.command(program+" run build", why))
	}
	switch {
	case n.tests():
		all = append(all, p.command(program+" test", why))
	case program == "npm":
		tested, err := membersTest(p, n)
		if err != nil {
			return nil, err
		}
		if tested {
			all = append(all, p.command("npm test --workspaces --if-present", why))
		}
	}
	return all, nil
}

// membersTest says whether a member of the package's workspaces has tests. Without one a run over all of them would pass and test nothing.
func membersTest(p place, n npmPackage) (bool, error) {
	for _, pattern := range n.members() {
		found, err := fs.Glob(p.tree, path.Join(pattern, "package.json"))
		if err != nil {
			continue // no pattern: npm will say so
		}
		for _, name := range found {
			text, _, err := read(p.tree, name)
			if err != nil {
				return false, err
			}
			var member npmPackage
			if json.Unmarshal([]byte(text), &member) == nil && member.tests() {
				return true, nil
			}
		}
	}
	return false, nil
}
