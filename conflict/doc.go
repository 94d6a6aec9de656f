// Package conflict finds conflicts between two sets of changes, such as two branches: textual conflicts that git
// reports, and semantic ones that git merges without a word, such as a function that one side renames and the other
// calls.
//
//	findings, err := conflict.Run(ctx, conflict.Request{
//		Pairs:     []conflict.Pair{{A: ours, B: theirs, Merge: merge}},
//		Analyzers: conflict.Analyzers(),
//		Checkers:  []conflict.Checker{conflict.GoChecker(conflict.GoOptions{})},
//	})
//
// Analyzers read the changes of both sides and report what they suspect, as a [Finding]. Checkers, such as Go's type
// checker, then confirm or refute the suspicions on the merged tree. A finding is data; an error means that the
// analysis did not complete, so that a merge should not go on, as for a blocking finding.
//
// The package does not run git. The caller passes the changes of each side, and the result of git's own merge, as data.
// worktree.Repository.Changes returns the changes between two commits.
package conflict
