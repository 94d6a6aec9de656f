// Package record keeps the registry on disk, and never loses what was written to it.
//
// Every write happens under a lock: read again, restore what was lost, change, print, read back,
// compare, replace, remember. A file that does not parse is never overwritten. The last versions
// stay in a private folder. They show what a person edited between two writes, and they are taken
// back where the file vanished or jumped to an older state (git stash, switch, checkout). What
// leaves the registry, old rows and ended sessions, is in the archive first.
package record
