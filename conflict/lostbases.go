package conflict

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

// lostBases are the types of the side that are no longer made from another one, each with that one's name.
func (c *Direction) lostBases() iter.Seq2[Edit, string] {
	return func(yield func(Edit, string) bool) {
		for e := range c.by.kept() {
			if !isType(e.Old) {
				continue
			}
			for _, base := range e.Old.Bases {
				name := lastOf(base)
				still := slices.ContainsFunc(e.New.Bases, func(b string) bool { return lastOf(b) == name })
				if !still && !c.inherits(e.New.Name, name) && !yield(e, name) {
					return
				}
			}
		}
	}
}

// catchesLostBase reports exceptions that are no longer made from another one, where new code of the user catches that
// one around a call of what throws them.
func (c *Direction) catchesLostBase() {
	for e, name := range c.lostBases() {
		if e.language().Nothing.Caught == nil {
			continue
		}
		uses := c.usesThat(func(u Use) bool {
			return u.Ref.Name == name && u.from.language.Related(e.language()) && c.catchesFor(u, e)
		})
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s no longer makes %[3]s from %[4]s, and new code of %[2]s catches %[4]s around what throws it.",
			noun(e.Old, e.language()), quoted(name)).
			instruct("Catch " + quoted(e.New.Name) + " as well at " + placesOf(uses) + ".").runtimeOnly = true
	}
}

// asksForLostBase reports types that are no longer made from another one, where new code of the user, in a file that
// has such a type, asks whether a value is of that one, from which nothing is made any more.
func (c *Direction) asksForLostBase() {
	for e, name := range c.lostBases() {
		if e.Old.Kind != code.Class {
			continue
		}
		word := regexp.QuoteMeta(name)
		asks := regexp.MustCompile(`\b(?:isinstance|issubclass)\(\s*\w+,\s*\(?[\w., ]*\b` + word +
			`\b|\binstanceof\s+[\w.\\]*\b` + word + `\b|\.(?:is_a|kind_of|instance_of)\?[ (]\s*[\w:]*\b` + word + `\b`)
		uses := c.usesThat(func(u Use) bool {
			return u.Ref.Name == name && u.from.language.Related(e.language()) && asks.MatchString(c.lineOf(u)) &&
				slices.ContainsFunc(u.from.refs, func(r code.Reference) bool { return r.Name == e.New.Name })
		})
		if len(uses) == 0 || c.madeFrom(e.language(), name) {
			continue
		}
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s no longer makes %[3]s from %[4]s, and new code of %[2]s asks whether a value is of that.",
			noun(e.Old, e.language()), quoted(name)).
			instruct("Ask for " + quoted(e.New.Name) + " as well at " + placesOf(uses) + ".").runtimeOnly = true
	}
}

// madeFrom reports whether some type of the merged tree is made from one of the name, or a value of it is made.
func (c *Direction) madeFrom(l *lang.Language, name string) bool {
	name = regexp.QuoteMeta(name)
	made := regexp.MustCompile(`\bclass\s+\w+(?:\s*\([^)]*\b|\s*(?:extends|implements|<|:)[^{\n]*\b)` + name +
		`\b|\binclude\s+` + name + `\b|(?:[=(,:]\s*|\b(?:return|new|yield)\s+)` + name + `(?:\(|\.new\b)`)
	found := false
	c.eachSource(l, func(_, text string) bool {
		found = made.MatchString(text)
		return !found
	})
	return found
}

// mostTried is how many lines a block may have that something is caught from.
const mostTried = 25

// called are the calls in a line.
var called = lazyregexp.New(`\b(\w+)\(`)

// catchesFor reports whether a use names what is caught from lines that call something which throws the exception, and
// neither it nor another clause catches that by its name.
func (c *Direction) catchesFor(u Use, e Edit) bool {
	lines := c.sourceLines(c.user, version{head: true, name: u.Path()})
	at := u.Ref.Line - 1
	if at < 0 || at >= len(lines) || !e.language().Nothing.Caught.MatchString(lines[at]) {
		return false
	}
	for _, line := range lines[max(0, at-mostTried):min(len(lines), at+mostAfter)] {
		if strings.Contains(line, e.New.Name) || untyped.MatchString(line) {
			return false
		}
	}
	for i := at - 1; i >= 0 && i > at-mostTried; i-- {
		if word := strings.Trim(strings.TrimSpace(lines[i]), " {:}"); word == "try" || word == "begin" {
			return false
		}
		for _, call := range called.FindAllStringSubmatch(lines[i], -1) {
			if c.throws(e.language(), call[1], e.New.Name) {
				return true
			}
		}
	}
	return false
}

// nextDefinition is where the text of a function has ended at the latest.
var nextDefinition = lazyregexp.New(`\n\s*(?:@|(?:async\s+)?def|function|public|private|protected|internal|static|class)\b`)

// throws reports whether a function of the name, in a file of the merged tree, throws an exception itself.
func (c *Direction) throws(l *lang.Language, function, exception string) bool {
	begins := regexp.MustCompile(`\b(?:def|function|[\w<>\[\]?]+)\s+` + regexp.QuoteMeta(function) + `\s*\(`)
	thrown := regexp.MustCompile(`\b(?:raise|throw)\s+(?:new\s+)?[\w.\\]*\b` + regexp.QuoteMeta(exception) + `\b`)
	found := false
	c.eachSource(l, func(_, text string) bool {
		if !strings.Contains(text, exception) {
			return true
		}
		for _, at := range begins.FindAllStringIndex(text, -1) {
			body := text[at[1]:]
			if end := nextDefinition.FindStringIndex(body); end != nil {
				body = body[:end[0]]
			}
			found = found || thrown.MatchString(body)
		}
		return !found
	})
	return found
}

var tag = lazyregexp.New("`[^`]*\\bjson:\"([\\w.-]+)")

// lostTags reports keys that fields of Go have in JSON no longer, where new code of the user has such a key and names
// the type of the field.
func (c *Direction) lostTags() {
	for e := range c.by.kept() {
		if e.language().Name != code.Go || e.Old.Kind != code.Class || e.Old.Hash == e.New.Hash {
			continue
		}
		old, new := c.texts(e)
		is := tagsOf(new)
		for i, key := range tagsOf(old) {
			if key == "" || slices.Contains(is, key) {
				continue
			}
			instead := "Do without " + quoted(key)
			if len(is) == len(old) && is[i] != "" {
				instead = "Write " + quoted(is[i]) + " in place of " + quoted(key)
			}
			uses := c.keysNamed(key, e.Old.Name)
			c.suspect(APIConflict, c.placeOf(e), uses,
				"%s takes the key %[3]s of JSON from %[4]s, and new code of %[2]s has it.", quoted(key),
				noun(e.Old, e.language())).instruct(instead + " at " + placesOf(uses) + ".").runtimeOnly = true
		}
	}
}

// tagsOf are the keys in JSON that the lines of a type give to fields, "" for lines without one.
func tagsOf(lines []string) []string {
	keys := make([]string, len(lines))
	for i, line := range lines {
		if match := tag.FindStringSubmatch(line); match != nil && match[1] != "-" {
			keys[i] = match[1]
		}
	}
	return keys
}

// keysNamed are the user's new lines that have a key of JSON, in files of Go that name a type and give no field that
// key themselves.
func (c *Direction) keysNamed(key, typ string) (uses []Use) {
	quotedKey := regexp.QuoteMeta(key)
	has := regexp.MustCompile(`\[\s*"` + quotedKey + `"\s*\]|\\?"` + quotedKey + `\\?"\s*:`)
	names := regexp.MustCompile(`\b` + regexp.QuoteMeta(typ) + `\b`)
	for _, src := range c.user.sources {
		if src.New == nil || src.language.Name != code.Go || !c.merged.knows(src.file.Path) {
			continue
		}
		lines := c.sourceLines(c.user, version{head: true, name: src.file.Path})
		at := slices.IndexFunc(lines, has.MatchString)
		if at < 0 || src.Old != nil && !within(src.hunks, at+1) || !slices.ContainsFunc(lines, names.MatchString) ||
			slices.Contains(tagsOf(lines), key) {
			continue
		}
		uses = append(uses, Use{code.Reference{Name: key, Line: at + 1, Args: code.NoCall}, src})
	}
	return uses
}
