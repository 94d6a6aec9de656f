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
//	answer input            git's answers, taken strictly; git's line-based and -z input
//	cache repo quarantine   what is remembered of objects; a repository; objects in a folder of their own
//	command query open      one run of git; one question to git; finding the repository of a folder
//	config reflog refs      settings; the record of a reference; references and HEAD
//	pointers                the files that tie a checkout to its repository
//	catfile trees objects   many objects from one git; trees and files; which objects can be read
//	index operation         the index; the merge or rebase under way
//	diff history mergebases two trees; commits and what they changed; best common ancestors
//	differing limits snapshot checkout   the checkout's files: their names, their sizes, as a tree, and written
//	merge commits worktrees mergefile    two commits; making commits; making checkouts; one file
//	importlimits import     how objects in a quarantine become the repository's
package git
