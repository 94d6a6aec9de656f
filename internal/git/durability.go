package git

import (
	"slices"
	"strings"

	"delegate/internal/atomicfile"
)

// durability says what git has on the disk before it gives it a name, whatever the configuration
// says: objects and references,
// so that after a power cut no name stands for an empty file. Many objects cost one wait (the method batch).
// An index of this program's own is made anew where it is lost, and what a quarantine holds need not outlive a crash.
func (r *Repo) durability(c call) []string {
	kinds := "loose-object,reference"
	own := "GIT_INDEX_FILE=" + r.IndexPath()
	switch {
	case r.Quarantined():
		return []string{"-c", "core.fsync=none"}
	case !slices.ContainsFunc(c.env, func(e string) bool {
		return strings.HasPrefix(e, "GIT_INDEX_FILE=") && e != own
	}):
		kinds += ",index"
	}
	// beside packs and their indexes, which git always syncs
	return []string{"-c", "core.fsync=" + kinds, "-c", "core.fsyncMethod=batch"}
}

// Sync returns once everything in the repository is on the disk: also names that git gave, for which it does not wait,
// and what another git wrote, such as that of an agent without a fence. Where only Linux has a call
// for that, git's own waiting is all.
func (r *Repo) Sync() error { return atomicfile.SyncAll(r.CommonDir) }
