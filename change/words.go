package change

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"delegate/internal/text/shorten"
)

// Span is a part of a line, as byte offsets: line[Start:End].
type Span struct{ Start, End int }

// longestMarked is the length in bytes up to which lines are compared by words; nobody reads a longer one word by word.
const longestMarked = 1000

// Words returns the words that differ between two versions of a line, as spans of each version, in order.
// It returns nil for equal lines, for lines of more than 1000 bytes, and for lines that have less than a third of their
// text in common: a reader learns nothing if nearly everything is marked.
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

// mostPaired is the number of lines of a side up to which each line is compared with each line of the other side. In
// larger changes lines are paired by their position, if both sides have the same number of them.
const mostPaired = 20

// MarkLines compares the old and the new lines of one hunk. It finds which lines are versions of each other, and
// returns for each line the spans that differ, as Words does. The spans of a line without another version are nil.
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
