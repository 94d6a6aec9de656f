package conflict

import (
	"bytes"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/plain"
	"delegate/internal/text/lazyregexp"
)

var (
	// spokenText is a string of two words or more.
	spokenText = lazyregexp.New("[\"'`]([^\"'`]*[A-Za-z]{2,} [^\"'`]*[A-Za-z]{2,}[^\"'`]*)[\"'`]")
	// comparesText is a line that looks for a text in what the program says.
	comparesText = lazyregexp.New(`\b(?:(?:Contains|HasPrefix|HasSuffix|Equal\w*|includes|include|toContain|toThrow\w*|toMatch|` +
		`match|contains|startsWith|startswith|endsWith|endswith|assert\w*|raise_error|expectExceptionMessage)\s*\(|` +
		`assert\b|in str\()|[!=]==?\s*["'` + "`]")
)

const quoteMarks = "\"'`"

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
		if !f.isNew(number) || len(line) > plain.LongestLine || !strings.ContainsAny(line, quoteMarks) ||
			!comparesText.MatchString(line) {
			continue
		}
		for _, match := range spokenText.FindAllStringSubmatch(line, -1) {
			f.sought = append(f.sought, soughtText{match[1], number})
		}
	}
	return f.sought, nil
}

// goneText is a text that is looked for, with a place at which the program said it.
type goneText struct {
	soughtText
	in   *plainFile // that looks for it
	said *plainFile
	line int // of the base
}

// mostGone is how many texts of a pair are looked for in the side's head.
const mostGone = 100

// goneTexts reports texts that one side takes out of what the program says, and that new code of the other looks for.
func (g *goneWords) goneTexts() error {
	var all []goneText
	var names []string
	for _, f := range g.written {
		texts, err := g.writes.soughtTexts(f)
		if err != nil {
			return err
		}
		for _, sought := range texts {
			if len(all) == mostGone || !g.pair.stays(f.file.Path) {
				break
			}
			said, line, err := g.saidBefore(sought.text)
			if err != nil {
				return err
			}
			if said != nil {
				all, names = append(all, goneText{sought, f, said, line}), append(names, sought.text)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	there, err := g.takes.mentioned(names)
	if err != nil {
		return err
	}
	for _, one := range all {
		if there[one.text] {
			continue
		}
		place := Place{Agent: g.by.set.Name, Path: one.said.file.Path, Line: max(one.said.lineNow(one.line), 1),
			Symbol: one.text}
		use := Use{code.Reference{Name: one.text, Line: one.soughtText.line, Args: code.NoCall},
			&changedFile{file: one.in.file}}
		g.tell(lostText, place, []Use{use}, "what", quoted(one.text))
	}
	return nil
}

// saidBefore is the file that a string of the base with the text was in, and its line, which the side takes out or
// changes; nil for none.
func (g *goneWords) saidBefore(text string) (*plainFile, int, error) {
	for _, taken := range g.removed {
		data, err := g.takes.plainText(g.takes.set.BaseFS, taken.file.BasePath(), taken.file.OldMode)
		if err != nil {
			return nil, 0, err
		}
		for from := 0; ; {
			i := bytes.Index(data[from:], []byte(text))
			if i < 0 {
				break
			}
			at := from + i
			begin := bytes.LastIndexByte(data[:at], '\n') + 1
			rest, _, _ := bytes.Cut(data[at:], []byte("\n"))
			from = at + len(rest) // once for each line
			if from-begin > plain.LongestLine || !bytes.ContainsAny(data[begin:at], quoteMarks) ||
				!bytes.ContainsAny(rest[len(text):], quoteMarks) {
				continue
			}
			if line := 1 + bytes.Count(data[:at], []byte("\n")); taken.isOld(line) {
				return taken, line, nil
			}
			break
		}
	}
	return nil, 0, nil
}
