package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/scope"
)

// Change is what is done to a place of the file system.
type Change string

// The changes.
const (
	Content      Change = "content" // a file is made, written, moved or removed
	MakesFolder  Change = "makes folder"
	DropsFolder  Change = "drops folder" // removed, or moved to elsewhere
	ChangesModes Change = "modes"        // also owners and times
)

// allows reports whether places below an opening of the kind can be changed so.
func (k Kind) allows(c Change) bool {
	switch c {
	case MakesFolder:
		return k == Whole || k == Deep
	case DropsFolder:
		return k == Whole
	}
	return true
}

// Opens reports whether the fence of this policy lets a place be changed. The path is absolute and leads over no link.
// It is for telling what was tried: mounts and Landlock decide, and a test holds that they agree with this.
func (p Policy) Opens(place string, c Change) bool {
	switch {
	case slices.Contains(devices(), place):
		return c == Content
	case slices.Contains(p.Fixed, place), slices.Contains(p.Programs, place), p.hides(place), !p.mountedWritable(place):
		return false
	case c == ChangesModes: // Landlock does not judge them
		return true
	}
	within := func(folder string) bool { return scope.Within(place, folder) }
	if slices.ContainsFunc(writable(p, Support{Namespaces: true}), within) {
		return true
	}
	return slices.ContainsFunc(p.Openings, func(o Opening) bool {
		return o.Kind.allows(c) && within(p.inWorktree(o.Path))
	})
}

func (p Policy) inWorktree(path string) string {
	return filepath.Join(p.Worktree, filepath.FromSlash(path))
}

// hides reports whether the place lies in what is hidden, and is not shown of it.
func (p Policy) hides(place string) bool {
	return slices.ContainsFunc(p.Hidden, func(hidden string) bool {
		return scope.Within(place, hidden) && !slices.ContainsFunc(p.Shown, func(shown string) bool {
			return strings.HasPrefix(shown, hidden+"/") && scope.Within(place, shown)
		})
	})
}

// mountedWritable reports whether the innermost mount of the policy around the place is writable.
func (p Policy) mountedWritable(place string) (open bool) {
	longest := -1
	lay := func(at string, access Access) {
		if scope.Within(place, at) && len(at) >= longest {
			longest, open = len(at), access == Held
		}
	}
	for _, folder := range append(writable(p, Support{Namespaces: true}), p.Worktree) {
		lay(folder, Held)
	}
	for _, b := range p.Binds {
		lay(b.To, b.Access)
	}
	for _, s := range p.Seals {
		lay(p.inWorktree(s.Path), s.Access)
	}
	return open
}

// withoutLinks is the policy with its places as the kernel names them.
func (p Policy) withoutLinks() Policy {
	places := realPlaces{}
	real := func(paths ...string) []string {
		all := slices.Clone(paths)
		for i, path := range all {
			all[i] = places.of(path)
		}
		return all
	}
	p.Worktree = real(p.Worktree)[0]
	p.Writable, p.Fixed, p.Hidden = real(p.Writable...), real(p.Fixed...), real(p.Hidden...)
	p.Shown, p.Programs = real(p.Shown...), real(p.Programs...)
	p.Binds, p.Caches = slices.Clone(p.Binds), slices.Clone(p.Caches)
	for i := range p.Binds {
		p.Binds[i].To = real(p.Binds[i].To)[0]
	}
	for i := range p.Caches {
		p.Caches[i].Path = real(p.Caches[i].Path)[0]
	}
	return p
}

// realPlaces are the folders that were followed already, "" for those that are not there: hundreds of places lie in a
// few.
type realPlaces map[string]string

// of is the place without links, or as it is where it is not there.
func (r realPlaces) of(path string) string {
	if full := r.follow(path); full != "" {
		return full
	}
	return path
}

// follow is the place without links, "" where it is not there.
func (r realPlaces) follow(path string) string {
	folder, name := filepath.Split(path)
	if name == "" || !filepath.IsAbs(path) || filepath.Clean(path) != path {
		full, _ := filepath.EvalSymlinks(path) // "" with an error
		return full
	}
	folder = filepath.Clean(folder)
	in, known := r[folder]
	if !known {
		in = r.follow(folder)
		r[folder] = in
	}
	if in == "" {
		return ""
	}
	full := filepath.Join(in, name)
	info, err := os.Lstat(full)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return ""
	}
	return full
}
