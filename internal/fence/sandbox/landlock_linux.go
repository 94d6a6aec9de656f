package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

func landlockVersion() int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return abi
}

// The rights that an opening gives.
const (
	rightsFile  = landlock.AccessFSSet(ll.AccessFSWriteFile | ll.AccessFSTruncate)
	rightsFiles = rightsFile | ll.AccessFSMakeReg | ll.AccessFSMakeSym | ll.AccessFSRemoveFile
	rightsDeep  = rightsFiles | ll.AccessFSMakeDir | ll.AccessFSMakeFifo | rightsSocket | ll.AccessFSRefer
	rightsWhole = rightsDeep | ll.AccessFSRemoveDir
	rightsOwn   = rightsWhole | ll.AccessFSIoctlDev
	// a program speaks with its own parts there
	rightsSocket = ll.AccessFSMakeSock | accessResolveUnix
)

// accessResolveUnix is the right to reach a socket by its path, which kernels hold from version resolvesUnix on.
const accessResolveUnix = landlock.AccessFSSet(1 << 16)

// rights that a version knows.
func known(version int) landlock.AccessFSSet {
	all := rightsWhole&^accessResolveUnix | ll.AccessFSMakeChar | ll.AccessFSMakeBlock
	if version < 2 {
		all &^= ll.AccessFSRefer
	}
	if version < 3 {
		all &^= ll.AccessFSTruncate
	}
	if version >= 5 {
		all |= ll.AccessFSIoctlDev
	}
	if version >= resolvesUnix {
		all |= accessResolveUnix
	}
	return all
}

// restrict is the one Landlock restriction: a second one would forbid moving files between folders.
// Reading is not restricted, nor is the network, which a namespace holds where it is asked for.
func restrict(p Policy, s Support) error {
	handled := known(s.Landlock)
	args := []any{handled}
	if s.Landlock >= 6 {
		args = append(args, landlock.ScopedSet(ll.ScopeAbstractUnixSocket|ll.ScopeSignal))
	}
	config, err := landlock.NewConfig(args...)
	if err != nil {
		return fmt.Errorf("prepare Landlock: %w", err)
	}
	var rules []landlock.Rule
	for _, folder := range writable(p, s) {
		rules = append(rules, landlock.PathAccess(rightsOwn&handled, folder).IgnoreIfMissing())
	}
	for _, device := range devices() {
		rules = append(rules, landlock.PathAccess((rightsFile|ll.AccessFSIoctlDev)&handled, device).IgnoreIfMissing())
	}
	for _, socket := range p.openSockets() {
		rules = append(rules, landlock.PathAccess(accessResolveUnix&handled, socket).IgnoreIfMissing())
	}
	for _, folder := range nameServices() {
		rules = append(rules, landlock.PathAccess(accessResolveUnix&handled, folder).IgnoreIfMissing())
	}
	root, err := openRoot(p.Worktree)
	if err != nil {
		return err
	}
	defer unix.Close(root)
	grants := opened(p)
	if !s.Namespaces {
		if grants, err = grantsAlone(p); err != nil {
			return err
		}
	}
	for _, g := range grants {
		fd, err := openBelow(root, g.path)
		if err != nil {
			continue // it is not there, or leads elsewhere: nothing is granted
		}
		defer unix.Close(fd)
		rules = append(rules, landlock.PathAccess(g.rights&handled, "/proc/self/fd/"+strconv.Itoa(fd)))
	}
	if err := config.Restrict(rules...); err != nil {
		return fmt.Errorf("restrict by Landlock: %w", err)
	}
	return nil
}

// writable are the folders outside of the worktree in which everything may be done.
func writable(p Policy, s Support) []string {
	all := slices.Clone(p.Writable)
	for _, c := range p.Binds {
		if c.Access == Held {
			all = append(all, c.To)
		}
	}
	if s.Namespaces {
		for _, c := range p.Caches {
			all = append(all, c.Path)
		}
		all = append(all, "/dev/pts", "/dev/shm")
	}
	return all
}

func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}
}

// grant is a place of the worktree with what may be done there.
type grant struct {
	path   string
	rights landlock.AccessFSSet
}

// rightsAt are the rights at an opening.
var rightsAt = map[Kind]landlock.AccessFSSet{Whole: rightsWhole, Files: rightsFiles, Deep: rightsDeep}

// opened are the openings, where mounts seal what they hold too much of.
func opened(p Policy) []grant {
	var all []grant
	for _, o := range p.Openings {
		all = append(all, grant{o.Path, rightsAt[o.Kind]})
	}
	return all
}

// grantsAlone are the places that can be opened where nothing can be closed inside them: folders without
// a sealed place, else what is in them.
func grantsAlone(p Policy) ([]grant, error) {
	root, err := os.OpenRoot(p.Worktree)
	if err != nil {
		return nil, fmt.Errorf("open worktree: %w", err)
	}
	defer root.Close()
	makeOpenings(root, p)
	t := grantBuilder{root: root, sealed: map[string]bool{}, above: map[string]bool{}}
	for _, s := range p.Seals {
		if s.Access == ReadOnly && !s.BestEffort {
			t.sealed[s.Path] = true
			for at := s.Path; at != ""; {
				at = parent(at)
				t.above[at] = true
			}
		}
	}
	for _, o := range p.Openings {
		t.grant(o.Path, o.Kind)
	}
	return t.grants, nil
}

type grantBuilder struct {
	root   *os.Root
	sealed map[string]bool
	above  map[string]bool // folders with a sealed place somewhere below
	grants []grant
}

func (t *grantBuilder) grant(folder string, kind Kind) {
	if t.sealed[folder] {
		return
	}
	if !t.above[folder] {
		t.grants = append(t.grants, grant{folder, rightsAt[kind]})
		return
	}
	dir, err := t.root.Open(filepath.FromSlash(cmp.Or(folder, ".")))
	if err != nil {
		return // it is not there
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return
	}
	for _, e := range entries {
		at := path.Join(folder, e.Name())
		switch {
		case t.sealed[at]:
		case e.Type().IsRegular():
			t.grants = append(t.grants, grant{at, rightsFile})
		case e.IsDir() && kind != Files:
			t.grant(at, kind)
		}
	}
}
