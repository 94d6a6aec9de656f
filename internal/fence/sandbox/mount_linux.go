package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// openRoot is a descriptor of the worktree by which its places are found.
func openRoot(worktree string) (int, error) {
	fd, err := unix.Open(worktree, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open %q: %w", worktree, err)
	}
	return fd, nil
}

// openBelow finds a place below the root without following a link, as one could have been put there to lead elsewhere.
func openBelow(root int, path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(root, cmp.Or(path, "."), &how)
	if err != nil {
		return -1, fmt.Errorf("open %q: %w", path, err)
	}
	return fd, nil
}

// builder lays the mounts of a policy in this process's own mount namespace.
type builder struct {
	policy  Policy
	support *Support
}

// Where the fence keeps what it lays over hidden places: an empty folder and a file that nobody can open.
const (
	emptyFolder = "/dev/.delegate/empty"
	closedFile  = "/dev/.delegate/closed"
)

// attached is a mount that is made and not yet anywhere.
type attached struct {
	fd int
	to string
}

// build makes everything read-only and then lays the writable and the hidden places over it, outer ones first.
func (b *builder) build() error {
	if err := b.prepare(); err != nil {
		return err
	}
	places, err := b.detach()
	if err != nil {
		return err
	}
	if err := b.foundation(); err != nil {
		return err
	}
	slices.SortStableFunc(places, func(x, y attached) int {
		return strings.Count(x.to, "/") - strings.Count(y.to, "/")
	})
	for _, place := range places {
		if err := attach(place.fd, place.to); err != nil {
			return err
		}
	}
	if err := b.sealAll(); err != nil {
		return err
	}
	for _, file := range b.policy.Fixed { // a rename over one is refused too
		if err := bindReadOnly(file, file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := b.hideAll(); err != nil {
		return err
	}
	if b.policy.Network.Mode != Open {
		err = raiseLoopback()
	}
	return errors.Join(err, ownNull())
}

// prepare makes the folders of the worktree that the policy needs and that are not there.
func (b *builder) prepare() error {
	root, err := os.OpenRoot(b.policy.Worktree)
	if err != nil {
		return fmt.Errorf("open worktree: %w", err)
	}
	defer root.Close()
	makeOpenings(root, b.policy)
	for _, s := range b.policy.Seals {
		if s.Make {
			if err := root.MkdirAll(filepath.FromSlash(s.Path), 0o755); err != nil {
				return fmt.Errorf("keep %q closed: %w", s.Path, err)
			}
		}
	}
	return nil
}

// makeOpenings makes the folders of openings that are not there. One that cannot be made grants nothing.
func makeOpenings(root *os.Root, p Policy) {
	for _, o := range p.Openings {
		if o.Path != "" {
			_ = root.MkdirAll(filepath.FromSlash(o.Path), 0o755)
		}
	}
}

// detach takes copies of the places that stay writable while they still are.
func (b *builder) detach() ([]attached, error) {
	var all []attached
	take := func(from, to string) error {
		if folder := Replaced(to); folder != "" {
			return fmt.Errorf("%q lies in %s, and inside is another %[2]s", to, folder)
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return fmt.Errorf("take %q: %w", from, err)
		}
		all = append(all, attached{fd, to})
		return nil
	}
	for _, folder := range append([]string{b.policy.Worktree}, b.policy.Writable...) {
		if err := take(folder, folder); err != nil {
			return nil, err
		}
	}
	for _, c := range b.policy.Binds {
		if err := take(c.From, c.To); err != nil {
			return nil, err
		}
		if err := setAccess(all[len(all)-1].fd, c.Access); err != nil {
			return nil, err
		}
	}
	b.support.Overlay = true
	for _, c := range b.policy.Caches {
		fd, err := overlay(c)
		if err == nil {
			all = append(all, attached{fd, c.Path})
			continue
		}
		if c.Spare {
			continue
		}
		b.support.Overlay = false // this file system cannot be a layer: the agent's own part alone is seen
		if err := take(c.Upper, c.Path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// foundation is what every fence stands on: nothing spreads, everything is read-only, devices and
// processes are the agent's own.
func (b *builder) foundation() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("separate mounts: %w", err)
	}
	nodes, err := takeDevices()
	if err != nil {
		return err
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return fmt.Errorf("make everything read-only: %w", err)
	}
	if err := ownDevices(nodes); err != nil {
		return err
	}
	const quiet = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("proc", "/proc", "proc", quiet, ""); err == nil {
		b.support.Proc = true
		// No namespaces inside: they would bring capabilities back, for nothing that an agent needs.
		if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
			return fmt.Errorf("forbid further namespaces: %w", err)
		}
		if err := shareWatches(); err != nil {
			return err
		}
		if err := unix.MountSetattr(unix.AT_FDCWD, "/proc", 0, &readOnly); err != nil {
			return fmt.Errorf("make /proc read-only: %w", err)
		}
	}
	return nil
}

// sealAll lays the policy's seals in the worktree.
func (b *builder) sealAll() error {
	root, err := openRoot(b.policy.Worktree)
	if err != nil {
		return err
	}
	defer unix.Close(root)
	seals := b.policy.Seals
	if b.support.Landlock == 0 { // mounts alone have to tell what is open
		seals = slices.Clone(seals)
		if err := setAccess(root, ReadOnly); err != nil {
			return err
		}
		for _, o := range slices.Backward(b.policy.Openings) {
			seals = slices.Insert(seals, 0, Seal{Path: o.Path, Access: Held})
		}
	}
	bare, putAway, err := b.bareWorktree()
	if err != nil {
		return err
	}
	for _, s := range seals {
		if s.Path == "" {
			err = setAccess(root, s.Access)
		} else {
			err = seal(bare, root, s)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, putAway())
}

// bareWorktree is a descriptor of the worktree as it is mounted at a place of its own, until that is put away. Whenever
// a copy is taken from a mount, the kernel goes through all that is laid over it: copies from here take no longer the
// more there are already.
func (b *builder) bareWorktree() (root int, putAway func() error, err error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, b.policy.Worktree,
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return -1, nil, fmt.Errorf("take %q: %w", b.policy.Worktree, err)
	}
	if err := attach(fd, emptyFolder); err != nil {
		return -1, nil, err
	}
	if root, err = openRoot(emptyFolder); err != nil {
		return -1, nil, err
	}
	return root, func() error {
		if err := errors.Join(unix.Close(root), unix.Unmount(emptyFolder, unix.MNT_DETACH)); err != nil {
			return fmt.Errorf("put the worktree's copy away: %w", err)
		}
		return nil
	}, nil
}

// seal lays a copy of a place, as it is in the bare worktree, over the one below the root.
func seal(bare, root int, s Seal) error {
	from, err := openBelow(bare, s.Path)
	if err != nil {
		return err
	}
	defer unix.Close(from)
	at, err := openBelow(root, s.Path)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	copied, err := unix.OpenTree(from, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	if err != nil {
		return fmt.Errorf("seal %q: %w", s.Path, err)
	}
	defer unix.Close(copied)
	if err := setAccess(copied, s.Access); err != nil {
		return fmt.Errorf("seal %q: %w", s.Path, err)
	}
	if err := unix.MoveMount(copied, "", at, "",
		unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("seal %q: %w", s.Path, err)
	}
	return nil
}

func setAccess(mount int, access Access) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if access == Held {
		attr = unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	}
	if err := unix.MountSetattr(mount, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return fmt.Errorf("change mount: %w", err)
	}
	return nil
}

// hideAll lays something over each hidden place, outer ones first: what lies in one that is not shown is then gone.
func (b *builder) hideAll() error {
	shown := ways(slices.Concat(b.policy.Shown, b.policy.Sockets))
	for _, place := range b.hiddenThere() {
		if _, err := os.Lstat(place.path); err != nil {
			continue // it went, as with an outer one
		}
		if err := hide(place.path, place.folder, shown); err != nil && !isGone(place.path) { // a socket comes and goes
			return err
		}
	}
	for _, program := range b.policy.Programs {
		if isGone(program) {
			continue
		}
		if err := bindReadOnly(b.policy.Stub, program); err != nil {
			return err
		}
	}
	return nil
}

// hiddenPlace is a place that is there, without links.
type hiddenPlace struct {
	path   string
	folder bool
}

// hiddenThere are the hidden places that are there and not to be reached, outer ones first.
func (b *builder) hiddenThere() (there []hiddenPlace) {
	places := realPlaces{}
	defer places.close()
	for _, path := range b.policy.Hidden {
		if at, mode := places.follow(path); at != "" && !slices.Contains(b.policy.Sockets, path) {
			there = append(there, hiddenPlace{at, mode&unix.S_IFMT == unix.S_IFDIR})
		}
	}
	slices.SortStableFunc(there, func(x, y hiddenPlace) int {
		return strings.Count(x.path, "/") - strings.Count(y.path, "/")
	})
	return there
}

// hide lays over one place what shows of it only those of shown that lie in it.
func hide(path string, folder bool, shown []string) error {
	if !folder {
		return bindReadOnly(closedFile, path)
	}
	inside := slices.DeleteFunc(slices.Clone(shown), func(at string) bool { return !strings.HasPrefix(at, path+"/") })
	if len(inside) == 0 {
		return bindReadOnly(emptyFolder, path)
	}
	return hideExcept(path, inside)
}

func isGone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// hideExcept lays a folder over another in which nothing is but what is shown of it, as it is mounted now. What is
// shown is sorted, and has no links but as its last part.
func hideExcept(folder string, shown []string) error {
	var places []attached
	links := map[string]string{}
	for _, at := range shown {
		if target, err := os.Readlink(at); err == nil {
			links[at] = target
			continue
		}
		if slices.ContainsFunc(places, func(outer attached) bool { return Contains(outer.to, at) }) {
			continue // it comes with that one
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, at, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("show %q: %w", at, err)
		}
		places = append(places, attached{fd, at})
	}
	if err := unix.Mount("tmpfs", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=1m"); err != nil {
		return fmt.Errorf("hide %q: %w", folder, err)
	}
	for _, place := range places {
		if err := makeMountPoint(place); err != nil {
			return err
		}
		if err := attach(place.fd, place.to); err != nil {
			return err
		}
	}
	for at, target := range links {
		if _, err := os.Lstat(at); err == nil {
			continue // it came with a folder
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(target, at)); err != nil {
			return fmt.Errorf("show %q: %w", at, err)
		}
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, folder, 0, &attr); err != nil {
		return fmt.Errorf("hide %q: %w", folder, err)
	}
	return nil
}

// makeMountPoint makes what a place can be attached to: a folder for a folder, else a file.
func makeMountPoint(place attached) error {
	var info unix.Stat_t
	if err := unix.Fstat(place.fd, &info); err != nil {
		return fmt.Errorf("show %q: %w", place.to, err)
	}
	if info.Mode&unix.S_IFMT == unix.S_IFDIR {
		return os.MkdirAll(place.to, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(place.to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(place.to, nil, 0o600)
}

// bindReadOnly shows one path, as it is, read-only in the place of another.
func bindReadOnly(from, to string) error {
	fd, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return fmt.Errorf("lay %q over %q: %w", from, to, err)
	}
	if err := setAccess(fd, ReadOnly); err != nil {
		return fmt.Errorf("lay %q over %q: %w", from, to, err)
	}
	return attach(fd, to)
}

func attach(fd int, to string) error {
	defer unix.Close(fd)
	if err := unix.MoveMount(fd, "", unix.AT_FDCWD, to,
		unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_SYMLINKS); err != nil {
		return fmt.Errorf("lay mount over %q: %w", to, err)
	}
	return nil
}
