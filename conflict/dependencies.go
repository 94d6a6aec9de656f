package conflict

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/manifest"
)

// requirement is what a side does to one dependency of one manifest.
type requirement struct {
	file     string // the manifest in the head
	base     string // and in the base
	lock     bool
	system   code.Ecosystem
	name     string
	Old, New []code.Dependency // in the base and the head; none where it is absent
}

// requirements compares the manifests that a side changes. One that cannot be read tells nothing
// and is noted as unread.
func (s *changes) requirements() []requirement {
	if s.required != nil {
		return *s.required
	}
	var all []requirement
	for _, f := range s.set.Files {
		if !manifest.IsManifest(f.Path) || !isText(f) || s.set.BaseFS == nil || s.set.HeadFS == nil {
			continue
		}
		old, oldErr := s.manifest(s.set.BaseFS, f.BasePath(), f.OldMode)
		new, newErr := s.manifest(s.set.HeadFS, f.Path, f.NewMode)
		if oldErr != nil || newErr != nil {
			continue
		}
		for _, r := range compareManifests(old, new) {
			r.file, r.base = f.Path, f.BasePath()
			all = append(all, r)
		}
	}
	s.required = &all
	return all
}

func (s *changes) manifest(files fs.FS, name string, mode uint32) (code.Manifest, error) {
	if mode == 0 {
		return code.Manifest{}, nil
	}
	data, _, err := readUpTo(s.set.Name, files, name, largestText)
	if err != nil {
		return code.Manifest{}, err
	}
	return manifest.Parse(name, data)
}

// compareManifests lists the dependencies whose versions differ.
func compareManifests(old, new code.Manifest) []requirement {
	before, after := byName(old), byName(new)
	var all []requirement
	for _, d := range slices.Concat(old.Dependencies, new.Dependencies) {
		a, b := before[d.Name], after[d.Name]
		if a == nil && b == nil || slices.Equal(versionsOf(a), versionsOf(b)) {
			continue
		}
		all = append(all, requirement{lock: old.Lock || new.Lock, system: cmp.Or(new.Ecosystem, old.Ecosystem),
			name: d.Name, Old: a, New: b})
		delete(before, d.Name)
		delete(after, d.Name)
	}
	return all
}

func byName(f code.Manifest) map[string][]code.Dependency {
	all := map[string][]code.Dependency{}
	for _, d := range f.Dependencies {
		all[d.Name] = append(all[d.Name], d)
	}
	return all
}

func versionsOf(all []code.Dependency) []string {
	versions := make([]string, len(all))
	for i, d := range all {
		versions[i] = d.Version
	}
	slices.Sort(versions)
	return slices.Compact(versions)
}

// versions reports dependencies that both sides set to different versions in one manifest, or in two manifests that are
// installed together. It found 7 of 168 breaks.
func (c *Direction) versions() {
	theirs := map[[2]string]requirement{}
	for _, r := range c.user.requirements() {
		theirs[[2]string{installedBy(r.base), r.name}] = r
	}
	byFile := map[string][][2]requirement{}
	var order []string
	for _, r := range c.by.requirements() {
		o, both := theirs[[2]string{installedBy(r.base), r.name}]
		if !both || slices.Equal(versionsOf(r.New), versionsOf(o.New)) || !r.lock && r.agrees(o) {
			continue
		}
		if len(r.New) == 0 || len(o.New) == 0 {
			continue // one removes it: that matters to those who import it
		}
		if byFile[r.base] == nil {
			order = append(order, r.base)
		}
		byFile[r.base] = append(byFile[r.base], [2]requirement{r, o})
	}
	for _, file := range order {
		c.found = append(c.found, c.versionFindings(byFile[file])...)
	}
}

// agrees reports whether each version that the one sets serves each that the other sets.
func (r requirement) agrees(o requirement) bool {
	for _, a := range versionsOf(r.New) {
		for _, b := range versionsOf(o.New) {
			if a != b && !agree(a, b) {
				return false
			}
		}
	}
	return true
}

// installedBy is what is installed together with a manifest: itself, or all of a folder's requirements*.txt.
func installedBy(file string) string {
	if base := path.Base(file); strings.HasPrefix(base, "requirements") && path.Ext(base) == ".txt" {
		return path.Dir(file) + "/requirements*.txt"
	}
	return file
}

// versionFindings makes one finding a dependency, and one in all for a lock file, whose lines follow from a manifest.
func (c *Direction) versionFindings(pairs [][2]requirement) []Finding {
	var found []Finding
	for _, p := range pairs {
		found = append(found, c.versionFinding(p[0], p[1]))
	}
	first := pairs[0][0]
	if !first.lock || len(pairs) == 1 {
		return found
	}
	f := found[0]
	f.Message = fmt.Sprintf("Both sides lock %d dependencies in %s to different versions, the first is %s.",
		len(pairs), quoted(first.base), first.name)
	for _, more := range found[1:] {
		f.Places = append(f.Places, more.Places...)
	}
	f.Advice = "Land one, then let the other make the lock file anew with its package manager. " + f.Advice
	return []Finding{f}
}

// line is where the side sets a version that the base does not have.
func (r requirement) line() int {
	before := versionsOf(r.Old)
	for _, d := range r.New {
		if !slices.Contains(before, d.Version) {
			return d.Line
		}
	}
	return r.New[0].Line
}

func (c *Direction) versionFinding(a, b requirement) Finding {
	f := c.suspicion(ImportConflict, Place{c.by.set.Name, a.file, a.line(), a.name}, nil, fmt.Sprintf(
		"%s requires %s at %s and %s at %s.", c.by.set.Name, a.name, strings.Join(versionsOf(a.New), ", "),
		c.user.set.Name, strings.Join(versionsOf(b.New), ", ")))
	f.Places = append(f.Places, Place{c.user.set.Name, b.file, b.line(), b.name})
	if !a.lock {
		where := "in " + quoted(a.file)
		if a.file != b.file {
			where += " and " + quoted(b.file)
		}
		f.instruct("Require one version of " + a.name + " " + where + ".")
	}
	return f
}

// lostDependencies reports dependencies that one side no longer requires and the other newly imports. It found 1 of 168
// breaks.
func (c *Direction) lostDependencies() {
	for _, r := range c.by.requirements() {
		if len(r.New) > 0 || r.lock || c.requires(r) {
			continue
		}
		uses := c.importsThat(func(imp code.Import, src *changedFile) bool {
			_, inside := relative(path.Dir(r.base), src.file.Path)
			return inside && src.language.Ecosystem == r.system && provides(r.system, r.name, imp) &&
				!c.foundElsewhere(r, imp, src)
		})
		c.tell(lostRequirement, Place{Agent: c.by.set.Name, Path: r.file, Symbol: r.name}, uses,
			"what", r.name).
			// Checkers of other languages find what lies on this machine, required or not.
			runtimeOnly = r.system != manifest.Go && r.system != manifest.Rust
	}
}

func provides(system code.Ecosystem, name string, imp code.Import) bool {
	return manifest.Provides(system, name, imp.Module) ||
		imp.Member != "" && manifest.Provides(system, name, imp.Module+"."+imp.Member)
}

// foundElsewhere reports whether the import leads to something without the dependency: a file of the project,
// the language's own library, or what another manifest on the way up from the source requires in the merged tree.
func (c *Direction) foundElsewhere(r requirement, imp code.Import, src *changedFile) bool {
	if src.language.Builtin != nil && src.language.Builtin(imp.Module) ||
		len(c.targets(src.file.Path, src.language, imp)) > 0 {
		return true
	}
	if c.merged.tree == nil {
		return false
	}
	for dir := path.Dir(src.file.Path); ; dir = path.Dir(dir) {
		nearest := false
		entries, err := fs.ReadDir(c.merged.tree, dir)
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if err != nil || e.IsDir() || !manifest.IsManifest(name) || !c.merged.knows(name) {
				continue
			}
			f, ok := c.merged.manifest(name)
			if !ok || f.Lock || f.Ecosystem != r.system {
				continue
			}
			nearest = true
			if slices.ContainsFunc(f.Dependencies, func(d code.Dependency) bool {
				return provides(r.system, d.Name, imp)
			}) {
				return true
			}
		}
		if dir == "." || nearest && r.system == manifest.Go {
			return false
		}
	}
}

func (m *merged) manifest(name string) (code.Manifest, bool) {
	data, ok, err := readUpTo("the merge", m.tree, name, largestText)
	if err != nil || !ok {
		return code.Manifest{}, false
	}
	f, err := manifest.Parse(name, data)
	return f, err == nil
}

// requires reports whether the user's side sets the dependency itself, which the merge keeps or cannot merge.
func (c *Direction) requires(r requirement) bool {
	return slices.ContainsFunc(c.user.requirements(), func(o requirement) bool {
		return o.name == r.name && o.system == r.system && len(o.New) > 0
	})
}
