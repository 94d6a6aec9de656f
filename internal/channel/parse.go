package channel

import (
	"bytes"
	"strings"
)

// Parse reads COMMANDS.md. Headings, prose, quotations, HTML comments and fenced code are neither commands nor faults.
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
	return parseLine(no, line)
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
