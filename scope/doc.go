// Package scope decides which paths somebody may write, and whether two scopes have a path in common.
//
//	s, err := scope.New(scope.Config{Allowed: []string{"src/limit/**"}, Forbidden: []string{"**/*_generated.go"}})
//	if err != nil {
//		return err // a *scope.FaultsError with every invalid pattern
//	}
//	v := s.Check("src/main.go") // v.Allowed is false; v.String() says why
//
// A scope is a list of allowed and a list of forbidden globs. A path that matches both is forbidden, and a few paths
// are forbidden in every scope (see [AlwaysForbidden]).
//
// The package compares names and never reads a file system. The caller resolves symbolic links, finds the real case of
// a name on a file system that ignores case, and checks both paths of a rename.
//
// # Globs
//
// A glob is anchored at the root of the repository, and its separator is "/" on every platform:
//
//	?        one character of a segment
//	*        any run of characters, also none, within a segment; a leading dot is matched too, as git pathspecs do
//	[a-z_]   one character of the class; [!a] and [^a] are its complement; never "/"
//	**       as a whole segment: any number of segments, also none; at the end of a glob: one or more
//	{a,b}    alternatives; they may nest and contain "/" and globs
//	\x       the character x itself, where x is a space or a punctuation character other than "/", "." and "_"
//	dir/     dir and everything below it
//
// It follows that "dir/**" is everything below dir but not dir,
// that "**/x" matches x at the root, that "a/**/b" matches a/b,
// and that "src" without a slash is the path src alone: write "src/" or "src/**" for the folder.
// Stars glued to other characters ("a**b") or more than two of them are one "*".
// Matching is case-sensitive.
// A "." segment and an empty segment are dropped, so "./a//b" is "a/b".
//
// Braces are expanded first, as the shell does, but a class is one unit: a brace or a comma in it is a character.
// Patterns that other tools read in another way are errors:
// an absolute pattern, "..", a backslash as separator, a leading "!" (it does not negate),
// braces around a single alternative ("{name}", "{1..3}"), named classes ("[[:alpha:]]").
//
// # Implementation
//
// [Pattern.Match] runs gobwas/glob on the segments of the normalised pattern. [Overlap] intersects automata built from
// the same segments, because the path it looks for need not exist. Tests compare both with each other and with a naive
// matcher.
//
// All functions are safe for concurrent use, and all values are immutable.
package scope
