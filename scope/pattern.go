package scope

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// PathError says why CleanPath refused a path.
type PathError struct {
	// Path is the argument of CleanPath.
	Path string
	// Reason is a predicate about the path, such as "is empty".
	Reason string
}

// Error returns the quoted path and the reason.
func (e *PathError) Error() string { return fmt.Sprintf("path %q %s", e.Path, e.Reason) }

// CleanPath returns the canonical form of a path below the root of the repository:
// separated by "/", without empty segments, "." segments and a trailing "/".
//
// It returns a *PathError if the path is empty, absolute or the root itself, or contains ".." or a NUL byte. A ".."
// that stays inside the repository is an error too, because behind a symbolic link it can leave it. Every other byte
// is part of a name, as it is for git: newlines, backslashes, invalid UTF-8. On Windows, convert the path with
// filepath.ToSlash first.
func CleanPath(p string) (string, error) {
	switch {
	case p == "":
		return "", &PathError{Path: p, Reason: "is empty"}
	case p[0] == '/':
		return "", &PathError{Path: p, Reason: "is absolute, it must be relative to the root of the repository"}
	case strings.IndexByte(p, 0) >= 0:
		return "", &PathError{Path: p, Reason: "contains a NUL byte"}
	}
	for s := range strings.SplitSeq(p, "/") {
		if s == ".." {
			return "", &PathError{Path: p, Reason: `contains ".."`}
		}
	}
	clean := path.Clean(p) // without "..", and of no other bytes than "/" and "."
	if clean == "." {
		return "", &PathError{Path: p, Reason: "is the root of the repository, not a path below it"}
	}
	return clean, nil
}

// maxPattern bounds the bytes of one pattern.
const maxPattern = 4096

// Pattern is a parsed glob. The zero Pattern matches nothing.
type Pattern struct {
	written string
	globs   []*glob // its brace-free alternatives, no two alike
}

// PatternError says why a pattern is invalid.
type PatternError struct {
	// Field is the list that contains the pattern: "allowed", "forbidden", "allowed root" or "manager". It is empty if
	// ParsePattern was called.
	Field string
	// Pattern is the pattern as written.
	Pattern string
	// Reason is a predicate about the pattern that says what is wrong and what to write instead.
	Reason string
}

// Error returns the field, the quoted pattern and the reason.
func (e *PatternError) Error() string {
	field := e.Field
	if field != "" {
		field += " "
	}
	return fmt.Sprintf("%spattern %q %s", field, e.Pattern, e.Reason)
}

// ParsePattern parses a glob, by the grammar in the package comment. The error is a *PatternError.
//
// A pattern that matches everything is valid here, although New refuses it.
func ParsePattern(s string) (Pattern, error) {
	globs, reason := parse(s)
	if reason != "" {
		return Pattern{}, &PatternError{Pattern: s, Reason: reason}
	}
	return Pattern{written: s, globs: globs}, nil
}

// Literal returns the pattern that matches path and nothing else: path with its special characters escaped.
func Literal(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}",
		`\}`).Replace(path)
}

// String returns the pattern as written.
func (p Pattern) String() string { return p.written }

// Match reports whether the pattern matches the path, after [CleanPath]. It is false for a path that CleanPath refuses.
func (p Pattern) Match(path string) bool {
	clean, err := CleanPath(path)
	return err == nil && p.match(clean)
}

// match is Match for a clean path.
func (p Pattern) match(path string) bool {
	return slices.ContainsFunc(p.globs, func(g *glob) bool { return g.match(path) })
}

// folded returns the pattern that matches in every case, under the same name.
func (p Pattern) folded() Pattern {
	out := Pattern{written: p.written}
	for _, g := range p.globs {
		out.globs = append(out.globs, g.folded())
	}
	return out
}

// sameAs reports whether two patterns have the same alternatives, however written.
func (p Pattern) sameAs(q Pattern) bool {
	return slices.EqualFunc(p.globs, q.globs, func(g, h *glob) bool { return g.source == h.source })
}

// isLiteral reports whether the pattern names exactly one path.
func (p Pattern) isLiteral() bool {
	return len(p.globs) == 1 && !slices.ContainsFunc(p.globs[0].segments, func(s segment) bool { return !s.literal })
}

func parse(s string) ([]*glob, string) {
	if reason := checkShape(s); reason != "" {
		return nil, reason
	}
	tokens, reason := lex(s)
	if reason != "" {
		return nil, reason
	}
	expansions, _, reason := expand(tokens)
	if reason != "" {
		return nil, reason
	}
	var globs []*glob
	for _, e := range expansions {
		more, reason := build(e)
		if reason != "" {
			return nil, reason
		}
		globs = append(globs, more...)
	}
	return unique(globs), ""
}

// checkShape finds what can be seen without reading the grammar.
func checkShape(s string) string {
	switch {
	case s == "":
		return "is empty; name a path or a glob such as src/limit/**"
	case len(s) > maxPattern:
		return fmt.Sprintf("is longer than %d bytes", maxPattern)
	case s[0] == '/':
		return "is absolute; it is anchored at the root of the repository already, leave the leading \"/\" out"
	case isDrive(s):
		return "is absolute; write it relative to the root of the repository"
	case s[0] == '!':
		return `begins with "!", which does not negate; list what to leave out as forbidden, or write "\!" for the character`
	case strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ") && !strings.HasSuffix(s, `\ `):
		return `has a space at its start or end; write "\ " if it belongs to the name`
	}
	return ""
}

// isDrive reports whether s starts like C:\ or C:/.
func isDrive(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '/' || s[2] == '\\') && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

// build makes the globs of one expansion: two if it ends with "/", which stands for the folder and what is below it.
func build(tokens []token) ([]*glob, string) {
	if len(tokens) == 0 {
		return nil, "has an alternative that is empty as a whole; every alternative must name a path"
	}
	if tokens[0].kind == tokenSlash {
		return nil, `has an alternative that begins with "/"; it is anchored at the root of the repository already`
	}
	var segments []segment
	folder := false
	for rest := tokens; rest != nil; {
		var part []token
		part, rest = cutSegment(rest)
		if folder = len(part) == 0 || isText(part, "."); folder {
			continue
		}
		if isText(part, "..") {
			return nil, `contains ".."; write the path without going up`
		}
		s, err := newSegmentOf(part)
		if err != nil {
			return nil, fmt.Sprintf("cannot be compiled: %v", err)
		}
		segments = append(segments, s)
	}
	below := newGlob(append(segments, deepSegment()))
	switch {
	case len(segments) == 0:
		return []*glob{below}, ""
	case folder:
		return []*glob{newGlob(segments), below}, ""
	}
	return []*glob{newGlob(segments)}, ""
}

// cutSegment returns the tokens before the first slash and those after it, nil if there is no slash.
func cutSegment(tokens []token) (part, rest []token) {
	i := slices.IndexFunc(tokens, func(t token) bool { return t.kind == tokenSlash })
	if i < 0 {
		return tokens, nil
	}
	return tokens[:i], tokens[i+1:]
}

// isText reports whether the tokens were written as the given text, in plain characters.
func isText(tokens []token, text string) bool {
	return slices.EqualFunc(tokens, []rune(text), func(t token, r rune) bool { return t.plain == r })
}

func newSegmentOf(tokens []token) (segment, error) {
	if len(tokens) == 2 && tokens[0].kind == tokenStar && tokens[1].kind == tokenStar {
		return deepSegment(), nil
	}
	var atoms []atom
	for _, t := range tokens {
		star := t.kind == tokenStar
		if star && len(atoms) > 0 && atoms[len(atoms)-1].star {
			continue
		}
		atoms = append(atoms, atom{star: star, class: t.class})
	}
	return newSegment(atoms)
}
