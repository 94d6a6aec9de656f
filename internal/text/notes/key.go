package notes

import (
	"delegate/internal/text/lazyregexp"
	"strings"
)

const (
	maxKey  = 80   // characters
	keyRoom = 1000 // characters of a reason that its key is made of
)

// What differs each time the same thing fails, and what stands for it in a key. The order matters:
// a later one sees what earlier ones left.
var (
	quotedPath = lazyregexp.New("\"[^\"\\s]*[/\\\\.][^\"]*\"|'[^'\\s]*[/\\\\.][^']*'|`[^`\\s]*[/\\\\.][^`]*`")
	uuid       = lazyregexp.New(`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	hexWord    = lazyregexp.New(`\b(?:0x[0-9a-f]+|[0-9a-f]{7,64})\b`)
	duration   = lazyregexp.New(`\b(?:(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|μs|ms|s|m|h))+|[0-9]+(?:\.[0-9]+)? (?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|hours?|h))\b`)
	digits     = lazyregexp.New(`[0-9]+`)
)

// key is the failure that a reason describes, whatever numbers, ids, paths and durations are in it this time.
func key(reason string) string {
	text := strings.ToLower(oneLine(reason, keyRoom))
	text = quotedPath.ReplaceAllString(text, "PATH")
	text = uuid.ReplaceAllString(text, "ID")
	text = hexWord.ReplaceAllStringFunc(text, func(word string) string {
		if isNumber, isWord := strings.Trim(word, "0123456789") == "", !strings.ContainsAny(word,
			"0123456789"); isNumber || isWord {
			return word
		}
		return "ID"
	})
	text = duration.ReplaceAllString(text, "TIME")
	text = oneLine(digits.ReplaceAllString(text, "N"), maxKey)
	if text == "" {
		return "no reason given"
	}
	return text
}
