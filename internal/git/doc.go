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
// Each file uses only files that stand above it:
//
//	answer command repo     git's answers and its input; one run of git, one question; a repository, its quarantine
//	config refs worktrees   settings; references, HEAD and their record; checkouts and what ties them to it
//	objects trees           many objects from one git, which can be read; trees, and making commits
//	diff history            two trees; commits, what they changed, best common ancestors
//	checkout snapshot       the checkout's index and files; these as a tree, with their names and sizes
//	merge import            two commits or one file; how objects in a quarantine become the repository's
package git
