package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"delegate/internal/text/lazyregexp"
)

// maxLine is the longest line that is read, in bytes. What is longer is passed over and reported.
const maxLine = 16 << 20

// Decoder reads a transcript as it grows. The zero Decoder is ready. Its memory is bounded by the longest line.
type Decoder struct {
	// Now gives the time that a provider's pause is counted from; nil stands for time.Now.
	Now func() time.Time
	// Given is the conversation that the program was told to begin or to go on with; "" where it chooses.
	Given string

	line    []byte
	skipped int64 // bytes of a line that is too long
	open    bool  // the agent's words have not ended their line
	said    string
	session string
	usage   Usage

	over      bool             // the turn's end or a failure was told
	complaint string           // the last line on standard error that may say why it ends
	fault     string           // of pi's or copilot's model, while nothing came after it
	model     string           // of pi's last answer
	asked     map[string]Usage // of claude's answers since its last result, by their id
	unknown   map[string]bool
}

// Feed takes the next bytes and returns what they completed.
func (d *Decoder) Feed(p []byte) []Event {
	var all []Event
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			d.grow(p)
			return all
		}
		d.grow(p[:end])
		all = append(all, d.endLine()...)
		p = p[end+1:]
	}
	return all
}

// Close reads a last line that was not ended.
func (d *Decoder) Close() []Event {
	all := d.endLine()
	if why := cmp.Or(d.fault, d.complaint); why != "" && !d.over {
		all = append(all, d.finish(d.gaveUp(why))...)
	}
	if d.open {
		d.open = false
		all = append(all, Event{Kind: Words, Text: "\n"})
	}
	return all
}

func (d *Decoder) grow(p []byte) {
	if d.skipped > 0 || len(d.line)+len(p) > maxLine {
		d.skipped += int64(len(d.line) + len(p))
		d.line = d.line[:0]
		return
	}
	d.line = append(d.line, p...)
}

// endLine reads the line that was gathered.
func (d *Decoder) endLine() []Event {
	line := bytes.TrimSpace(d.line)
	skipped := d.skipped
	defer func() {
		if cap(d.line) > 1<<20 {
			d.line = nil // one long line is no reason to hold its memory
		}
		d.line, d.skipped = d.line[:0], 0
	}()
	if skipped > 0 {
		return []Event{{Kind: Unreadable, Text: fmt.Sprintf("a line of %d bytes", skipped)}}
	}
	if len(line) == 0 || line[0] != '{' {
		return d.finish(d.plain(string(line[:min(len(line), 4<<10)])))
	}
	var l event
	if err := json.Unmarshal(line, &l); err != nil || l.Type == "" {
		return nil
	}
	return d.finish(d.read(l, line))
}

// retrying is how gemini says on standard error that it tries again.
var retrying = lazyregexp.New(`^Attempt \d+ failed.*Retrying(?: after (\d+)ms)?`)

// streamError is how opencode says in its log that a question to the agent's model failed, which it may ask again.
var streamError = lazyregexp.New(`level=ERROR .*message="stream error".* small=false .*error="(?:\w+: )?((?:[^"\\]|\\.)+)"`)

// blocked is how codex says in its log that a hook refused a tool: why, and the command line or the first line of a
// patch. It has no event for that.
var blocked = lazyregexp.New(`codex_core::tools::router: error=Command blocked by PreToolUse hook: (.*)\. Command: (.*)`)

// plain reads a line that is no event: standard error, or a program's greeting. A pause is taken from it, and
// why the program ends, for one that tells nothing else of that.
func (d *Decoder) plain(line string) []Event {
	if m := blocked.FindStringSubmatch(line); m != nil {
		if strings.HasPrefix(m[2], "*** ") {
			return []Event{{Kind: Refused, Text: m[1]}}
		}
		return []Event{{Kind: Refused, Text: m[2] + ": " + m[1]}}
	}
	if m := streamError.FindStringSubmatch(line); m != nil {
		return triesAgain(m[1], FaultOf(m[1]), time.Time{})
	}
	m, fault := retrying.FindStringSubmatch(line), FaultOf(line)
	if m == nil {
		if complaint.MatchString(line) && (fault == Passing || fault == NoLogin) {
			d.complaint = line
		}
		return nil
	}
	var until time.Time
	if ms, err := strconv.Atoi(m[1]); err == nil {
		until = d.now().Add(time.Duration(ms) * time.Millisecond)
	}
	return triesAgain(line, fault, until)
}

// complaint is a line on standard error that says why a program ends.
var complaint = lazyregexp.New(`(?i)^\W{0,3}(\w* ?error\b|fatal\b|failed\b|unable to\b|cannot\b|please )`)

// read chooses the form by what the line is.
func (d *Decoder) read(l event, line []byte) []Event {
	switch {
	case len(l.Data) > 0, l.Type == "result" && l.ExitCode != nil:
		return d.copilot(l)
	case isPi(l.Type):
		return d.pi(l, line)
	case len(l.Part) > 0 || l.SessionID != "":
		return d.opencode(l)
	case strings.Contains(l.Type, "."):
		return d.codex(l)
	case l.Type == "init", l.Type == "message", l.Type == "tool_use", l.Type == "tool_result", l.Type == "result" &&
		l.Subtype == "" && l.Status != "":
		return d.gemini(l)
	case l.Type == "error":
		return d.codexError(messageOf(l.Error, messageOf(l.Message, l.Text)))
	}
	return d.claude(l, line)
}

// finish ends the agent's words before anything else is told, and drops what repeats.
func (d *Decoder) finish(events []Event) []Event {
	var all []Event
	for _, e := range events {
		switch e.Kind {
		case Session:
			if e.Text == "" || e.Text == d.session {
				continue
			}
			d.session = e.Text
		case Model:
			if e.Text = oneLine(e.Text); e.Text == "" {
				continue
			}
		case Words:
			d.open = !strings.HasSuffix(e.Text, "\n")
			all = append(all, e)
			continue
		case Ended, Failed:
			d.over = true
		case Unreadable:
			if d.unknown[e.Text] {
				continue
			}
			if d.unknown == nil {
				d.unknown = map[string]bool{}
			}
			d.unknown[e.Text] = len(d.unknown) < 100
		}
		if d.open {
			d.open = false
			all = append(all, Event{Kind: Words, Text: "\n"})
		}
		all = append(all, e)
	}
	return all
}

func (d *Decoder) now() time.Time {
	if d.Now == nil {
		return time.Now()
	}
	return d.Now()
}

// event has the fields of all forms that decide or are simple.
type event struct {
	Type      string          `json:"type"`
	Subtype   string          `json:"subtype"`
	Model     string          `json:"model"` // claude, gemini, as they begin
	Status    string          `json:"status"`
	Part      json.RawMessage `json:"part"`
	SessionID string          `json:"sessionID"`  // opencode, and copilot, since case does not count
	Session   string          `json:"session_id"` // claude, gemini
	Thread    string          `json:"thread_id"`  // codex
	Message   json.RawMessage `json:"message"`
	Error     json.RawMessage `json:"error"`
	Text      string          `json:"text"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Delta     bool            `json:"delta"`
	ToolName  string          `json:"tool_name"`
	Params    json.RawMessage `json:"parameters"`
	Output    json.RawMessage `json:"output"`
	Stats     json.RawMessage `json:"stats"`
	Usage     json.RawMessage `json:"usage"`
	Item      json.RawMessage `json:"item"`
	Data      json.RawMessage `json:"data"`     // copilot
	ExitCode  *int            `json:"exitCode"` // copilot
}

// decode reads a part of a line; what does not fit stays zero.
func decode[T any](raw json.RawMessage) T {
	var value T
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, &value) // a field of another type leaves the rest readable
	}
	return value
}

// messageOf finds the words in an error, which may be a text or an object.
func messageOf(raw json.RawMessage, otherwise string) string {
	if text := decode[string](raw); text != "" {
		return text
	}
	nested := decode[struct {
		Message string `json:"message"`
		Name    string `json:"name"`
		Data    struct {
			Message string `json:"message"`
		} `json:"data"`
	}](raw)
	return cmp.Or(nested.Message, nested.Data.Message, otherwise, nested.Name, "no reason given")
}

// about is what a tool's input is about: the path or the command, under the names that the programs use.
func about(input json.RawMessage) string {
	fields := decode[map[string]any](input)
	for _, name := range []string{"file_path", "filePath", "absolute_path", "path", "notebook_path", "command", "cmd",
		"pattern", "url", "query", "description", "prompt"} {
		switch value := fields[name].(type) {
		case string:
			if value != "" {
				return value
			}
		case []any:
			var words []string
			for _, w := range value {
				words = append(words, fmt.Sprint(w))
			}
			return strings.Join(words, " ")
		}
	}
	return questions(input)
}

// questions is what a tool for asking asks a person, with the choices; "" for any other tool's input.
func questions(input json.RawMessage) string {
	asked := decode[struct {
		Questions []struct {
			Question string `json:"question"`
			Options  []struct {
				Label string `json:"label"`
			} `json:"options"`
		} `json:"questions"`
		Question string   `json:"question"` // copilot
		Choices  []string `json:"choices"`
	}](input)
	all := []string{withChoices(asked.Question, asked.Choices)}
	for _, q := range asked.Questions {
		var choices []string
		for _, o := range q.Options {
			choices = append(choices, o.Label)
		}
		all = append(all, withChoices(q.Question, choices))
	}
	return strings.TrimSpace(strings.Join(all, " "))
}

// withChoices is a question with what may be chosen.
func withChoices(question string, choices []string) string {
	if len(choices) == 0 {
		return question
	}
	return question + " [" + strings.Join(choices, " | ") + "]"
}

// textOf reads a content that is a text, or a list of parts with texts.
func textOf(raw json.RawMessage) string {
	if text := decode[string](raw); text != "" {
		return text
	}
	var b strings.Builder
	for _, part := range decode[[]struct {
		Text string `json:"text"`
	}](raw) {
		b.WriteString(part.Text)
	}
	return b.String()
}
