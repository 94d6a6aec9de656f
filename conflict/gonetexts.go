package conflict

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/internal/lazyregexp"
)

var (
	// spokenText is a string of two words or more.
	spokenText = lazyregexp.New("[\"'`]([^\"'`]*[A-Za-z]{2,} [^\"'`]*[A-Za-z]{2,}[^\"'`]*)[\"'`]")
	// comparesText is a line that looks for a text in what the program says.
	comparesText = lazyregexp.New(`\b(?:(?:Contains|HasPrefix|HasSuffix|Equal\w*|includes|include|toContain|toThrow\w*|toMatch|` +
		`match|contains|startsWith|startswith|endsWith|endswith|assert\w*|raise_error|expectExceptionMessage)\s*\(|` +
		`assert\b|in str\()|[!=]==?\s*["'` + "`]")
)

// soughtText is a text that a new line looks for in what the program says.
type soughtText struct {
	text string
	line int
}

// soughtTexts are those of a file's new lines. Many pairs ask.
func (l *layout) soughtTexts(f *plainFile) ([]soughtText, error) {
	if f.sought != nil {
		return f.sought, nil
	}
	data, err := l.plainText(l.set.HeadFS, f.file.Path, f.file.NewMode)
	if err != nil {
		return nil, err
	}
	f.sought = []soughtText{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if !f.isNew(number) || !strings.ContainsAny(line, "\"'`") || !comparesText.MatchString(line) {
			continue
		}
		for _, match := range spokenText.FindAllStringSubmatch(line, -1) {
			f.sought = append(f.sought, soughtText{match[1], number})
		}
	}
	return f.sought, nil
}

// goneTexts reports texts that one side takes out of what the program says, and that new code of the other looks for.
func (g *goneWords) goneTexts() error {
	for _, f := range g.written {
		texts, err := g.writes.soughtTexts(f)
		if err != nil {
			return err
		}
		for _, sought := range texts {
			if !g.pair.stays(f.file.Path) {
				break
			}
			if err := g.takenOut(sought, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// takenOut reports a text of a line, if a string of the base has it and nothing of the side's head.
func (g *goneWords) takenOut(sought soughtText, f *plainFile) error {
	text := sought.text
	for _, taken := range g.removed {
		data, err := g.takes.plainText(g.takes.set.BaseFS, taken.file.BasePath(), taken.file.OldMode)
		if err != nil {
			return err
		}
		if !bytes.Contains(data, []byte(text)) {
			continue
		}
		said := regexp.MustCompile("[\"'`][^\"'`]*" + regexp.QuoteMeta(text) + "[^\"'`]*[\"'`]")
		lines := strings.Split(string(data), "\n")
		at := slices.IndexFunc(lines, said.MatchString)
		if at < 0 || !taken.isOld(at+1) {
			continue
		}
		there, err := g.takes.mentioned([]string{text})
		if err != nil || there[text] {
			return err
		}
		place := Place{Agent: g.by.set.Name, Path: taken.file.Path, Line: max(taken.lineNow(at+1), 1), Symbol: text}
		use := Use{code.Reference{Name: text, Line: sought.line, Args: code.NoCall}, &changedFile{file: f.file}}
		g.suspect(APIConflict, place, []Use{use},
			"%s takes the text %[3]s out everywhere, and new code of %[2]s looks for it.", quoted(text)).
			instruct("Look for what is said now at " + placesOf([]Use{use}) + ".").runtimeOnly = true
		return nil
	}
	return nil
}
