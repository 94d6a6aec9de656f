// Package shorten bounds texts. What was longer ends with "…", which is not counted, and no character is cut in two.
package shorten

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const mark = "…"

// Runes is the text's first characters, at most so many.
func Runes(text string, most int) string {
	count := 0
	for at := range text {
		if count++; count > most {
			return trimRight(text[:at]) + mark
		}
	}
	return text
}

// Front is the text's last characters, at most so many, with the mark before them.
func Front(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return mark + strings.TrimLeftFunc(string(r[len(r)-most:]), unicode.IsSpace)
	}
	return text
}

// Words is the text's first characters up to the end of a word, at most so many; a single longer word is cut.
func Words(text string, most int) string {
	short := Runes(text, most)
	if short == text {
		return text
	}
	short = strings.TrimSuffix(short, mark)
	behind, _ := utf8.DecodeRuneInString(text[len(short):])
	if at := strings.LastIndexFunc(short, unicode.IsSpace); at > 0 && !unicode.IsSpace(behind) {
		short = trimRight(short[:at])
	}
	return short + mark
}

// Bytes is the text's first characters that take at most so many bytes.
func Bytes(text string, most int) string {
	if short := Prefix(text, most); short != text {
		return trimRight(short) + mark
	}
	return text
}

// Prefix is what Bytes has before its mark, with the spaces at its end.
func Prefix(text string, most int) string {
	most = max(most, 0)
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

func trimRight(text string) string { return strings.TrimRightFunc(text, unicode.IsSpace) }
