package notes

import (
	"bytes"
	"slices"
)

// mark begins the heading of a section.
const mark = "## "

// sections cuts a text before each line that begins one. Joined, they are the text again.
func sections(text []byte) (preamble []byte, all [][]byte) {
	from := 0
	for at := 0; at < len(text); {
		if bytes.HasPrefix(text[at:], []byte(mark)) {
			if all == nil {
				preamble, all = text[:at], [][]byte{}
			} else {
				all = append(all, text[from:at])
			}
			from = at
		}
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	if all == nil {
		return text, nil
	}
	return preamble, append(all, text[from:])
}

// heading is the text of a section's first line.
func heading(section []byte) string {
	line, _, _ := bytes.Cut(section, []byte("\n"))
	return string(bytes.TrimSpace(bytes.TrimPrefix(line, []byte(mark))))
}

// join unites two versions of a text without a version that both come from: nothing of either is lost,
// and where both have a section and differ in it, it is there twice.
func join(saved, ours []byte) []byte {
	preamble, all := sections(saved)
	oursPreamble, oursAll := sections(ours)
	if !bytes.Contains(preamble, bytes.TrimSpace(oursPreamble)) {
		preamble = slices.Concat(apart(preamble), oursPreamble)
	}
	known := map[string]bool{}
	for _, s := range all {
		known[string(bytes.TrimSpace(s))] = true
	}
	text := slices.Concat(preamble, bytes.Join(all, nil))
	for _, s := range oursAll {
		if !known[string(bytes.TrimSpace(s))] {
			text = slices.Concat(apart(text), s)
		}
	}
	return text
}

// apart is the text with what is missing at its end so that a section can follow: a newline, a blank line.
func apart(text []byte) []byte {
	text = bytes.Clone(text)
	switch {
	case len(text) == 0 || bytes.HasSuffix(text, []byte("\n\n")) || bytes.HasSuffix(text, []byte("\n\r\n")):
		return text
	case bytes.HasSuffix(text, []byte("\n")):
		return append(text, '\n')
	}
	return append(text, '\n', '\n')
}
