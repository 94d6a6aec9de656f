package program

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// mostInstalled is how many names are looked at in the packages of one program, so that none holds up a turn.
const mostInstalled = 20_000

// Installed are the files by which a program can be started, given the one that its command leads to: that one, and
// every executable file of the npm package that has it as a command. The file there is often a small starter; the
// program proper lies in one of the packages for single machines which that package names as optional. Where versions
// of a program lie side by side in a folder of that name, as its own installer keeps them, they are all of them.
func Installed(file string) []string {
	all := []string{file}
	left := mostInstalled
	if root, pack, found := packageWith(file); found {
		all = append(all, executables(root, &left)...)
		for name := range pack.Optional {
			if at := dependency(root, name); at != "" {
				all = append(all, executables(at, &left)...)
			}
		}
	}
	for at := filepath.Dir(file); at != filepath.Dir(at); at = filepath.Dir(at) {
		if filepath.Base(at) == "versions" {
			all = append(all, executables(at, &left)...)
			break
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// npmPackage is what counts of a package.json.
type npmPackage struct {
	Bin      json.RawMessage            `json:"bin"` // a path, or paths by the names of commands
	Optional map[string]json.RawMessage `json:"optionalDependencies"`
}

// packageWith is the package that has the file as a command. A package.json that happens to lie above it says nothing.
func packageWith(file string) (root string, p npmPackage, found bool) {
	for root = filepath.Dir(file); root != filepath.Dir(root); root = filepath.Dir(root) {
		data, err := os.ReadFile(filepath.Join(root, "package.json"))
		if err != nil {
			continue
		}
		if json.Unmarshal(data, &p) != nil {
			return "", p, false
		}
		var one string
		var named map[string]string
		_ = json.Unmarshal(p.Bin, &one) // it is the one or the other
		_ = json.Unmarshal(p.Bin, &named)
		for _, path := range named {
			found = found || filepath.Join(root, filepath.FromSlash(path)) == file
		}
		return root, p, found || one != "" && filepath.Join(root, filepath.FromSlash(one)) == file
	}
	return "", p, false
}

// dependency is the folder of a package that another one depends on, where Node would find it; "" if it is nowhere.
func dependency(root, name string) string {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return ""
	}
	for at := root; ; at = filepath.Dir(at) {
		full, err := filepath.EvalSymlinks(filepath.Join(at, "node_modules", filepath.FromSlash(name)))
		if err == nil {
			return full
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// executables are the files below a folder that can be started, without those of packages that lie in it.
func executables(folder string, left *int) (all []string) {
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if *left--; *left < 0 {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return nil // it cannot be read, nor started from here
		case e.IsDir() && e.Name() == "node_modules" && path != folder:
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode()&0o111 != 0 {
			all = append(all, path)
		}
		return nil
	})
	return all
}
