package conflict

import (
	"iter"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// version is one version of a source file, by its name in the set's base or head.
type version struct {
	head   bool
	joined bool // each statement is on its first line
	name   string
}

// sourceLines are the lines of a version of a changed source. They are read again where something is suspected that
// the lists do not tell, since few files ever are.
func (c *Direction) sourceLines(s *changes, v version) []string {
	if known, read := s.lines[v]; read {
		return known
	}
	files, id := s.set.BaseFS, ""
	if src := s.byBase[v.name]; src != nil {
		id = src.file.OldID
	}
	if v.head {
		files, id = s.set.HeadFS, ""
		if src := s.byPath[v.name]; src != nil {
			id = src.file.NewID
		}
	}
	lines, err := s.memory.linesOf(id, func() ([]byte, bool, error) {
		return readUpTo(s.set.Name, files, v.name, largestSource)
	})
	if err != nil && c.err == nil {
		c.err = err
	}
	s.lines[v] = lines
	return lines
}

// statements are the lines of a file of the user's head with each statement on its first line.
func (c *Direction) statements(name string) []string {
	v := version{head: true, joined: true, name: name}
	if known, read := c.user.lines[v]; read {
		return known
	}
	lines := c.sourceLines(c.user, version{head: true, name: name})
	joined := lang.Statements(lines, languageOf(name).LineComment())
	c.user.lines[v] = joined
	return joined
}

// statementAt is the index of the statement with a line; -1 if there is none.
func statementAt(statements []string, line int) int {
	if line > len(statements) {
		return -1
	}
	at := line - 1
	for at > 0 && statements[at] == "" {
		at--
	}
	return at
}

// lineOf is the statement of a use, as one line.
func (c *Direction) lineOf(u Use) string {
	lines := c.statements(u.Path())
	if at := statementAt(lines, u.Ref.Line); at >= 0 {
		return lines[at]
	}
	return ""
}

// textOf are the lines of a definition in its version of the source.
func (c *Direction) textOf(s *changes, v version, d code.Definition) []string {
	lines := c.sourceLines(s, v)
	if d.Line < 1 || d.End > len(lines) || d.End < d.Line {
		return nil
	}
	return lines[d.Line-1 : d.End]
}

// texts are the statements of an edited definition in the base and in the head, each on its first line.
func (c *Direction) texts(e Edit) (old, new []string) {
	comment := e.language().LineComment()
	return lang.Statements(c.textOf(c.by, version{name: e.from.file.BasePath()}, e.Old), comment),
		lang.Statements(c.textOf(c.by, version{head: true, name: e.to.file.Path}, e.New), comment)
}

// kept are the definitions that the side changed and that are still what they were, each once whatever was done to it.
// Many rules ask in each pair.
func (s *changes) kept() iter.Seq[Edit] {
	if s.still != nil {
		return slices.Values(s.still)
	}
	type place struct {
		src *changedFile
		key string
		at  int
	}
	s.still = []Edit{}
	seen := map[place]bool{}
	for _, e := range s.edits {
		if e.gone() || e.Kind == Added || e.Kind == KindChanged {
			continue
		}
		if at := (place{e.from, e.Old.Key(), e.Old.Line}); !seen[at] {
			seen[at], s.still = true, append(s.still, e)
		}
	}
	return slices.Values(s.still)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
