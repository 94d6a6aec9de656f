package manifest

import (
	"slices"
	"strings"

	"delegate/conflict/code"
)

// gemfile follows the blocks of a Gemfile. Nothing is run: a condition counts as fulfilled,
// and a gem whose name is computed is left out.
type gemfile struct {
	*reading
	groups []string // those of the open blocks, the innermost one last
}

func readGemfile(r *reading) {
	g := gemfile{reading: r}
	tokens, err := lexRuby(r.data)
	for r.fault = err; len(tokens) > 0; {
		var statement []rubyToken
		statement, tokens = cutStatement(tokens)
		if len(statement) > 0 {
			g.statement(statement)
		}
	}
}

// cutStatement splits off the first statement, which goes on over line breaks where it is open.
// Words that begin or end a block end a statement too.
func cutStatement(tokens []rubyToken) (statement, rest []rubyToken) {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.kind == rubyBreak && depth == 0 && !goesOn(statement):
			return statement, tokens[i+1:]
		case t.kind == rubyBreak:
			continue
		case t.is(rubyWord, "end"):
			if len(statement) == 0 {
				return tokens[i : i+1], tokens[i+1:]
			}
			return statement, tokens[i:]
		case t.is(rubyWord, "do"), t.is(rubyWord, "then"):
			return append(statement, t), tokens[i+1:]
		case t.kind == rubyMark && strings.Contains("([{", t.text):
			depth++
		case t.kind == rubyMark && strings.Contains(")]}", t.text):
			depth = max(0, depth-1)
		}
		statement = append(statement, t)
	}
	return statement, nil
}

// goesOn reports whether a line break behind the tokens is none.
func goesOn(statement []rubyToken) bool {
	if len(statement) == 0 {
		return false
	}
	last := statement[len(statement)-1]
	return last.kind == rubyLabel || last.kind == rubyMark &&
		slices.Contains([]string{",", "=>", ".", "&", "+", "="}, last.text)
}

func (g *gemfile) statement(s []rubyToken) {
	first := s[0]
	switch {
	case first.is(rubyWord, "end"):
		g.groups = g.groups[:max(0, len(g.groups)-1)]
	case opensBlock(s):
		group := g.group()
		if first.is(rubyWord, "group") {
			group = strings.Join(readCall(s[1:]).names, ",")
		}
		g.groups = append(g.groups, group)
	case first.is(rubyWord, "gem"):
		g.gem(first.line, readCall(s[1:]))
	case first.is(rubyWord, "ruby"):
		g.Add("", code.Dependency{Name: "ruby", Version: strings.Join(readCall(s[1:]).texts, ", "),
			Line: first.line})
	}
}

// group is what the innermost block says.
func (g *gemfile) group() string {
	if len(g.groups) == 0 {
		return ""
	}
	return g.groups[len(g.groups)-1]
}

// opensBlock reports whether the statement waits for an end.
func opensBlock(s []rubyToken) bool {
	if s[len(s)-1].is(rubyWord, "do") {
		return true
	}
	openers := []string{"if", "unless", "case", "begin", "while", "until", "for", "def", "class", "module"}
	for i, t := range s {
		// Behind anything else these words are conditions of a single statement.
		if (i == 0 || s[i-1].is(rubyMark, "=")) && t.kind == rubyWord && slices.Contains(openers, t.text) {
			return true
		}
	}
	return false
}

func (g *gemfile) gem(line int, c call) {
	if len(c.texts) == 0 || strings.Contains(c.texts[0], "#{") {
		return
	}
	source := c.source
	if c.revision != "" {
		source += "#" + c.revision
	}
	d := code.Dependency{Name: c.texts[0], Version: strings.TrimSpace(strings.Join(c.texts[1:], ", ") + " " + source),
		Line: line}
	group := g.group()
	if len(c.groups) > 0 {
		group = strings.Join(c.groups, ",")
	}
	g.Add(group, d)
}

// call is what the arguments of a method say.
type call struct {
	texts            []string // strings without a key
	names            []string // strings and symbols without a key
	groups           []string
	source, revision string
}

// readCall reads arguments up to a condition behind them.
func readCall(arguments []rubyToken) call {
	var c call
	key := ""
	for i, t := range arguments {
		isKey := i+1 < len(arguments) && arguments[i+1].is(rubyMark, "=>")
		switch {
		case t.is(rubyWord, "if"), t.is(rubyWord, "unless"):
			return c
		case t.kind == rubyLabel, isKey:
			key = t.text
		case t.kind == rubyText, t.kind == rubySymbol:
			c.add(key, t)
		}
	}
	return c
}

func (c *call) add(key string, value rubyToken) {
	switch key {
	case "":
		c.names = append(c.names, value.text)
		if value.kind == rubyText {
			c.texts = append(c.texts, value.text)
		}
	case "group", "groups":
		c.groups = append(c.groups, value.text)
	case "git", "github", "gitlab", "bitbucket", "path":
		c.source = value.text
	case "ref", "branch", "tag":
		c.revision = value.text
	}
}
