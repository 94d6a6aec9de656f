// Package scope decides which paths somebody may write, and whether two scopes can meet.
//
// A scope is a list of allowed and a list of forbidden globs.
// Forbidden wins, and a few paths are forbidden in every scope (see [AlwaysForbidden]).
// The package judges names only, it never looks at a file system:
// what a symbolic link points at, which name a case-folding disk gives a file,
// and that a rename is two paths (both must be checked) is for the callers to find out.
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
// What a reader would take for something else is refused, not guessed:
// an absolute pattern, "..", a backslash as separator, a leading "!" (it does not negate),
// braces around a single alternative ("{name}", "{1..3}"), named classes ("[[:alpha:]]").
//
// # Two engines
//
// [Pattern.Match] runs gobwas/glob on the segments of the normalised form.
// [Overlap] runs an automaton over the same form, because it asks about paths that need not exist.
// The tests hold both to each other and to a naive matcher.
package scope
