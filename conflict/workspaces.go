package conflict

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/manifest"
)

// workspaceVersions reports dependencies that both sides take from one version to two different ones, each in another
// member of one workspace, whose members are installed together.
func (c *Direction) workspaceVersions() {
	for _, r := range c.by.requirements() {
		for _, o := range c.user.requirements() {
			if r.lock || o.lock || r.name != o.name || r.system != o.system || r.base == o.base ||
				len(r.New) == 0 || len(o.New) == 0 || len(r.Old) == 0 ||
				!slices.Equal(versionsOf(r.Old), versionsOf(o.Old)) || installedBy(r.base) == installedBy(o.base) {
				continue
			}
			at := c.by.workspaceOf(r)
			if at == "" || at != c.user.workspaceOf(o) || r.suits(versionsOf(o.New)) {
				continue
			}
			c.found = append(c.found, c.versionFinding(r, o))
		}
	}
}

// workspaceOf is the folder whose manifest makes the requirement's one a member of a workspace, "" for none.
func (s *changes) workspaceOf(r requirement) string {
	marks := map[code.Ecosystem][][2]string{
		manifest.Rust: {{"Cargo.toml", "[workspace"}},
		manifest.NPM:  {{"package.json", `"workspaces"`}, {"pnpm-workspace.yaml", "packages"}},
	}
	for dir := path.Dir(r.file); ; dir = path.Dir(dir) {
		for _, mark := range marks[r.system] {
			name := path.Join(dir, mark[0])
			if !exists(s.set.HeadFS, name) {
				continue
			}
			data, ok, err := readUpTo(s.set.Name, s.set.HeadFS, name, largestPlain)
			if err == nil && ok && strings.Contains(string(data), mark[1]) {
				return dir + "/" + mark[0]
			}
		}
		if dir == "." || dir == "/" {
			return ""
		}
	}
}

// suits reports whether each of the versions serves the requirement, as its package manager reads them. Cargo installs
// several versions of a package if they are no updates of each other.
func (r requirement) suits(versions []string) bool {
	for _, a := range versionsOf(r.New) {
		for _, b := range versions {
			x, y := requiredVersion(r.system, a), requiredVersion(r.system, b)
			if a == b || agree(x, y) {
				continue
			}
			mine, others := boundsOf(x), boundsOf(y)
			if mine == nil || others == nil || r.system == manifest.Rust &&
				!sameUpdates(mine[0].version, others[0].version) {
				continue
			}
			return false
		}
	}
	return true
}

// sameUpdates reports whether two versions count as updates of each other: they have the first part in common that is
// not zero.
func sameUpdates(a, b []int) bool {
	for i := range max(len(a), len(b)) {
		if x, y := component(a, i), component(b, i); x != y {
			return false
		} else if x != 0 {
			return true
		}
	}
	return true
}

// requiredVersion is the version of a requirement without where it comes from, with the operator that its package
// manager takes one without for.
func requiredVersion(system code.Ecosystem, version string) string {
	version = strings.TrimPrefix(version, "workspace:")
	if strings.HasPrefix(version, "=") && !strings.HasPrefix(version, "==") {
		version = "=" + version
	}
	if version, _, _ = strings.Cut(version, " "); system == manifest.Rust && version != "" &&
		version[0] >= '0' && version[0] <= '9' {
		return "^" + version
	}
	return version
}

// memberVersions reports packages of the repository that get another version, which a new requirement of the user does
// not admit.
func (c *Direction) memberVersions() {
	for _, f := range c.by.set.Files {
		if !manifest.IsManifest(f.Path) || !isText(f) || f.OldMode == 0 || f.NewMode == 0 || c.by.set.HeadFS == nil {
			continue
		}
		old, oldErr := c.by.manifest(c.by.set.BaseFS, f.BasePath(), f.OldMode)
		new, newErr := c.by.manifest(c.by.set.HeadFS, f.Path, f.NewMode)
		if oldErr != nil || newErr != nil || old.Own == "" || new.Own == "" || old.Own == new.Own ||
			old.Name != new.Name {
			continue
		}
		for _, o := range c.user.requirements() {
			if o.system != new.Ecosystem || o.name != new.Name || o.lock || len(o.New) == 0 ||
				!admitsOwn(o, old.Own) || admitsOwn(o, new.Own) {
				continue
			}
			at := Place{Agent: c.by.set.Name, Path: f.Path, Symbol: new.Name}
			finding := c.suspicion(ImportConflict, at, nil, fmt.Sprintf("%s gives %s the version %s, and %s newly "+
				"requires it at %s.", c.by.set.Name, new.Name, new.Own, c.user.set.Name,
				strings.Join(versionsOf(o.New), ", ")))
			finding.Places = append(finding.Places, Place{c.user.set.Name, o.file, o.line(), o.name})
			finding.instruct("Require " + new.Name + " at " + new.Own + " in " + quoted(o.file) + ".")
			c.found = append(c.found, finding)
		}
	}
}

// admitsOwn reports whether all that is required admits a version.
func admitsOwn(o requirement, version string) bool {
	bounds := boundsOf(version)
	if len(bounds) != 1 || bounds[0].relation != "==" {
		return true
	}
	for _, required := range versionsOf(o.New) {
		for _, b := range boundsOf(requiredVersion(o.system, required)) {
			if !b.admits(bounds[0].version) {
				return false
			}
		}
	}
	return true
}
