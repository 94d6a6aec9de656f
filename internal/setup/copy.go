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
)

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
	beside := func(names ...string) bool {
		for _, n := range names {
			if has(tree, path.Join(dir, n)) {
				return true
			}
		}
		return false
	}
	switch {
	case base == ".env" || strings.HasPrefix(base, ".env."), base == "local.properties", name == "config/master.key":
		return required
	case base == "node_modules", base == ".venv" || base == "venv", name == ".yarn/cache":
		return required
	case base == "env" && has(tree, path.Join(name, "pyvenv.cfg")), base == "bundle" && path.Base(dir) == "vendor":
		return required
	case base == "vendor" && (beside("composer.json") || has(tree, path.Join(name, "bundle"))), base == "deps" &&
		beside("mix.exs"), base == "Pods" && beside("Podfile"):
		return required
	case base == "target" && beside("Cargo.toml", "pom.xml"), base == "_build" && beside("mix.exs"),
		base == ".gradle" && beside("build.gradle", "build.gradle.kts"):
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
