package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"delegate/checkpoint"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// Visible writes every character that acts instead of appearing by its name: escape sequences begin with ␛,
// characters that hide or reorder what follows are ⟨U+202E⟩, bytes that are no UTF-8 the replacement character.
// It is run over the whole page, so that nothing passes it by.
func Visible(page string) string {
	if !strings.ContainsFunc(page, ui.Acts) && utf8.ValidString(page) {
		return page
	}
	var b strings.Builder
	b.Grow(len(page) + len(page)/16)
	for _, r := range page {
		switch {
		case !ui.Acts(r):
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune('\u2400' + r) // the pictures of control characters
		case r == 0x7f:
			b.WriteRune('\u2421')
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// claims are some of an agent's, as many as are read.
type claims struct {
	Rows []checkpoint.Row
	Cut  int // how many are left out
}

// differ are the claims that the evidence does not bear out, agree the others.
func differ(rows []checkpoint.Row) claims {
	return listed(checkpoint.Differing(rows))
}

func agree(rows []checkpoint.Row) claims {
	return listed(slices.DeleteFunc(slices.Clone(rows), func(r checkpoint.Row) bool { return r.Differs }))
}

func listed(rows []checkpoint.Row) claims {
	most := min(len(rows), mostClaims)
	return claims{rows[:most], len(rows) - most}
}

// All is how many there are.
func (c claims) All() int { return len(c.Rows) + c.Cut }

// oneLine joins a text's lines.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// when is a moment for people.
func when(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2 Jan 2006, 15:04:05 UTC")
}

// approval is who approved a plan and when, with the time as the page writes times. What a person
// wrote there in another form stays as it is.
func approval(record string) string {
	at := strings.LastIndex(record, ", ")
	if at < 0 {
		return record
	}
	moment, err := time.Parse(time.RFC3339, record[at+2:])
	if err != nil {
		return record
	}
	return record[:at+2] + when(moment)
}

// stamp is a moment for programs.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// took is a duration for people.
func took(d time.Duration) string {
	d = max(0, d).Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}

// number groups the digits of large ones.
func number(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "\u202f" + text[at:]
	}
	return text
}

// short is the beginning of an object's id.
func short(id string) string { return id[:min(len(id), 12)] }

// Tones are the classes that colour a thing; its word and mark say the same.
const (
	toneGood  = "good"
	toneBad   = "bad"
	toneWait  = "wait"
	toneBusy  = "busy"
	toneQuiet = "quiet"
)

// tone is the class of a status, a severity, a test's result or a layer's state.
func tone(what any) string {
	switch fmt.Sprint(what) {
	case string(registry.Merged), string(registry.Complete), "pass", "on", "passed":
		return toneGood
	case string(registry.Failed), "error", "fail", "failed":
		return toneBad
	case string(registry.Checkpoint), "warning", string(registry.SessionMerging):
		return toneWait
	case string(registry.Running), string(registry.Spawning), string(registry.SessionActive):
		return toneBusy
	}
	return toneQuiet
}

// wordOf is the state of an agent or of the session in a word.
func wordOf(what any) string {
	if s, ok := what.(registry.Status); ok {
		return s.Word()
	}
	return strings.ToLower(fmt.Sprint(what))
}

// mark is the sign that goes with a tone, for those who do not see colours.
func mark(tone string) string {
	switch tone {
	case toneGood:
		return "✓"
	case toneBad:
		return "✕"
	case toneWait:
		return "◆"
	case toneBusy:
		return "▶"
	}
	return "○"
}

// word is a test result as people say it.
func word(tests string) string {
	switch tests {
	case "pass":
		return "passed"
	case "fail":
		return "failed"
	case "none":
		return "none configured"
	}
	return "not run"
}
