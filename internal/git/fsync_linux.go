package git

import "golang.org/x/sys/unix"

// oneWaitHolds reports whether waiting for one file on the disk is waiting for those written before it, too: these
// file systems write names and contents in their order. btrfs for one does not.
func oneWaitHolds(folder string) bool {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return false
	}
	switch uint32(s.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return true
	}
	return false
}
