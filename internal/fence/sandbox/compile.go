package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"delegate/scope"
)

// Bounds of what is looked at and sealed in one worktree. An opening that needs more is none: an
// agent could use them up to lay something else bare.
const (
	mostSealed = 16_384
	mostWalked = 500_000
)

// Compile says where in the worktree the scope lets its agent write. It reads the worktree, since a
// kernel knows places and no patterns: what a pattern excludes is sealed where it exists, and what
// is to come is named in Loose. scratch are folders that git ignores and builds may fill, such as
// target; they are open unless the scope forbids them.
func Compile(s *scope.Scope, worktree string, scratch []string) (Policy, error) {
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return Policy{}, fmt.Errorf("compile sandbox policy: %w", err)
	}
	defer root.Close()
	c := &compiler{scope: s, root: root, seals: map[string]Seal{}}
	c.open(s.AllowedAreas(), scratch)
	c.forbid(s.ForbiddenAreas())
	c.sealAround("")
	c.openings = slices.DeleteFunc(c.openings, func(o Opening) bool {
		return o.Kind != Whole && !c.sealOthers(o.Path, o.Kind)
	})
	p := Policy{Worktree: worktree, Openings: c.openings, Loose: c.loose}
	for _, seal := range c.seals {
		p.Seals = append(p.Seals, seal)
	}
	sortSeals(p.Seals)
	return p, nil
}

// sortSeals puts outer seals before inner ones.
func sortSeals(seals []Seal) {
	slices.SortFunc(seals, func(a, b Seal) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), cmp.Compare(a.Path, b.Path))
	})
}

type compiler struct {
	scope    *scope.Scope
	root     *os.Root
	openings []Opening
	seals    map[string]Seal
	loose    []string
	walked   int
}

// open turns areas into openings: outer ones swallow inner ones, and what lies behind a link is none.
func (c *compiler) open(areas []scope.Area, scratch []string) {
	for _, a := range areas {
		o := Opening{Path: a.Path}
		switch a.Reach {
		case scope.Below:
			o.Kind = Whole
		case scope.Deep:
			o.Kind = Deep
		case scope.Names:
			o.Kind = Files
		case scope.Entry:
			if slices.Contains(areas, scope.Area{Path: a.Path, Reach: scope.Below}) {
				continue // a folder that is open anyway
			}
			o = Opening{Path: parent(a.Path), Kind: Files}
		}
		c.add(o)
	}
	for _, path := range scratch {
		if !c.scope.Forbids(path + "/x") {
			c.add(Opening{Path: path, Kind: Whole})
		}
	}
	slices.SortFunc(c.openings, func(a, b Opening) int { return cmp.Compare(a.Path, b.Path) })
	c.openings = slices.DeleteFunc(c.openings, func(o Opening) bool {
		return slices.ContainsFunc(c.openings, func(outer Opening) bool {
			return outer != o && scope.Within(o.Path, outer.Path) &&
				(outer.Kind == Whole || outer.Kind == Deep && o.Kind != Whole ||
					outer.Path == o.Path && o.Kind == Files)
		})
	})
}

func (c *compiler) add(o Opening) {
	if slices.Contains(c.openings, o) {
		return
	}
	if link := c.link(o.Path); link != "" {
		c.loose = append(c.loose, fmt.Sprintf("%s is no folder of the worktree's own: nothing in %s can be written",
			link, o.Path))
		return
	}
	c.openings = append(c.openings, o)
}

// link is the first part of the path that is there and is no folder; "" if a folder is there or can be made.
func (c *compiler) link(place string) string {
	if place == "" {
		return ""
	}
	at := ""
	for part := range strings.SplitSeq(place, "/") {
		at = path.Join(at, part)
		info, err := c.root.Lstat(filepath.FromSlash(at))
		if errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		if err != nil || !info.IsDir() {
			return at
		}
	}
	return ""
}

// sealOthers seals what lies in an opening of names and is not allowed. A folder that holds further
// openings is sealed around them. It answers false where that is too much.
func (c *compiler) sealOthers(folder string, kind Kind) bool {
	if kind == Files {
		c.sealMissing(folder)
	}
	entries, err := fs.ReadDir(c.root.FS(), cmp.Or(folder, "."))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) // nothing there yet, and nothing to seal
	}
	for _, e := range entries {
		at := path.Join(folder, e.Name())
		if c.walked++; c.walked > mostWalked || len(c.seals) >= mostSealed {
			c.loose = append(c.loose, fmt.Sprintf(
				"too many entries lie next to what may be written in %s: nothing there can be written",
				cmp.Or(folder, "the root")))
			return false
		}
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if !c.scope.Check(at).Allowed {
				c.loose = append(c.loose, fmt.Sprintf("the link %s could be replaced", at))
			}
		case !e.IsDir():
			if !c.scope.Check(at).Allowed {
				c.seal(at, ReadOnly)
			}
		case c.isOpen(at, Whole), c.isOpen(at, Files): // an opening of its own
		case kind == Deep || c.isOpen(at, Deep):
			if !c.sealOthers(at, Deep) {
				return false
			}
		default:
			c.sealFolder(at)
		}
	}
	return true
}

// sealMissing keeps those folders closed that are made on the way to openings below: what may be done in the folder
// could be done in them.
func (c *compiler) sealMissing(folder string) {
	for _, o := range c.openings {
		if o.Path == folder || !scope.Within(o.Path, folder) {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(o.Path, folder), "/"), "/")
		at := path.Join(folder, first)
		if _, err := c.root.Lstat(filepath.FromSlash(at)); errors.Is(err, fs.ErrNotExist) && at != o.Path {
			c.sealFolder(at)
		}
	}
}

// sealAround seals what lies beside the openings, on the way down to them. Landlock keeps it from
// being written anyway, but not its modes and times.
func (c *compiler) sealAround(folder string) {
	if slices.ContainsFunc(c.openings, func(o Opening) bool { return scope.Within(folder, o.Path) }) {
		return
	}
	entries, err := fs.ReadDir(c.root.FS(), cmp.Or(folder, "."))
	if err != nil {
		return // not there yet
	}
	for _, e := range entries {
		at := path.Join(folder, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0: // has neither mode nor content
		case !slices.ContainsFunc(c.openings, func(o Opening) bool { return scope.Within(o.Path, at) }):
			c.seal(at, ReadOnly)
		case e.IsDir():
			c.sealAround(at)
		}
	}
}

// sealFolder closes a folder in an opening of names, and opens again what is an opening inside.
func (c *compiler) sealFolder(folder string) {
	c.seal(folder, ReadOnly)
	for _, o := range c.openings {
		if o.Path == folder || strings.HasPrefix(o.Path, folder+"/") {
			c.seal(o.Path, Held)
		}
	}
}

func (c *compiler) isOpen(path string, kind Kind) bool {
	return slices.Contains(c.openings, Opening{Path: path, Kind: kind})
}

// forbid seals what the scope forbids inside of what is open: places by their names, existing or
// not, patterns where they match something now.
func (c *compiler) forbid(areas []scope.Area) {
	var patterns []scope.Area
	for _, a := range areas {
		if a.Reach == scope.Entry || a.Reach == scope.Below {
			c.forbidPlace(a.Path)
			continue
		}
		patterns = append(patterns, a)
	}
	c.openings = slices.DeleteFunc(c.openings, func(o Opening) bool {
		concerned := o.Kind == Whole && slices.ContainsFunc(patterns, func(a scope.Area) bool {
			return c.concerns(a, o)
		})
		return concerned && !c.sealForbidden(o.Path)
	})
}

// concerns reports whether a pattern of the person's own can match in the opening. That git's
// folders are forbidden at every depth is the gate's to hold.
func (c *compiler) concerns(a scope.Area, o Opening) bool {
	if a.Path == "" && a.Reach == scope.Deep && !slices.ContainsFunc(c.scope.Forbidden(), func(p string) bool {
		return strings.ContainsAny(p[:1], "*?[{")
	}) {
		return false
	}
	return scope.Within(a.Path, o.Path) || scope.Within(o.Path, a.Path)
}

func (c *compiler) forbidPlace(path string) {
	for _, o := range c.openings {
		inside := o.Path != path && scope.Within(path, o.Path)
		if scope.Within(o.Path, path) {
			c.seal(o.Path, ReadOnly) // nothing of the opening is allowed
			continue
		}
		if !inside || o.Kind == Files && parent(path) != o.Path || c.link(parent(path)) != "" {
			continue
		}
		for at := parent(path); at != o.Path && o.Kind == Whole; at = parent(at) {
			c.hold(at)
		}
		c.seal(path, ReadOnly)
	}
}

// hold keeps a folder on the way to a sealed place where it is.
func (c *compiler) hold(path string) {
	if _, sealed := c.seals[path]; !sealed {
		c.seal(path, Held)
	}
}

// sealForbidden seals what patterns forbid below an open folder, as far as it exists. It answers
// false where that is too much.
func (c *compiler) sealForbidden(folder string) bool {
	enough := true
	_ = fs.WalkDir(c.root.FS(), cmp.Or(folder, "."), func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == cmp.Or(folder, ".") {
			return nil
		}
		if c.walked++; c.walked > mostWalked || len(c.seals) >= mostSealed {
			c.loose = append(c.loose, fmt.Sprintf("too much is forbidden in %s: nothing there can be written",
				cmp.Or(folder, "the root")))
			enough = false
			return fs.SkipAll
		}
		forbids := c.scope.Forbids
		if d.IsDir() { // one that a pattern matches by its name may hold what is allowed
			forbids = c.scope.ForbidsBelow
		}
		if d.Type()&fs.ModeSymlink != 0 || !forbids(at) {
			return nil
		}
		for up := parent(at); up != folder; up = parent(up) {
			c.hold(up)
		}
		c.seal(at, ReadOnly)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	c.loose = append(c.loose, fmt.Sprintf("new files below %s that a forbidden pattern matches",
		cmp.Or(folder, "the root")))
	return enough
}

// seal notes what becomes of a path. Links are passed over: nothing can be laid over one.
func (c *compiler) seal(path string, access Access) {
	if before, known := c.seals[path]; known && before.Access == ReadOnly {
		return
	}
	info, err := c.root.Lstat(cmp.Or(filepath.FromSlash(path), "."))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.seals[path] = Seal{Path: path, Access: access, Make: true}
	case err == nil && info.Mode()&fs.ModeSymlink == 0:
		c.seals[path] = Seal{Path: path, Access: access}
	default:
		c.loose = append(c.loose, fmt.Sprintf("%s could be replaced", path))
	}
}

func parent(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}

// WholeCheckout is the policy of commands that may fill a whole checkout but not touch what ties it to its repository.
// With Landlock alone they may: a build that makes a folder beside `.git` could not go on else.
func WholeCheckout(worktree string) Policy {
	return Policy{Worktree: worktree, Openings: []Opening{{Kind: Whole}},
		Seals: []Seal{{Path: ".git", Access: ReadOnly, BestEffort: true}}}
}
