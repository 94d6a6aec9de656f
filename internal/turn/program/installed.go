package program

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// mostInstalled is how many names are looked at in the packages of one program, so that none holds up a turn.
const mostInstalled = 20_000

// Installed are the files by which a program can be started, given the one that its command leads to: that one, and
// every executable file and every script of the npm package that has it as a command. The file there is often a small
// starter; the program proper lies in one of the packages for single machines which that package names as optional, of
// which it is the executable files. Where versions of a program lie side by side in a folder of that name, as its own
// installer keeps them, they are all of them. Of a package of Python it is what runs before anything else of it does.
func Installed(file string) []string {
	all := append([]string{file}, modules(file)...)
	left := mostInstalled
	if root, pack, found := packageWith(file); found {
		all = append(all, startable(root, isScript, &left)...)
		for name := range pack.Optional {
			if at := dependency(root, name); at != "" {
				all = append(all, startable(at, isNone, &left)...)
			}
		}
	}
	for at := filepath.Dir(file); at != filepath.Dir(at); at = filepath.Dir(at) {
		if filepath.Base(at) == "versions" {
			all = append(all, startable(at, isNone, &left)...)
			break
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// isScript reports whether Node runs a file of that name, whatever its mode.
func isScript(name string) bool {
	return slices.Contains([]string{".js", ".mjs", ".cjs"}, filepath.Ext(name))
}

func isNone(string) bool { return false }

// modules are the files that Python reads first of the package that is named like a script of Python's, where it is
// installed with it: beside the folder of the script lies the one of its libraries.
func modules(script string) (all []string) {
	if !namesPython(script) {
		return nil
	}
	name := PlainName(script)
	for _, pattern := range []string{"lib/python3*/*-packages", "lib64/python3*/*-packages"} {
		found, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(script)), pattern, name))
		for _, folder := range found {
			for _, file := range []string{"__init__.py", "__main__.py"} {
				if at, err := filepath.EvalSymlinks(filepath.Join(folder, file)); err == nil {
					all = append(all, at)
				}
			}
		}
	}
	return all
}

// namesPython reports whether the head of a script names Python as what reads it, maybe by way of the shell.
func namesPython(script string) bool {
	file, err := os.Open(script)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(file, head) // most scripts of this kind are shorter
	return bytes.HasPrefix(head[:n], []byte("#!")) && bytes.Contains(head[:n], []byte("python"))
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

// startable are the files below a folder that can be started, or are called so, without those of packages that lie in
// it.
func startable(folder string, called func(name string) bool, left *int) (all []string) {
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
		if info, err := e.Info(); err == nil && (info.Mode()&0o111 != 0 || called(e.Name())) {
			all = append(all, path)
		}
		return nil
	})
	return all
}
