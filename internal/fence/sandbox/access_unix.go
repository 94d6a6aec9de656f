//go:build unix

package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// MayWrite returns why this process may not make files in a folder, as far as its permissions say; nil if it may.
func MayWrite(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }

// MayWriteWithin is MayWrite for a process of this user in the sandbox, where root has no more rights than others.
func MayWriteWithin(folder string) error {
	var s unix.Stat_t
	if err := unix.Stat(folder, &s); err != nil || os.Geteuid() != 0 {
		return cmp.Or(err, MayWrite(folder))
	}
	groups, _ := os.Getgroups() // without them its own group counts
	shift := 0
	switch {
	case s.Uid == 0:
		shift = 6
	case slices.Contains(append(groups, os.Getegid()), int(s.Gid)):
		shift = 3
	}
	if s.Mode>>shift&3 != 3 {
		return unix.EACCES
	}
	return MayWrite(folder)
}

// OtherOwner returns the name, or # and the number, of the user that a file belongs to, "" for the one of this process.
func OtherOwner(path string) string {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil || int(s.Uid) == os.Geteuid() {
		return ""
	}
	if found, err := user.LookupId(strconv.Itoa(int(s.Uid))); err == nil {
		return found.Username
	}
	return fmt.Sprint("#", s.Uid)
}
