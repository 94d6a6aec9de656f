package sandbox

import (
	"maps"
	"runtime"

	"golang.org/x/sys/unix"
)

// pathCall is a call that changes something at a path. What is given by number is an argument of the call.
type pathCall struct {
	at     []placeArgs
	change Change
	// flags is the argument that says what an open is for; 0: it is no open
	flags uint32
	// drops is the argument whose AT_REMOVEDIR makes the removal that of a folder
	drops uint32
	need  need
	// stays says that a link at the end is what is changed, not what it leads to
	stays bool
	// links is the argument whose AT_SYMLINK_NOFOLLOW says so
	links uint32
	// binds says that the place is the address of a socket
	binds bool
}

// placeArgs are the arguments that name a place: the folder that a path is relative to, or noArgument, and the path; a
// descriptor alone has no path.
type placeArgs struct{ folder, path int }

// The special arguments.
const (
	noArgument = -1
	inMemory   = 1 << 16 // flags lie where no filter sees them
	always     = 1 << 17 // there are no flags: the call always writes
)

// writeFlags are those by which an open writes or makes something.
const writeFlags = unix.O_ACCMODE | unix.O_CREAT | unix.O_TRUNC

// need is what a call fails without, whatever the fence: then nothing was refused.
type need int

const (
	nothing need = iota
	existing
	absent
)

// pathCalls are the calls by number. Those that set times alone are not among them: git tries that at every object that
// is there already, and lives without it.
func pathCalls() map[uint32]pathCall {
	one := func(folder, path int) []placeArgs { return []placeArgs{{folder, path}} }
	two := []placeArgs{{0, 1}, {2, 3}}
	fd := one(0, noArgument)
	calls := map[uint32]pathCall{
		unix.SYS_OPENAT:        {at: one(0, 1), change: Content, flags: 2},
		unix.SYS_OPENAT2:       {at: one(0, 1), change: Content, flags: inMemory},
		unix.SYS_MKDIRAT:       {at: one(0, 1), change: MakesFolder, need: absent, stays: true},
		unix.SYS_MKNODAT:       {at: one(0, 1), change: Content, need: absent, stays: true},
		unix.SYS_SYMLINKAT:     {at: one(1, 2), change: Content, need: absent, stays: true},
		unix.SYS_LINKAT:        {at: one(2, 3), change: Content, need: absent, stays: true},
		unix.SYS_UNLINKAT:      {at: one(0, 1), change: Content, need: existing, stays: true, drops: 2},
		unix.SYS_RENAMEAT:      {at: two, change: Content, stays: true},
		unix.SYS_RENAMEAT2:     {at: two, change: Content, stays: true},
		unix.SYS_TRUNCATE:      {at: one(noArgument, 0), change: Content, need: existing},
		unix.SYS_FCHMOD:        {at: fd, change: ChangesModes},
		unix.SYS_FCHOWN:        {at: fd, change: ChangesModes},
		unix.SYS_FSETXATTR:     {at: fd, change: ChangesModes},
		unix.SYS_FREMOVEXATTR:  {at: fd, change: ChangesModes},
		unix.SYS_FCHMODAT:      {at: one(0, 1), change: ChangesModes, need: existing},
		unix.SYS_FCHMODAT2:     {at: one(0, 1), change: ChangesModes, need: existing, links: 3},
		unix.SYS_FCHOWNAT:      {at: one(0, 1), change: ChangesModes, need: existing, links: 4},
		unix.SYS_SETXATTR:      {at: one(noArgument, 0), change: ChangesModes, need: existing},
		unix.SYS_LSETXATTR:     {at: one(noArgument, 0), change: ChangesModes, need: existing, stays: true},
		unix.SYS_SETXATTRAT:    {at: one(0, 1), change: ChangesModes, need: existing, links: 2},
		unix.SYS_REMOVEXATTR:   {at: one(noArgument, 0), change: ChangesModes, need: existing},
		unix.SYS_LREMOVEXATTR:  {at: one(noArgument, 0), change: ChangesModes, need: existing, stays: true},
		unix.SYS_REMOVEXATTRAT: {at: one(0, 1), change: ChangesModes, need: existing, links: 2},
		unix.SYS_FILE_SETATTR:  {at: one(0, 1), change: ChangesModes, need: existing, links: 4},
		unix.SYS_BIND:          {at: one(noArgument, 1), change: Content, need: absent, stays: true, binds: true},
	}
	maps.Copy(calls, olderPathCalls())
	return calls
}

// olderPathCalls are those that x86-64 has beside, by their numbers: package unix has no names for them on arm64.
func olderPathCalls() map[uint32]pathCall {
	if runtime.GOARCH != "amd64" {
		return nil
	}
	const (
		open, rename, mkdir, rmdir, creat, link, unlink, symlink = 2, 82, 83, 84, 85, 86, 87, 88
		chmod, chown, lchown, mknod                              = 90, 92, 94, 133
	)
	first, second := []placeArgs{{noArgument, 0}}, []placeArgs{{noArgument, 1}}
	both := []placeArgs{{noArgument, 0}, {noArgument, 1}}
	return map[uint32]pathCall{
		open:    {at: first, change: Content, flags: 1},
		creat:   {at: first, change: Content, flags: always},
		rename:  {at: both, change: Content, stays: true},
		mkdir:   {at: first, change: MakesFolder, need: absent, stays: true},
		rmdir:   {at: first, change: DropsFolder, need: existing, stays: true},
		link:    {at: second, change: Content, need: absent, stays: true},
		unlink:  {at: first, change: Content, need: existing, stays: true},
		symlink: {at: second, change: Content, need: absent, stays: true},
		mknod:   {at: first, change: Content, need: absent, stays: true},
		chmod:   {at: first, change: ChangesModes, need: existing},
		chown:   {at: first, change: ChangesModes, need: existing},
		lchown:  {at: first, change: ChangesModes, need: existing, stays: true},
	}
}
