//go:build !linux

package git

// oneWaitHolds reports whether waiting for one file on the disk is waiting for those written before it, too: git's
// own method is made for the usual file systems of these systems.
func oneWaitHolds(string) bool { return true }
