package checkpoint

import (
	"bytes"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// testResult matches a line that a test program prints, by its beginning.
var testResult = lazyregexp.New(`^\s*(?:(?:PASS|FAIL)(?:\s+\S*[/.]\S*.*)?$|--- (?:PASS|FAIL|SKIP): |=== RUN|` +
	`(?:not )?ok\s+(?:\d+(?:\s|$)|\S+\s+(?:\(cached\)|\d\S*s(?:\s|$)))|test result: (?:ok|FAILED)|` +
	`\d+% tests passed|(?:Passed|Failed)!  - Failed:)`)

// runnerWords are the words that make a test command of a program, flags and "run" between them aside.
// A word that ends in a sign is the beginning of one.
func runnerWords(program string) []string {
	switch program {
	case "go", "cargo", "bun", "deno", "dotnet", "swift", "bazel", "mix", "sbt", "stack", "cabal", "flutter", "dart",
		"rails", "rake", "zig", "meson", "playwright", "ng", "nx", "just", "composer", "hatch", "mage", "lein", "poe",
		"task", "artisan", "manage.py":
		return []string{"test", "tests", "nextest", "test:"}
	case "npm", "pnpm", "yarn":
		return []string{"test", "test:", "test-"}
	case "mvn", "mvnw", "gradle", "gradlew":
		return []string{"test", "check", "verify"}
	case "make": // "make tests pass" is what people say, not what they type
		return []string{"test", "check", "test-", "test_"}
	case "cypress":
		return []string{"run"}
	}
	return nil
}

// runsTests reports whether a program does nothing but run tests.
// A name that is also a word counts only where a command stands.
func runsTests(program string, launched bool) bool {
	switch program {
	case "pytest", "py.test", "vitest", "phpunit", "rspec", "ctest", "gotestsum":
		return true
	case "jest", "mocha", "tox", "bats", "pest", "unittest":
		return launched
	}
	return false
}

// testCommand reports whether a line holds the words of a test command, or a number of tests that ran.
func testCommand(text []byte) bool {
	const around = "\"'`(){}[];&|,$>.!"
	var wanted []string // words that make a test command of the program before them
	launch, number, before := true, false, ""
	for field := range bytes.FieldsSeq(text) {
		word := string(bytes.Trim(field, around))
		word = word[strings.LastIndexAny(word, "/\"'`(=")+1:]
		launched := launch || bytes.Contains(field, []byte("bin/")) || bytes.Contains(field, []byte(`command"`))
		is := func(want string) bool {
			return word == want || strings.ContainsAny(want, ":-_") && strings.HasPrefix(word, want)
		}
		count := word != "" && strings.Trim(word, "0123456789") == ""
		switch {
		case slices.ContainsFunc(wanted, is), runsTests(word, launched),
			number && slices.Contains([]string{"passed", "failed", "passing", "failing"}, word),
			number && strings.HasPrefix(word, "example") && field[len(field)-1] == ',',
			count && slices.Contains([]string{"Ran", "Executed", "run:", "OK"}, before):
			return true
		}
		number = count || number && (word == "test" || word == "tests")
		launch = word == "" || slices.Contains([]string{"npx", "bunx", "exec", "yarn", "pnpm", "run", "-m", "%", "#"},
			word)
		if words := runnerWords(word); words != nil {
			wanted = words
		} else if word != "run" && word != "build" && field[0] != '-' {
			wanted = nil
		}
		before = word
	}
	return false
}

// TestDetector detects in a transcript whether tests were run, by common test commands and common lines of test
// results. It ignores text inside of blocks, because a claim is not evidence. It is a heuristic that prefers false
// positives: a command that the agent only mentions counts as a run. It holds at most one line of 64 KiB in memory
// and reads longer lines in pieces. It also finds lines inside of JSON strings, where a line ends with \n. A
// TestDetector must not be used by several goroutines at once.
type TestDetector struct {
	commands []string
	buf      []byte
	scratch  []byte
	seen     bool

	block bool // between a header and its closing rule
	rule  rune // of the header's lower rule, 0 before it
	size  int  // bytes of the block so far
}

// overlap is how much of a long line is read again with its next piece.
const overlap = 256

// NewTestDetector returns a TestDetector for a new transcript.
// The commands are the project's own test commands; a line that contains one counts as a test run.
func NewTestDetector(commands ...string) *TestDetector {
	return &TestDetector{commands: commands}
}

// Seen reports whether a test run was detected so far, including in a last line that is not complete yet.
func (d *TestDetector) Seen() bool {
	probe := *d // the line may go on
	probe.scratch = nil
	probe.line(d.buf)
	return probe.seen
}

// Feed reads the next bytes of the transcript. They can begin and end anywhere in a line.
func (d *TestDetector) Feed(p []byte) {
	for len(p) > 0 && !d.seen {
		piece, rest, ended := bytes.Cut(p, []byte("\n"))
		if room := maxLine - len(d.buf); len(piece) > room {
			piece, rest, ended = p[:room], p[room:], false
		}
		d.buf, p = append(d.buf, piece...), rest
		switch {
		case ended:
			d.line(d.buf)
			d.buf = d.buf[:0]
		case len(d.buf) == maxLine:
			d.line(d.buf)
			d.buf = append(d.buf[:0], d.buf[maxLine-overlap:]...)
		}
	}
}

// line cuts a line of the transcript at carriage returns and at line breaks written in JSON.
func (d *TestDetector) line(b []byte) {
	if !d.block && !promising(b) && !d.own(b) {
		return
	}
	for len(b) > 0 && !d.seen {
		part, rest, _ := bytes.Cut(b, []byte(`\n`))
		if i := bytes.IndexByte(part, '\r'); i >= 0 {
			part, rest = b[:i], b[i+1:]
		}
		b = rest
		d.words(part)
	}
}

// promising is the cheap filter: every sign holds one of these, and so does a header.
// A terminal sequence may split the words, so a line with one is always read.
func promising(b []byte) bool {
	return slices.ContainsFunc([]string{"\x1b", "est", "PASS", "FAIL", "pass", "Passed!", "fail", "Failed!", "ok",
		"make",
		"gradle", "mvn", "spec", "tox", "mocha", "bats", "cypress", "exampl", "phpunit", "OK (", "Ran", "Executed",
		headerWords}, func(s string) bool { return bytes.Contains(b, []byte(s)) })
}

func (d *TestDetector) words(part []byte) {
	var text []byte
	text, d.scratch = clean(part, d.scratch)
	if bytes.Contains(text, []byte(headerWords+":")) {
		d.block, d.rule, d.size = true, 0, 0
		return
	}
	if d.block && d.inBlock(text) {
		return
	}
	if bytes.Contains(text, []byte("import ")) {
		return // a source file that uses a test package, not a run of it
	}
	text = bytes.ReplaceAll(text, []byte(`\t`), []byte("\t"))
	d.seen = testCommand(text) || testResult.Match(text) || d.own(text)
}

// own reports whether the text holds one of the project's own test commands.
func (d *TestDetector) own(text []byte) bool {
	return slices.ContainsFunc(d.commands, func(c string) bool { return c != "" && bytes.Contains(text, []byte(c)) })
}

// inBlock reports whether the line belongs to a block,
// which ends with the rule that closes it or at the size that no block has.
// Header words without a rule below them are prose.
func (d *TestDetector) inBlock(text []byte) bool {
	d.size += len(text) + 1
	// In JSON a rule can be escaped, and the closing one can carry the end of its string.
	line, _, _ := strings.Cut(strings.ReplaceAll(string(text), `\u2550`, "═"), `"`)
	rule := ruleOf([]byte(line))
	switch {
	case d.size > maxBlock, d.rule == 0 && rule == 0 && !onlyIndent(text):
		d.block = false
		return false
	case d.rule == 0:
		d.rule = rule
	case rule == d.rule:
		d.block = false
	}
	return true
}
