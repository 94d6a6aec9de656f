package shorten_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"delegate/internal/text/shorten"
)

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func(string, int) string
		text string
		most int
		want string
	}{
		{"runes", shorten.Runes, "éééé", 4, "éééé"},
		{"runes", shorten.Runes, "ééééé", 4, "éééé…"},
		{"runes", shorten.Runes, "one two", 4, "one…"},
		{"runes", shorten.Runes, "one", 0, "…"},
		{"runes", shorten.Runes, "", 0, ""},
		{"front", shorten.Front, "éééé", 4, "éééé"},
		{"front", shorten.Front, "one two", 4, "…two"},
		{"words", shorten.Words, "one two", 7, "one two"},
		{"words", shorten.Words, "one two three", 9, "one two…"},
		{"words", shorten.Words, "one two three", 7, "one two…"},
		{"words", shorten.Words, "one two three", 6, "one…"},
		{"words", shorten.Words, "éééééé", 4, "éééé…"},
		{"bytes", shorten.Bytes, "ééé", 6, "ééé"},
		{"bytes", shorten.Bytes, "ééé", 5, "éé…"},
		{"bytes", shorten.Bytes, "one two", 4, "one…"},
		{"bytes", shorten.Bytes, "é", -1, "…"},
		{"prefix", shorten.Prefix, "one two", 4, "one "},
		{"prefix", shorten.Prefix, "ééé", 3, "é"},
	} {
		if got := c.of(c.text, c.most); got != c.want {
			t.Errorf("%s of %q, %d: got %q, want %q", c.name, c.text, c.most, got, c.want)
		}
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("one two three", 5)
	f.Add("ééé 👩\u200d💻", 4)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = max(0, most%100)
		prefix := shorten.Prefix(text, most)
		if !strings.HasPrefix(text, prefix) || len(prefix) > most {
			t.Errorf("%q is no beginning of %q of at most %d bytes", prefix, text, most)
		}
		runes, words := shorten.Runes(text, most), shorten.Words(text, most)
		for name, short := range map[string]string{"runes": runes, "words": words, "front": shorten.Front(text, most)} {
			if count := utf8.RuneCountInString(short); count > most+1 {
				t.Errorf("%s of %q, %d: %q has %d characters", name, text, most, short, count)
			}
			if utf8.ValidString(text) && !utf8.ValidString(short) {
				t.Errorf("%s of %q, %d: %q has half a character", name, text, most, short)
			}
		}
		if utf8.ValidString(text) && !utf8.ValidString(prefix) {
			t.Errorf("%q of %q has half a character", prefix, text)
		}
		if (runes == text) != (utf8.RuneCountInString(text) <= most) && !strings.HasSuffix(text, "…") {
			t.Errorf("of %q, %d: %q", text, most, runes)
		}
	})
}
