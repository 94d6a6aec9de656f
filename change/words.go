package change

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"delegate/internal/shorten"
)

// Span is a part of a line: the bytes from Start up to and without End.
type Span struct{ Start, End int }

// longestMarked is up to how many bytes of a line its words are compared; nobody reads a longer one word by word.
const longestMarked = 1000

// Words returns the parts of two versions of a line that differ, in whole words, in order.
// It returns nothing for equal lines, and for lines that have too little in common to be versions of each other:
// there, marking nearly everything would show nothing.
func Words(old, new string) (inOld, inNew []Span) {
	if old == new || len(old) > longestMarked || len(new) > longestMarked {
		return nil, nil
	}
	oldWords, newWords := splitWords(old), splitWords(new)
	hunks := bridged(compareLines(oldWords, newWords), oldWords)
	if !alike(hunks, oldWords, newWords) {
		return nil, nil
	}
	oldAt, newAt := offsets(oldWords), offsets(newWords)
	for _, h := range hunks {
		if h.OldLines > 0 {
			inOld = append(inOld, Span{oldAt[h.OldStart-1], oldAt[h.OldStart-1+h.OldLines]})
		}
		if h.NewLines > 0 {
			inNew = append(inNew, Span{newAt[h.NewStart-1], newAt[h.NewStart-1+h.NewLines]})
		}
	}
	return inOld, inNew
}

// splitWords cuts a line into words, runs of blanks, and single other characters; joined, they give it back.
func splitWords(line string) []string {
	class := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	var words []string
	for len(line) > 0 {
		first, end := utf8.DecodeRuneInString(line)
		for kind := class(first); kind != 0 && end < len(line); {
			r, size := utf8.DecodeRuneInString(line[end:])
			if class(r) != kind {
				break
			}
			end += size
		}
		words = append(words, line[:end])
		line = line[end:]
	}
	return words
}

// bridged joins changes with nothing but blanks between them: two words that are both new are one new text.
func bridged(hunks []Hunk, old []string) []Hunk {
	var all []Hunk
	for _, h := range hunks {
		if n := len(all) - 1; n >= 0 && strings.TrimSpace(strings.Join(old[oldEnd(all[n])-1:h.OldStart-1], "")) == "" {
			all[n].OldLines = oldEnd(h) - all[n].OldStart
			all[n].NewLines = h.NewStart + h.NewLines - all[n].NewStart
			continue
		}
		all = append(all, h)
	}
	return all
}

// alike reports whether at least a third of the longer version is in words that both have, blanks aside.
func alike(hunks []Hunk, old, new []string) bool {
	weigh := func(words []string) (n int) {
		for _, w := range words {
			n += len(strings.TrimSpace(w))
		}
		return n
	}
	common := weigh(old)
	for _, h := range hunks {
		common -= weigh(old[h.OldStart-1 : oldEnd(h)-1])
	}
	return 3*common >= max(weigh(old), weigh(new)) && common > 0
}

// offsets are where each word begins, and where the last one ends.
func offsets(words []string) []int {
	at := make([]int, len(words)+1)
	for i, w := range words {
		at[i+1] = at[i] + len(w)
	}
	return at
}

// mostPaired is up to how many lines a side of a change are tried with each other; larger changes
// are paired in order only if both have as many.
const mostPaired = 20

// MarkLines finds which lines of a change are versions of each other and what differs in them, by line.
// Lines without such a version, and pairs with too little in common, have no spans.
func MarkLines(old, new []string) (inOld, inNew [][]Span) {
	inOld, inNew = make([][]Span, len(old)), make([][]Span, len(new))
	mark := func(i, j int) bool {
		a, b := Words(strings.TrimSuffix(old[i], "\n"), strings.TrimSuffix(new[j], "\n"))
		inOld[i], inNew[j] = a, b
		return len(a)+len(b) > 0
	}
	if len(old) == len(new) {
		for i := range old {
			mark(i, i)
		}
		return inOld, inNew
	}
	if len(old) > mostPaired || len(new) > mostPaired {
		return inOld, inNew
	}
	next := 0
	for i := range old {
		for j := next; j < len(new); j++ {
			if mark(i, j) {
				next = j + 1
				break
			}
		}
	}
	return inOld, inNew
}

// withMarks is a line as it is shown, with its spans marked.
func withMarks(line string, marks []Span) string {
	var b strings.Builder
	at := 0
	for _, m := range marks {
		b.WriteString(visible(line[at:m.Start]) + string(paintMark) + visible(line[m.Start:m.End]) + string(paintPlain))
		at = m.End
	}
	b.WriteString(visible(line[at:]))
	return b.String()
}

// longestShown is how many bytes of a line are shown.
const longestShown = 4000

// shortened leaves the end of a very long line out, and says so.
func shortened(line string) string {
	shown := shorten.Prefix(line, longestShown)
	if shown == line {
		return line
	}
	return fmt.Sprintf("%s… (%d bytes more)", shown, len(line)-len(shown))
}
