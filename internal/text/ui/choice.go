package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/AlecAivazis/survey/v2/terminal"
)

// Answer is one of the words that answer a question.
type Answer struct {
	// Word is what the person types.
	Word string
	// Also is another word for it, such as an agent's id, "" for none.
	Also string
	// Help says what the answer will do.
	Help string
}

// choice is the state of a question: the answers, the typed text, and the one picked with the arrows.
type choice struct {
	answers  []Answer
	fallback int
	typed    string
	picked   int    // the answer that the arrows stand on, or none
	refused  string // what was typed last and fits no answer
}

const none = -1

// longestTyped keeps a pasted file from being drawn again with every letter; no word is that long.
const longestTyped = 80

// newChoice refuses lists in which typing a word would not be enough to tell the answer.
func newChoice(answers []Answer, fallback string) (choice, error) {
	c := choice{fallback: none, picked: none}
	for i, a := range answers {
		word := plainLine(a.Word)
		if word == "" || word != strings.TrimSpace(a.Word) {
			return choice{}, fmt.Errorf("answer %q cannot be typed", a.Word)
		}
		if slices.ContainsFunc(c.answers, func(b Answer) bool { return strings.EqualFold(b.Word, word) }) {
			return choice{}, fmt.Errorf("answer %q is there twice", a.Word)
		}
		if word == fallback {
			c.fallback = i
		}
		c.answers = append(c.answers, Answer{Word: word, Also: plainLine(a.Also), Help: plainLine(a.Help)})
	}
	if len(answers) == 0 {
		return choice{}, errors.New("the question has no answers")
	}
	if c.fallback == none {
		return choice{}, fmt.Errorf("the default %q is none of the answers", fallback)
	}
	return c, nil
}

// matches are the answers that the typed text can still become: the one it spells out, or all that it begins.
func (c choice) matches() []int {
	typed := strings.ToLower(strings.TrimSpace(c.typed))
	var found []int
	for i, a := range c.answers {
		word, also := strings.ToLower(a.Word), strings.ToLower(a.Also)
		if word == typed || also != "" && also == typed {
			return []int{i}
		}
		if strings.HasPrefix(word, typed) || strings.HasPrefix(also, typed) {
			found = append(found, i)
		}
	}
	return found
}

// chosen is the answer that Enter gives, or none:
// the one picked with the arrows; the default while nothing is typed; the only one that the typed text fits.
func (c choice) chosen() int {
	if c.picked != none {
		return c.picked
	}
	if c.typed == "" && c.refused != "" {
		return none // whoever typed a wrong word means no default
	}
	if c.typed == "" {
		return c.fallback
	}
	if found := c.matches(); len(found) == 1 {
		return found[0]
	}
	return none
}

// press is the choice after a key. Whatever changes the text also undoes what the arrows picked. A
// word that fits no answer is taken away by Enter.
func (c choice) press(key rune) choice {
	switch key {
	case terminal.KeyEnter, '\n':
		if len(c.matches()) == 0 {
			c.typed, c.refused = "", c.typed
		}
	case terminal.KeyArrowUp:
		return c.move(-1)
	case terminal.KeyArrowDown, terminal.KeyTab:
		return c.move(1)
	case terminal.KeyBackspace, terminal.KeyDelete:
		typed := []rune(c.typed)
		c.typed, c.picked = string(typed[:max(len(typed)-1, 0)]), none
	case terminal.KeyDeleteWord, terminal.KeyDeleteLine, keyKillLine:
		c.typed, c.picked, c.refused = "", none, ""
	default:
		if unicode.IsPrint(key) && len(c.typed) < longestTyped {
			c.typed, c.picked = c.typed+string(key), none
		}
	}
	return c
}

// keyKillLine is Ctrl-U, which empties the line in every shell.
const keyKillLine = '\x15'

// move goes up or down among the matches, around their ends.
func (c choice) move(step int) choice {
	found := c.matches()
	if len(found) == 0 {
		return c
	}
	at := slices.Index(found, c.chosen())
	if at == none && step < 0 {
		at = 0
	}
	c.picked = found[(at+step+len(found))%len(found)]
	return c
}

// lines is the list below the question, broken between words so that it fits the width; no width breaks nothing.
func (c choice) lines(s Style, width int) string {
	var b strings.Builder
	widest := 0
	for _, a := range c.answers {
		widest = max(widest, Columns(a.Word))
	}
	found := c.matches()
	for i, a := range c.answers {
		if !slices.Contains(found, i) {
			continue
		}
		mark, margin := "  ", 2+widest+2
		if i == c.chosen() {
			mark = s.Bold("> ")
		}
		help := Wrap("", a.Help, 0, max(1, width-margin))
		if width == 0 {
			help = []string{a.Help}
		}
		word := a.Word + strings.Repeat(" ", widest-Columns(a.Word)+2)
		b.WriteString(mark + strings.TrimRight(word+s.Dim(help[0]), " "))
		for _, more := range help[1:] {
			b.WriteString("\n" + strings.Repeat(" ", margin) + s.Dim(more))
		}
		b.WriteString("\n")
	}
	b.WriteString(s.Dim(c.hint(len(found))) + "\n")
	return b.String()
}

// hint is the line below the answers: the effect of Enter.
func (c choice) hint(found int) string {
	switch {
	case found == 0:
		return fmt.Sprintf("No answer begins with %q; Enter clears it.", c.typed)
	case c.typed == "" && c.chosen() == none:
		return fmt.Sprintf("No answer begins with %q. Type one of these, then Enter.", c.refused)
	case c.chosen() == none:
		return "Several answers begin like that; type on."
	case c.typed == "" && c.picked == none:
		return "Type an answer, then Enter. Enter alone means " + c.answers[c.fallback].Word + "."
	}
	return "Enter answers " + c.answers[c.chosen()].Word + "."
}
