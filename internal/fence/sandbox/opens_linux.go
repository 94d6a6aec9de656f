package sandbox

import (
	"path/filepath"
	"slices"
	"strings"

	"delegate/scope"

	"golang.org/x/sys/unix"
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
	defer places.close()
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

// realPlaces are the folders that were followed already: hundreds of places lie in a few. Its folders are open until
// close.
type realPlaces map[string]realFolder

// realFolder is a folder without links, "" where it is not there, and a descriptor of it, -1 where it cannot be opened.
type realFolder struct {
	path string
	fd   int
}

func (r realPlaces) close() {
	for _, f := range r {
		if f.fd >= 0 {
			_ = unix.Close(f.fd)
		}
	}
}

// of is the place without links, or as it is where it is not there.
func (r realPlaces) of(path string) string {
	if full, _ := r.follow(path); full != "" {
		return full
	}
	return path
}

// follow is the place without links and its mode, "" where it is not there.
func (r realPlaces) follow(path string) (full string, mode uint32) {
	folder, name := filepath.Split(path)
	if name == "" || !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return followWhole(path)
	}
	in := r.folder(filepath.Clean(folder))
	if in.path == "" {
		return "", 0
	}
	if full = filepath.Join(in.path, name); in.fd < 0 {
		name = full
	}
	var is unix.Stat_t
	if unix.Fstatat(in.fd, name, &is, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return "", 0
	}
	if is.Mode&unix.S_IFMT == unix.S_IFLNK {
		return followWhole(full)
	}
	return full, is.Mode
}

func (r realPlaces) folder(path string) realFolder {
	f, known := r[path]
	if known {
		return f
	}
	f.fd = -1
	if f.path, _ = r.follow(path); f.path != "" {
		if fd, err := unix.Open(f.path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
			f.fd = fd
		}
	}
	r[path] = f
	return f
}

func followWhole(path string) (full string, mode uint32) {
	full, err := filepath.EvalSymlinks(path)
	var is unix.Stat_t
	if err != nil || unix.Lstat(full, &is) != nil {
		return "", 0
	}
	return full, is.Mode
}
