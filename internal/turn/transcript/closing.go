package transcript

import (
	"delegate/internal/text/lazyregexp"
	"slices"
	"strings"
	"unicode"

	"delegate/checkpoint"
	"delegate/internal/text/ui"
)

// said keeps the end of what an agent said: of a program that prints events its own words, of any other all that it
// printed. Offsets are those of its blocks.
type said struct {
	text  []byte
	end   int64   // offset behind the text
	tools []int64 // where a tool began to be used, in order
	acted int64   // where one began that may change files, the last
	ended int64   // where the item before the last valid block ended
}

// mostSaid is how many bytes of it are kept, the largest block and what stands around it.
const mostSaid = 512 << 10

func (s *said) add(p []byte) {
	s.text, s.end = append(s.text, p...), s.end+int64(len(p))
	if over := len(s.text) - mostSaid; over > mostSaid {
		s.text = append(s.text[:0], s.text[over:]...)
	}
}

// between is the text from one offset to another, as far as it is kept.
func (s *said) between(from, to int64) string {
	first := s.end - int64(len(s.text))
	from, to = max(from, first), max(to, first)
	return string(s.text[min(from, to)-first : to-first])
}

// Closing is how a turn ended in the agent's own words, beside its blocks.
type Closing struct {
	// Summary stands before the last block, or at the end of a turn without one.
	Summary string
	// Said reports that Summary is the agent's own words: its program tells them apart from what its tools printed.
	Said bool
	// After is what was said behind the last block that counts, Tool that a tool that may change files was used there.
	After string
	Tool  bool
	// Asks reports that the turn ended with a question in words: behind its block, or at the end without one.
	Asks bool
	// Unread is the last block that could not be read, with what follows it, "" if a valid one came later.
	Unread string
	// Question is what was asked last by the program's own tool for asking, "" if nothing was.
	Question string
}

// Closing is how the turn ended, once its transcript was read to the end.
//
// What a program says of itself behind the agent's words, such as the tokens that it used, looks like these where it
// prints text. There only what asks or speaks to somebody counts as said.
func (r *Reader) Closing() Closing {
	events := r.events != nil && r.events.seen
	s, c := &r.said, Closing{Said: events}
	if events {
		c.Question = r.events.question
	}
	from, to := int64(0), s.end
	if r.Last != nil {
		from, to = s.ended, r.Last.Start
		after := s.between(r.Last.End, s.end)
		c.After, c.Asks = words(after), Asks(strings.TrimPrefix(strings.TrimSpace(after), fence))
		if !events && !c.Asks && !somebody.MatchString(c.After) {
			c.After = ""
		}
		c.Tool = s.acted >= r.Last.End
	}
	if r.Broken != nil {
		c.Unread = words(s.between(r.Broken.Start, s.end))
		if r.Last == nil {
			to = r.Broken.Start
		}
	}
	for _, at := range s.tools {
		if at <= to {
			from = max(from, at)
		}
	}
	summary := s.between(from, to)
	if r.Last == nil {
		c.Asks = Asks(lastParagraph(summary))
	}
	if c.Summary = words(summary); !events {
		c.Summary = lastParagraphs(strings.TrimSpace(toolError.ReplaceAllString(c.Summary, "")))
	}
	return c
}

// note follows the items that were found in what was said.
func (s *said) note(read checkpoint.Item, last *checkpoint.Item) {
	if read.Kind == checkpoint.Valid && !read.Quoted {
		s.ended = 0
		if last != nil {
			s.ended = last.End
		}
	}
}

// toolError matches a line by which a program says that the system refused it something. It is not what an agent says.
var toolError = lazyregexp.New(`(?im)^[\w./+-]+: .*(?:read-only file system|permission denied|` +
	`no such file or directory|operation not permitted)\W*$`)

// words are the lines of a text that say something: no rules, no marks of code, no empty lines at either end.
func words(text string) string {
	lines := strings.Split(ui.Clean(text), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return line != "" && !strings.ContainsFunc(line, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '?'
		}) || strings.HasPrefix(line, fence)
	})
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// MostSummary is how many characters of an agent's own words a screen and the record have room for.
const MostSummary = 600

// lastParagraphs are as many paragraphs of the end of a text as a summary has room for, at least one.
func lastParagraphs(text string) string {
	all := paragraphs.Split(text, -1)
	first := len(all) - 1
	for size := len(all[first]); first > 0; first-- {
		if size += len(all[first-1]) + 2; size > MostSummary {
			break
		}
	}
	return strings.Join(all[first:], "\n\n")
}

// Spoken is a text from the first paragraph on that asks or speaks to somebody, all of it where none does: before that
// stands what the agent's tools printed, where its program prints text.
func Spoken(text string) string {
	all := paragraphs.Split(text, -1)
	if at := slices.IndexFunc(all, speaks); at > 0 {
		all = all[at:]
	}
	return strings.Join(all, "\n\n")
}

// Asks reports whether a text asks something: whether a question mark ends a sentence outside of code.
func Asks(text string) bool { return question.MatchString(code.ReplaceAllString(text, "")) }

// lastParagraph is the end of a text, a list with the paragraph before it.
func lastParagraph(text string) string {
	all := paragraphs.Split(strings.TrimSpace(text), -1)
	first := len(all) - 1
	for first > 0 && listed.MatchString(all[first]) {
		first--
	}
	return strings.Join(all[first:], "\n\n")
}

// fence begins and ends lines of code in Markdown.
const fence = "```"

var (
	paragraphs = lazyregexp.New(`\n\s*\n`)
	listed     = lazyregexp.New(`^\s*([-*+•]|\(?\w{1,2}[.)])\s`)
	code       = lazyregexp.New("(?s)" + fence + ".*?" + fence + "|`[^`\n]*`")
	question   = lazyregexp.New(`[?؟‽⁇⁈⁉][?!.…"'”’»)\]}*_` + "`" + `]*(\s|$)|？`)
	somebody   = lazyregexp.New(`(?i)(^|[\s("'“*_])(i|i['’](m|ve|ll|d)|we|me|my|you|your|please)([\s.,;:!)*_]|$)`)
)

// speaks reports whether a text asks something, or speaks of somebody or to somebody.
func speaks(text string) bool { return Asks(text) || somebody.MatchString(text) }
