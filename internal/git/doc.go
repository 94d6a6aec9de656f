// Package git is git as a library: typed operations, never argument lists.
//
// Only this package knows git's flags, its -z formats and its exit codes. It runs the git program
// (2.39 or newer) with every folder named explicitly and without the repository's hooks,
// file-system monitor and automatic gc, so that a file an agent could write (a worktree's `.git`
// pointer, a hook) does not decide what runs. Calls that only read take no optional locks; calls
// that write say so in their comment. Every git has a time limit, after which the error is a
// *run.TimeoutError. What it answers is taken strictly (*AnswerError).
//
// # Order of the files
//
// Each file uses those above it:
//
//	repo command answer     a repository; one run of git; an answer, taken strictly
//	config cache catfile    settings; what is remembered of objects; one git that reads many objects
//	refs trees objects      references; trees and files; which objects are here and can be read
//	history mergebases      commits and what they changed
//	diff merge mergefile    two trees; two commits; one file
//	index checkout          the index; the files of a checkout, and the operation under way in it
//	limits snapshot         the checkout's files as a tree
//	worktrees commits       making and removing checkouts; making commits
//	quarantine import       objects that an agent's git wrote, and how they become the repository's
package git
