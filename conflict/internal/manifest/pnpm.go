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
	*reading
	section string
	current *code.Dependency // the package whose fields are read
	opened  textLine         // the last key without a value, below which fields stand
}

func readPnpmLock(r *reading) {
	p := pnpmLock{reading: r}
	for l := range blockLines(r.data) {
		p.line(l)
	}
	r.Dependencies = onceEach(r.Dependencies)
}

func (p *pnpmLock) line(l textLine) {
	key, value, ok := l.keyValue()
	inPackages := p.section == "packages" && l.indent <= pnpmField
	switch {
	case !ok && (inPackages || l.indent == pnpmSection):
		p.fail(l.number, "%q is no key", l.text)
	case !ok:
	case l.indent == pnpmSection:
		p.section, p.current, p.opened = key, nil, textLine{}
		major, _, _ := strings.Cut(value, ".")
		if n, err := strconv.Atoi(major); key == "lockfileVersion" && (err != nil || n < oldestPnpm) {
			p.fail(l.number, "lockfileVersion %q is not read, only %d and later", value, oldestPnpm)
		}
	case p.section == "packages":
		p.inPackages(l, key, value)
	case value == "":
		p.opened = textLine{number: l.number, text: key}
	case key == "version" && strings.HasPrefix(value, "link:") && p.opened.text != "":
		// A project that another one of the workspace uses is none of the packages.
		p.Add(code.Dependency{Name: p.opened.text, Line: p.opened.number})
	}
}

func (p *pnpmLock) inPackages(l textLine, key, value string) {
	if l.indent == pnpmEntry {
		name, version := pnpmPackage(key)
		p.Add(code.Dependency{Name: name, Version: version, Line: l.number})
		p.current = &p.Dependencies[len(p.Dependencies)-1]
		return
	}
	switch {
	case l.indent != pnpmField || p.current == nil:
	case key == "name":
		p.current.Name = value
	case key == "version":
		p.current.Version = value
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
