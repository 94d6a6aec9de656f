package guard

import "strings"

// word reads one word, up to a blank or an operator, and takes its quotes off. It may be empty.
func (s *splitter) word() (string, error) {
	var b strings.Builder
	for s.more() {
		switch ch := s.text[s.at]; ch {
		case ' ', '\t', '\r', '\n', ';', '&', '|', '(', ')', '<', '>':
			return b.String(), nil
		case '\'':
			s.at++
			end := strings.IndexByte(s.text[s.at:], '\'')
			if end < 0 {
				return "", errOpen
			}
			b.WriteString(s.text[s.at : s.at+end])
			s.at += end + 1
		case '"':
			s.at++
			if err := s.quoted(&b, '"'); err != nil {
				return "", err
			}
		case '\\':
			s.escape(&b, "")
		case '$', '`':
			if err := s.expansion(&b, false); err != nil {
				return "", err
			}
		default:
			b.WriteByte(ch)
			s.at++
		}
	}
	return b.String(), nil
}

// escape reads a backslash and what it stands before. Where only some characters can be escaped, it
// stays before the others.
func (s *splitter) escape(b *strings.Builder, only string) {
	s.at++
	if !s.more() || s.takes("\n") {
		return
	}
	ch := s.text[s.at]
	if only != "" && strings.IndexByte(only, ch) < 0 {
		b.WriteByte('\\')
	}
	b.WriteByte(ch)
	s.at++
}

// quoted reads what stands in double quotes, or in the braces of a parameter within them, up to its end.
func (s *splitter) quoted(b *strings.Builder, end byte) error {
	for s.more() {
		switch ch := s.text[s.at]; ch {
		case end:
			s.at++
			return nil
		case '\\':
			s.escape(b, "$`\"\\")
		case '$', '`':
			if err := s.expansion(b, true); err != nil {
				return err
			}
		default:
			b.WriteByte(ch)
			s.at++
		}
	}
	return errOpen
}

// expansion reads what begins with "$" or "`". Commands in it are kept; for its value, which nobody
// knows here, "$" is written.
func (s *splitter) expansion(b *strings.Builder, inQuotes bool) error {
	switch {
	case s.sees("`"):
		b.WriteByte('$')
		return s.backquoted()
	case s.takes("$(("):
		b.WriteByte('$')
		if s.arithmetic() {
			return nil
		}
		s.at--
		return s.list(true)
	case s.takes("$("):
		b.WriteByte('$')
		return s.list(true)
	case s.takes("${"):
		b.WriteByte('$')
		return s.braces(inQuotes)
	case !inQuotes && s.takes("$'"):
		return s.escaped(b)
	case !inQuotes && s.sees(`$"`):
		s.at++ // what follows is quoted as without it
		return nil
	}
	b.WriteByte('$')
	s.at++
	return nil
}

// backquoted reads a command between backquotes, in which a backslash protects what would end or expand it.
func (s *splitter) backquoted() error {
	s.at++
	var inner strings.Builder
	for s.more() {
		switch ch := s.text[s.at]; ch {
		case '`':
			s.at++
			return s.nested(inner.String())
		case '\\':
			s.escape(&inner, "$`\\")
		default:
			inner.WriteByte(ch)
			s.at++
		}
	}
	return errOpen
}

func (s *splitter) nested(text string) error {
	s.left -= len(text)
	inner := &splitter{reading: s.reading, text: text, depth: s.depth}
	err := inner.list(false)
	s.found = append(s.found, inner.found...)
	return err
}

// braces reads the rest of "${…}".
func (s *splitter) braces(inQuotes bool) error {
	if s.depth++; s.depth > maxDepth {
		return errOpen
	}
	defer func() { s.depth-- }()
	var ignored strings.Builder
	if inQuotes {
		return s.quoted(&ignored, '}')
	}
	for s.more() {
		if s.takes("}") {
			return nil
		}
		at := s.at
		if err := s.braceText(&ignored); err != nil {
			return err
		}
		if s.at == at {
			s.at++
		}
	}
	return errOpen
}

// braceText reads quotes, escapes and expansions, and nothing else.
func (s *splitter) braceText(b *strings.Builder) error {
	switch s.text[s.at] {
	case '\'':
		s.at++
		end := strings.IndexByte(s.text[s.at:], '\'')
		if end < 0 {
			return errOpen
		}
		s.at += end + 1
	case '"':
		s.at++
		return s.quoted(b, '"')
	case '\\':
		s.escape(b, "")
	case '$', '`':
		return s.expansion(b, false)
	}
	return nil
}

// escaped reads the rest of "$'…'".
func (s *splitter) escaped(b *strings.Builder) error {
	for s.more() {
		switch ch := s.text[s.at]; ch {
		case '\'':
			s.at++
			return nil
		case '\\':
			s.escape(b, "")
		default:
			b.WriteByte(ch)
			s.at++
		}
	}
	return errOpen
}
