package gocheck

import "strings"

// guessed is the workspace of a tree without a go.mod, from before modules. By what path its root
// is imported, the folder's own imports show if one of them leads to a folder of the tree. Other
// projects are not looked for.
func (v *view) guessed(dir string) (*workspace, error) {
	f, err := v.c.folder(v.tree, dir)
	if err != nil {
		return nil, err
	}
	for _, files := range [][]file{f.plain, f.inner, f.outer} {
		for _, one := range files {
			if one.header == nil {
				continue
			}
			for _, s := range one.imports {
				root, below, ok := repository(s.path)
				if !ok {
					continue
				}
				there, err := v.c.folder(v.tree, below)
				if err != nil {
					return nil, err
				}
				if len(there.plain) > 0 {
					return &workspace{list: []mod{{path: root, source: v.tree, dir: ".", lang: oldest, isMain: true}}},
						nil
				}
			}
		}
	}
	return &workspace{}, nil
}

// repository splits an import path behind host, owner and name, which is where most hosts keep a repository.
func repository(name string) (root, below string, ok bool) {
	parts := strings.SplitN(name, "/", 4)
	if !hasHost(name) || len(parts) < 4 || !isPath(name) {
		return "", "", false
	}
	return strings.Join(parts[:3], "/"), parts[3], true
}
