package manifest

import (
	"strings"

	"delegate/conflict/code"
)

func readPackageJSON(data []byte) (code.Manifest, error) {
	m := jsonManifest{ecosystem: NPM, fold: func(name string) string { return name }, groups: map[string]string{
		"dependencies": "", "devDependencies": "dev", "peerDependencies": "peer", "optionalDependencies": "optional",
	}}
	return m.read(data)
}

// packageLock reads npm's lock file. Its first version has a tree of "dependencies", its third a list of "packages"
// by the folder into which they go, and its second both.
type packageLock struct {
	*jsonReader
	file     code.Manifest
	packages []code.Dependency
	tree     []code.Dependency
}

func readPackageLock(data []byte) (code.Manifest, error) {
	r, err := newJSONReader(data)
	if err != nil {
		return code.Manifest{}, err
	}
	l := packageLock{jsonReader: r, file: code.Manifest{Ecosystem: NPM, Lock: true}}
	err = r.object(func(key string, _ int) error {
		switch key {
		case "name":
			return r.take(&l.file.Name)
		case "packages":
			return r.object(l.placed)
		case "dependencies":
			return r.object(func(name string, line int) error { return l.branch(name, line, "") })
		}
		return r.skip()
	})
	if l.packages == nil {
		l.packages = l.tree
	}
	l.file.Dependencies = onceEach(l.packages)
	return l.file, err
}

// placed takes one package by its folder. Folders outside of all node_modules are the project's own packages,
// those that others use have a link in node_modules as well.
func (l *packageLock) placed(folder string, line int) error {
	const modules = "node_modules/"
	at := strings.LastIndex(folder, modules)
	if at < 0 {
		return l.skip()
	}
	var p struct {
		Version                                string
		Dev, Peer, Optional, DevOptional, Link bool
	}
	if err := l.take(&p); err != nil {
		return err
	}
	d := code.Dependency{Name: folder[at+len(modules):], Version: p.Version, Line: line}
	switch {
	case at > 0:
		d.Group = "nested"
	case p.Link:
		d.Group = "local"
	case p.Dev:
		d.Group = "dev"
	case p.Optional, p.DevOptional:
		d.Group = "optional"
	case p.Peer:
		d.Group = "peer"
	}
	l.packages = append(l.packages, d)
	return nil
}

// branch takes one package of the tree with those below it.
func (l *packageLock) branch(name string, line int, group string) error {
	at := len(l.tree)
	l.tree = append(l.tree, code.Dependency{Name: name, Group: group, Line: line})
	var dev, optional bool
	err := l.object(func(key string, _ int) error {
		switch key {
		case "version":
			return l.take(&l.tree[at].Version)
		case "dev":
			return l.take(&dev)
		case "optional":
			return l.take(&optional)
		case "dependencies":
			return l.object(func(name string, line int) error { return l.branch(name, line, "nested") })
		}
		return l.skip()
	})
	switch {
	case group != "":
	case dev:
		l.tree[at].Group = "dev"
	case optional:
		l.tree[at].Group = "optional"
	}
	return err
}
