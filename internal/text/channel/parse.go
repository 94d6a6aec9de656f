package channel

import (
	"bytes"
	"delegate/internal/text/lazyregexp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Verb says what a command asks for.
type Verb string

// The verbs, as they are written between brackets.
const (
	Pause  Verb = "PAUSE"         // start nothing new
	Resume Verb = "RESUME"        // go on after a pause
	Abort  Verb = "ABORT"         // end one agent, or all of them if it names none
	Status Verb = "STATUS"        // write the state file now
	Focus  Verb = "FOCUS_ON_TASK" // prefer an agent, or work that a text describes
)

func verbs() []Verb { return []Verb{Pause, Resume, Abort, Status, Focus} }

// Command is one line of COMMANDS.md that asks for something.
type Command struct {
	Line  int    // in the file, from 1
	Raw   string // the line without blanks, list mark and backquotes around it; it identifies the command
	Stamp string // the timestamp as written
	Verb  Verb
	Agent string // AGT-001, whatever way it was written; "" unless Abort or Focus names one
	Text  string // the message behind the verb and the agent
}

// Fault is a line of COMMANDS.md that is neither a command nor a comment, or that hides commands.
type Fault struct {
	Line    int    // in the file, from 1
	Raw     string // as in Command
	Problem string // what is wrong and how to write it
}

// sample is the form that faults show.
const sample = "[2026-01-02 15:04]"

// Two forms are meant as commands: two brackets, and one bracket around a verb.
// A bracket before another bracket, or before an opening parenthesis, is a link unless a verb stands in it.
var (
	twoBrackets = lazyregexp.New(`^\[([^\[\]]*)\]([\s\p{Zs}]*)\[([^\[\]]*)\](.*)$`)
	oneBracket  = lazyregexp.New(`^\[([^\[\]]*)\](.*)$`)
	agentID     = lazyregexp.New(`^(?i:AGT)-([0-9]{1,9})$`)
)

// parseLine reads one line; both results are nil if it is not meant as a command.
func parseLine(no int, raw string) (*Command, *Fault) {
	if m := twoBrackets.FindStringSubmatch(raw); m != nil {
		verb, known := verbOf(m[3])
		if !known && (m[2] == "" || strings.HasPrefix(m[4], "(")) {
			return nil, nil
		}
		c := &Command{Line: no, Raw: raw, Stamp: strings.TrimSpace(m[1]), Verb: verb, Text: strings.TrimSpace(m[4])}
		problem := stampProblem(c.Stamp, verb)
		if !known {
			problem = fmt.Sprintf("%q is no command; write one of %s, and what it is about behind the bracket", m[3],
				strings.ReplaceAll(strings.Trim(fmt.Sprint(verbs()), "[]"), " ", ", "))
		}
		if problem == "" {
			problem = c.readText()
		}
		if problem != "" {
			return nil, &Fault{no, raw, problem}
		}
		return c, nil
	}
	if m := oneBracket.FindStringSubmatch(raw); m != nil && !strings.HasPrefix(m[2], "(") {
		if verb, known := verbOf(m[1]); known {
			return nil, &Fault{no, raw, stampProblem("", verb)}
		}
	}
	return nil, nil
}

func verbOf(word string) (Verb, bool) {
	word = strings.ToUpper(strings.Join(strings.FieldsFunc(word, isJoint), "_"))
	for _, v := range verbs() {
		if word == string(v) {
			return v, true
		}
	}
	return "", false
}

func isJoint(r rune) bool { return r == ' ' || r == '\t' || r == '-' || r == '_' }

// stampProblem takes whatever a person may mean as a time. The digit keeps out a form that was
// copied and not filled in.
func stampProblem(stamp string, verb Verb) string {
	if strings.ContainsFunc(stamp, unicode.IsDigit) {
		return ""
	}
	if stamp == "" {
		return fmt.Sprintf("the time is missing; write %s [%s] …", sample, verb)
	}
	return fmt.Sprintf("%q is no time; write %s [%s] …", stamp, sample, verb)
}

// readText splits the agent off the message and returns what is wrong with it, or "".
func (c *Command) readText() string {
	switch first, rest := cutWord(c.Text); c.Verb {
	case Abort:
		if c.Text == "" {
			return ""
		}
		id, ok := readAgent(first)
		if !ok {
			return fmt.Sprintf(
				"%q is no agent; write ABORT with an id such as AGT-001, or with nothing behind it to end all",
				first,
			)
		}
		if namesAgent(rest) {
			return "it names more than one agent; write one line for each"
		}
		c.Agent, c.Text = id, rest
	case Focus:
		if c.Text == "" {
			return "it names no task; write an agent such as AGT-001, or what to work on, behind it"
		}
		if id, ok := readAgent(first); ok {
			c.Agent, c.Text = id, rest
		}
	}
	return ""
}

// cutWord separates the first word.
func cutWord(text string) (word, rest string) {
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// readAgent takes an agent's id in any case of letters, in backquotes, and with a mark of punctuation behind it.
func readAgent(word string) (string, bool) {
	m := agentID.FindStringSubmatch(strings.Trim(strings.TrimRight(word, ".,:;"), "`*"))
	if m == nil {
		return "", false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n == 0 {
		return "", false
	}
	return fmt.Sprintf("AGT-%03d", n), true
}

// namesAgent tells a second agent from a reason that happens to speak of one.
func namesAgent(text string) bool {
	word, rest := cutWord(text)
	switch strings.ToLower(word) {
	case "and", "&", "+", ",", "or":
		word, _ = cutWord(rest)
	}
	_, ok := readAgent(word)
	return ok
}

// Parse reads COMMANDS.md; both lists are in the order of lines. Headings, quotations, HTML comments, fenced code and
// lines without a letter or a digit are comments, and in neither.
//
// A last line without its newline may still be being typed: it is in neither list, and open says that it would be.
// Once the file has not changed for a while, the caller parses it with a newline added.
func Parse(data []byte) (commands []Command, faults []Fault, open bool) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, []Fault{{Line: 1, Problem: "the file is UTF-16; save it as UTF-8"}}, false
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	var b block
	no := 0
	for whole := range strings.Lines(text) {
		no++
		command, fault := b.read(no, strip(whole))
		switch {
		case command == nil && fault == nil:
		case !strings.HasSuffix(whole, "\n"):
			open = true
		case fault != nil:
			faults = append(faults, *fault)
		default:
			commands = append(commands, *command)
		}
	}
	switch {
	case !b.hides:
	case strings.HasSuffix(text, "\n"):
		faults = append(faults, b.fault())
	default:
		open = true
	}
	return commands, faults, open
}

// strip takes off what Markdown puts around a line: blanks, a list mark, the backquotes of code.
// It leaves a line that opens or closes a code fence as it is, but for blanks and the list mark.
func strip(line string) string {
	line = strings.TrimSpace(line)
	if len(line) > 1 && strings.IndexByte("-*+", line[0]) >= 0 && (line[1] == ' ' || line[1] == '\t') {
		line = strings.TrimSpace(line[1:])
	}
	if bare := strings.Trim(line, "`"); strings.HasPrefix(line, "`") && strings.HasSuffix(line, "`") && bare != "" {
		return strings.TrimSpace(bare)
	}
	return line
}

// block is the code fence or HTML comment that the reader is in; the zero block is none.
type block struct {
	mark   string // the run of backquotes or tildes of a fence, or the opening of a comment
	line   int
	opener string
	hides  bool // a line in it would be a command or a fault
}

const (
	commentOpens  = "<!--"
	commentCloses = "-->"
)

func (b *block) read(no int, line string) (*Command, *Fault) {
	if b.mark != "" {
		command, fault := parseLine(no, line)
		b.hides = b.hides || command != nil || fault != nil
		if b.closedBy(line) {
			*b = block{}
		}
		return nil, nil
	}
	if mark := opens(line); mark != "" {
		*b = block{mark: mark, line: no, opener: line}
		if mark == commentOpens && strings.Contains(line, commentCloses) {
			*b = block{}
		}
		return nil, nil
	}
	command, fault := parseLine(no, line)
	if command == nil && fault == nil && !isComment(line) {
		first, _ := cutWord(line)
		problem := "it is no command; write one such as " + sample + " [PAUSE], and begin your own words with # or >"
		if verb, known := verbOf(strings.TrimRight(first, ".,:;!")); known {
			problem = stampProblem("", verb)
		}
		fault = &Fault{no, line, problem}
	}
	return command, fault
}

func isComment(line string) bool {
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, ">") ||
		!strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// opens is the mark of the block that begins with the line, or "".
func opens(line string) string {
	if strings.HasPrefix(line, commentOpens) {
		return commentOpens
	}
	mark := run(line)
	if len(mark) < 3 || mark[0] == '`' && strings.Contains(line[len(mark):], "`") {
		return ""
	}
	return mark
}

func (b *block) closedBy(line string) bool {
	if b.mark == commentOpens {
		return strings.Contains(line, commentCloses)
	}
	return line == run(line) && len(line) >= len(b.mark) && line[0] == b.mark[0]
}

// run is the run of backquotes or tildes that the line begins with.
func run(line string) string {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	return line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
}

// fault is told about a block that never ends, for a person who wrote a command below it waits in vain.
func (b *block) fault() Fault {
	kind := "code fence"
	if b.mark == commentOpens {
		kind = "comment"
	}
	return Fault{b.line, b.opener, "this " + kind + " never ends, so the commands below it are not read"}
}
