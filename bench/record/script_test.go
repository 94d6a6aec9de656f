//go:build bench && linux

package record

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// step is one line of a script.
type step struct {
	line  int // in the script's file, from 1
	verb  string
	text  string        // of run, folder, title, type, key, wait and see; "" for a wait for the shell
	pause time.Duration // of pause
	pairs []pair        // of answer
}

// pair is a question, known by a part of it, and what is typed when it is asked.
type pair struct{ question, word string }

// parseScript reads a script. Each line is one step; blank lines and those that begin with # are none:
//
//	title TEXT                    what the picture is of
//	run LINE                      off the screen: a line for sh, in the recording's folder; it must end with status 0
//	folder NAME                   where the shell of the screen begins, below the recording's folder
//	type TEXT                     key by key
//	key NAME                      enter, tab, up, down or ctrl- with a letter
//	wait "TEXT"                   until that was printed after the last key
//	see "TEXT"                    until that is in a row of the screen, for programs that fill it
//	wait                          until the shell asks for a command
//	answer "PART" WORD ...        until the shell asks for a command; a question with PART in it gets WORD and
//	                              Enter, as often as it is asked
//	pause 1s                      on the picture only
//
// WORD may be quoted as well; quotes are Go's. A fault names its line.
func parseScript(r io.Reader) ([]step, error) {
	var all []step
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := parseStep(line)
		if err != nil {
			return nil, fmt.Errorf("script, line %d: %w", n, err)
		}
		s.line = n
		all = append(all, s)
	}
	return all, lines.Err()
}

func parseStep(line string) (s step, err error) {
	verb, rest, _ := strings.Cut(line, " ")
	s = step{verb: verb, text: strings.TrimSpace(rest)}
	switch verb {
	case "title", "run", "folder", "type":
		if s.text == "" {
			return s, fmt.Errorf("%q of what?", verb)
		}
	case "key":
		_, err = keyBytes(s.text)
	case "wait", "see":
		if s.text != "" || verb == "see" {
			if s.text, err = strconv.Unquote(s.text); err != nil {
				return s, fmt.Errorf("what is waited for stands in quotes, %q does not", rest)
			}
		}
	case "answer":
		s.pairs, err = parsePairs(s.text)
	case "pause":
		s.pause, err = time.ParseDuration(s.text)
	default:
		err = fmt.Errorf("no step is called %q", verb)
	}
	return s, err
}

func parsePairs(text string) ([]pair, error) {
	var words []string
	for text != "" {
		word := text
		if quoted, err := strconv.QuotedPrefix(text); err == nil {
			word = quoted
		} else if at := strings.IndexByte(text, ' '); at >= 0 {
			word = text[:at]
		}
		text = strings.TrimSpace(text[len(word):])
		if plain, err := strconv.Unquote(word); err == nil {
			word = plain
		}
		words = append(words, word)
	}
	if len(words) == 0 || len(words)%2 != 0 {
		return nil, fmt.Errorf("%d words are no pairs of a question and an answer", len(words))
	}
	var pairs []pair
	for i := 0; i < len(words); i += 2 {
		pairs = append(pairs, pair{words[i], words[i+1]})
	}
	return pairs, nil
}

// keyBytes is what a terminal sends for a key.
func keyBytes(name string) (string, error) {
	known := map[string]string{"enter": "\r", "tab": "\t", "up": "\x1b[A", "down": "\x1b[B"}
	if sent, found := known[name]; found {
		return sent, nil
	}
	if letter, found := strings.CutPrefix(name, "ctrl-"); found && len(letter) == 1 && letter[0] >= 'a' &&
		letter[0] <= 'z' {
		return string(letter[0] & 0x1f), nil
	}
	return "", fmt.Errorf("no key is called %q", name)
}
