package manifest

import (
	"strconv"
	"strings"

	"delegate/conflict/code"
)

// The indentation of pnpm's lock file.
const (
	pnpmSection = 0
	pnpmEntry   = 2
	pnpmField   = 4
)

// oldestPnpm is the first lockfileVersion that is read: before, versions stood behind a slash.
const oldestPnpm = 6

// pnpmLock reads pnpm's lock file: the packages, and of the projects in the workspace what they link to.
type pnpmLock struct {
	file    code.Manifest
	section string
	current *code.Dependency // the package whose fields are read
	opened  textLine         // the last key without a value, below which fields stand
}

func readPnpmLock(data []byte) (code.Manifest, error) {
	p := pnpmLock{file: code.Manifest{Ecosystem: NPM, Lock: true}}
	for l := range blockLines(data) {
		if err := p.line(l); err != nil {
			return p.file, err
		}
	}
	p.file.Dependencies = onceEach(p.file.Dependencies)
	return p.file, nil
}

func (p *pnpmLock) line(l textLine) error {
	key, value, ok := l.keyValue()
	inPackages := p.section == "packages" && l.indent <= pnpmField
	switch {
	case !ok && (inPackages || l.indent == pnpmSection):
		return faultAt(l.number, "%q is no key", l.text)
	case !ok:
		return nil
	case l.indent == pnpmSection:
		p.section, p.current, p.opened = key, nil, textLine{}
		return pnpmVersion(l.number, key, value)
	case p.section == "packages":
		p.inPackages(l, key, value)
	case value == "":
		p.opened = textLine{number: l.number, text: key}
	case key == "version" && strings.HasPrefix(value, "link:") && p.opened.text != "":
		// A project that another one of the workspace uses is none of the packages.
		p.file.Add("local", code.Dependency{Name: p.opened.text, Line: p.opened.number})
	}
	return nil
}

func pnpmVersion(line int, key, value string) error {
	major, _, _ := strings.Cut(value, ".")
	if n, err := strconv.Atoi(major); key == "lockfileVersion" && (err != nil || n < oldestPnpm) {
		return faultAt(line, "lockfileVersion %q is not read, only %d and later", value, oldestPnpm)
	}
	return nil
}

func (p *pnpmLock) inPackages(l textLine, key, value string) {
	if l.indent == pnpmEntry {
		name, version := pnpmPackage(key)
		p.file.Add("", code.Dependency{Name: name, Version: version, Line: l.number})
		p.current = &p.file.Dependencies[len(p.file.Dependencies)-1]
		if isLocal(version) {
			p.current.Group = "local"
		}
		return
	}
	switch {
	case l.indent != pnpmField || p.current == nil:
	case key == "name":
		p.current.Name = value
	case key == "version":
		p.current.Version = value
	case value == "true" && p.current.Group == "" && (key == "dev" || key == "optional"):
		p.current.Group = key
	}
}

// pnpmPackage splits a key such as "/@scope/name@1.2.3(peer@4.0.0)" or "host/name@1.2.3".
// Of a package that comes from no registry, the key may hold no name.
func pnpmPackage(key string) (name, version string) {
	key, _, _ = strings.Cut(strings.TrimPrefix(key, "/"), "(")
	if host, rest, ok := strings.Cut(key, "/"); ok && strings.Contains(host, ".") && !strings.ContainsAny(host, "@:") {
		key = rest
	}
	name, version, ok := cutSpec(key)
	if !ok {
		return "", key
	}
	return name, version
}
