package lang

import (
	"regexp"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Unpacking is how code gives several values whose types do not tell them apart, and takes them apart.
type Unpacking struct {
	// Exact is set where as many names have to stand on the left as there are values.
	Exact bool
	// Gives are the values that a function with these lines gives as a list; "" for one that is not the same at every
	// end of it. nil: it gives no list, or lists of several lengths, or that does not show.
	Gives func(lines []string) []string
	// Takes are the names that a line gives to the parts of what a call of the name gives; nil if it takes nothing
	// apart, or any number.
	Takes func(line, name string) []string
	// BecomesTuple reports whether a function gave one value, which cannot be taken apart, and gives a tuple now.
	BecomesTuple func(old, new []string) bool
}

// Comma splits a text at the commas outside of brackets and quotes. The last part may be empty.
func Comma(text string) (parts []string) {
	depth, start, quote := 0, 0, rune(0)
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case strings.ContainsRune("\"'`", r):
			quote = r
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		case r == ',' && depth == 0:
			parts, start = append(parts, strings.TrimSpace(text[start:i])), i+1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// Closed is the text up to the bracket that closes the one it begins with, which is left out like the first, and what
// follows. It fails where the bracket is not closed in it.
func Closed(text string) (inside, rest string, ok bool) { return ClosedQuoted(text, "\"'`") }

// ClosedQuoted is Closed for texts in which these alone are quotes.
func ClosedQuoted(text, quotes string) (inside, rest string, ok bool) {
	depth, quote := 0, rune(0)
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case strings.ContainsRune(quotes, r):
			quote = r
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			if depth--; depth == 0 {
				return text[1:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

// OneList is what several lists of values have in common, by place. nil if they are of several lengths.
func OneList(lists [][]string) []string {
	if len(lists) == 0 {
		return nil
	}
	one := slices.Clone(lists[0])
	for _, l := range lists[1:] {
		if len(l) != len(one) {
			return nil
		}
		for i := range l {
			if l[i] != one[i] {
				one[i] = ""
			}
		}
	}
	return one
}

// TakenBy returns an Unpacking.Takes that finds the names by the first group of a pattern, in which NAME stands for the
// function that is called.
func TakenBy(pattern string) func(line, name string) []string {
	return func(line, name string) []string {
		called, err := regexp.Compile(strings.ReplaceAll(pattern, "NAME", regexp.QuoteMeta(name)))
		if err != nil {
			return nil
		}
		if m := called.FindStringSubmatch(line); m != nil {
			return PlainNames(m[1])
		}
		return nil
	}
}

var plainName = lazyregexp.New(`^[$@]?[\pL_][\pL\p{Nd}_.]*$`)

// PlainNames are the names in a list with commas between, nil if one part is no mere name.
func PlainNames(list string) (names []string) {
	for _, part := range Comma(list) {
		if !plainName.MatchString(part) {
			return nil
		}
		names = append(names, part)
	}
	return names
}
