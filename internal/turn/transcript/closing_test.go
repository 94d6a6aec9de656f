package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/checkpoint"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// printed is a turn in a program's two ways to print it: as text, and as events, in which "·" begins a tool.
func printed(t *testing.T, output dialect.Output, parts ...string) *Reader {
	t.Helper()
	p := &project.Project{Now: time.Now, Config: config.Default(), Private: t.TempDir()}
	turn := keeper.Turn{Dir: p.TurnDir("s", "AGT-001", 1)}
	if _, err := keeper.Prepare(turn.Dir, "", keeper.Spec{Output: output}); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, part := range parts {
		tool, isTool := strings.CutPrefix(part, "·")
		switch {
		case output == dialect.PlainText && !isTool:
			text.WriteString(part + "\n")
		case output == dialect.PlainText:
			text.WriteString(tool + ": it says much\n\n")
		case isTool:
			text.WriteString(event(t, map[string]any{"type": "item.started",
				"item": map[string]string{"type": "command_execution", "command": tool}}))
		default:
			text.WriteString(event(t, map[string]any{"type": "item.completed",
				"item": map[string]string{"type": "agent_message", "text": part}}))
		}
	}
	if err := os.WriteFile(turn.Output(), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Open(p, registry.Session{ID: "s"}, registry.Agent{ID: "AGT-001", Turns: 1}, Steady())
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	return r
}

func event(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}

// TestClosing holds what is taken for an agent's closing words, and what for words behind its block.
func TestClosing(t *testing.T) {
	block := checkpoint.Block{Agent: "AGT-001", Status: checkpoint.Complete, Request: checkpoint.Merge,
		Progress: -1}.String()
	asks := checkpoint.Block{Agent: "AGT-001", Status: checkpoint.Blocked, Questions: "Which?",
		Request:  checkpoint.Help,
		Progress: -1}.String()
	for name, c := range map[string]struct {
		parts []string
		want  Closing
		plain *Closing // where text tells less
	}{
		"a summary": {[]string{"Let me look.", "·go test", "I added X.\n\nKey decision: burst of 20.\n\n" + block},
			Closing{Summary: "I added X.\n\nKey decision: burst of 20."},
			&Closing{Summary: "Let me look.\ngo test: it says much\n\nI added X.\n\nKey decision: burst of 20."}},
		"in a fence":             {[]string{"Done:\n\n```text\n" + block + "```"}, Closing{Summary: "Done:"}, nil},
		"after an earlier block": {[]string{asks, "Done.", block}, Closing{Summary: "Done."}, nil},
		"a question behind it": {[]string{"I will end with:\n\n" + block, "But I am not done: which format?"},
			Closing{Summary: "I will end with:", After: "But I am not done: which format?", Asks: true}, nil},
		"words behind it": {[]string{block, "I added it in `a ?`:\n\n```go\nx := a ?\n```"},
			Closing{After: "I added it in `a ?`:\n\nx := a ?"}, nil},
		"words behind one in a fence": {[]string{"```\n" + block + "```\n\nWhich one, `a`?\n\n```\nb\n```"},
			Closing{After: "Which one, `a`?\n\nb", Asks: true}, nil},
		"a tool behind it": {[]string{block, "·git commit", "Committed as 1234."},
			Closing{After: "Committed as 1234.", Tool: true}, &Closing{}},
		"what a program says of itself": {[]string{block, "tokens used\n12,345\nApplied edit to a.go"},
			Closing{After: "tokens used\n12,345\nApplied edit to a.go"}, &Closing{}},
		"a quotation": {[]string{"An earlier agent wrote:\n", quote(block), "Shall I go on?"},
			Closing{Summary: "An earlier agent wrote:",
				Unread: words(quote(block)) + "\nShall I go on?"}, nil},
		"a quotation behind it": {[]string{block, quote(asks)}, Closing{After: words(quote(asks)), Asks: true}, nil},
		"a block of another agent": {[]string{strings.Replace(block, "AGT-001", "AGT-002", 1)},
			Closing{Unread: words(strings.Replace(block, "AGT-001", "AGT-002", 1))}, nil},
		"what tools could not write": {[]string{"mkdir: cannot create directory 'a': Permission denied", "No work."},
			Closing{Summary: "mkdir: cannot create directory 'a': Permission denied\nNo work."},
			&Closing{Summary: "No work."}},
		"a question before a list": {[]string{"Which one?\n\n- a\n- b"},
			Closing{Summary: "Which one?\n\n- a\n- b", Asks: true}, nil},
		"a question that was answered": {[]string{"Which one?\n\nI took the first."},
			Closing{Summary: "Which one?\n\nI took the first."}, nil},
		"no block": {[]string{"·go test", "Which of the two do you want?"},
			Closing{Summary: "Which of the two do you want?", Asks: true},
			&Closing{Summary: "go test: it says much\n\nWhich of the two do you want?", Asks: true}},
		"one that cannot be read": {[]string{"Hm.\n\n" + strings.Replace(asks, "BLOCKED", "WAITING", 1)},
			Closing{Summary: "Hm.", Unread: words(strings.Replace(asks, "BLOCKED", "WAITING", 1))}, nil},
		"what a tool says": {[]string{"sh: 3: cannot create a: Read-only file system\nI added it: permission denied " +
			"is left.\nmkdir: cannot create directory '/x': Permission denied\n", block},
			Closing{Summary: "sh: 3: cannot create a: Read-only file system\nI added it: permission denied is left.\n" +
				"mkdir: cannot create directory '/x': Permission denied"},
			&Closing{Summary: "I added it: permission denied is left."}},
		"colour": {[]string{"\x1b[31mRed\x1b[0m words.\r", block}, Closing{Summary: "Red words."}, nil},
	} {
		for _, output := range []dialect.Output{dialect.PlainText, dialect.EventLines} {
			want := c.want
			if output == dialect.PlainText && c.plain != nil {
				want = *c.plain
			}
			want.Said = output == dialect.EventLines
			if got := printed(t, output, c.parts...).Closing(); got != want {
				t.Errorf("%s, %s:\n%+v, want\n%+v", name, output, got, want)
			}
		}
	}
}

// TestClosingOfMuch holds that of a long text its last paragraphs count, and that what is kept of it has a bound.
func TestClosingOfMuch(t *testing.T) {
	much := strings.Repeat("A line of a log.\n", 100<<10)
	r := printed(t, dialect.PlainText, much, "\nFirst.\n\nLast.")
	if got := r.Closing().Summary; !strings.HasSuffix(got, "First.\n\nLast.") || len(r.said.text) > 2*mostSaid {
		t.Errorf("%d bytes, %d kept", len(got), len(r.said.text))
	}
	r = printed(t, dialect.PlainText, strings.Repeat("Word. ", 200), "\nOne more.\n\nLast.")
	if got := r.Closing().Summary; got != "One more.\n\nLast." {
		t.Errorf("%q", got)
	}
}

// TestSpoken holds that an agent's words at a question begin with its words.
func TestSpoken(t *testing.T) {
	for text, want := range map[string]string{
		"sed: cannot open x\n\nI renamed it.\n\n- a.go\n- b.go": "I renamed it.\n\n- a.go\n- b.go",
		"I renamed it.\n\nIt builds.":                           "I renamed it.\n\nIt builds.",
		"Renamed it.\n\nIt builds.":                             "Renamed it.\n\nIt builds.",
		"":                                                      "",
	} {
		if got := Spoken(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAsks(t *testing.T) {
	for text, want := range map[string]bool{"Which one?": true, "One of \"a\" or \"b?\"": true, "Welche? \n": true,
		"哪一个？": true, "Which one?\n\nI took the first.": true, "https://x/?a=b": false, "Done.": false,
		"Is it `a`?": true, "It is `a ?`.": false, "Really?!": true, "¿Cuál?": true, "أيهما؟": true,
		"**Which one?**":      true,
		"(or both?), I think": false, "```\nx ? y\nz ?\n```\nDone.": false, "Is it \"a\"?…": true} {
		if Asks(text) != want {
			t.Errorf("%q asks: %v", text, !want)
		}
	}
}

// TestRefusedPath holds how shells, tools and libraries say that a file could not be written.
func TestRefusedPath(t *testing.T) {
	for line, want := range map[string]string{
		"bash: line 1: command.go: Read-only file system":                       "command.go",
		"sh: 1: cannot create site/notes.md: Permission denied":                 "site/notes.md",
		"zsh: read-only file system: a b.txt":                                   "a b.txt",
		"touch: cannot touch 'a b.txt': Read-only file system":                  "a b.txt",
		"mkdir: cannot create directory ‘docs/x’: Permission denied":            "docs/x",
		"mv: cannot move 'a' to 'lib/b': Read-only file system":                 "lib/b",
		"Error: EROFS: read-only file system, open '/w/command.go'":             "/w/command.go",
		"[Error: EACCES: permission denied, mkdir '/w/lib'] {":                  "/w/lib",
		"OSError: [Errno 30] Read-only file system: 'command.go'":               "command.go",
		"PermissionError: [Errno 13] Permission denied: 'lib/x.py'":             "lib/x.py",
		"open /w/command.go: read-only file system":                             "/w/command.go",
		"2026/11/22 write: open lib/a.go: permission denied":                    "lib/a.go",
		"error: unable to create file lib/a.go: Read-only file system":          "lib/a.go",
		"Failed to write file lib/a.go: Read-only file system (os error 30)":    "lib/a.go",
		"\x1b[31mtee: out.txt: Read-only file system\x1b[0m":                    "out.txt",
		"The file system is read-only.":                                         "",
		"Read-only file system":                                                 "",
		"git@host: Permission denied (publickey).":                              "git@host",
		"mkdir: cannot create directory '/data': Read-only file system":         "/data",
		"mkdir: cannot create directory '/h/u/x': No such file or directory":    "/h/u/x",
		"sed: couldn't open temporary file lib/sedRsb9e: Read-only file system": "lib/*",
		"mkdir /h/u/x: no such file or directory":                               "/h/u/x",
		"Error: ENOENT: no such file or directory, mkdir '/h/u/x'":              "/h/u/x",
		"mkdir: cannot create directory 'a/b': No such file or directory":       "",
		"cat: /h/u/x: No such file or directory":                                "",
	} {
		if got := refusedIn(line); got.Path != want {
			t.Errorf("%q: %q, want %q", line, got.Path, want)
		}
	}
	for line, want := range map[string]bool{"cat: /etc/shadow: Permission denied": false,
		"mkdir: cannot create directory '/etc/x': Permission denied": true, "sh: /etc/x: Read-only file system": true} {
		if got := refusedIn(line); got.Sure != want {
			t.Errorf("%q is a write: %v", line, got.Sure)
		}
	}
	r := printed(t, dialect.PlainText, "sh: 1: cannot create a: Read-only file system", "sh: 2: cannot create a: "+
		"Read-only file system", strings.Repeat("x", 2*longestRefusal), "tee: b: Permission denied")
	if got := r.RefusedWrites(); !slices.Equal(got, []RefusedWrite{{"a", true}, {"b", false}}) {
		t.Errorf("refused %v", got)
	}
}

// TestEnd holds that a transcript is kept whole up to a bound, and that a cut says so at its front.
func TestEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "output")
	text := strings.Repeat("words of mine\n", 1000)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := End(file, int64(len(text)), "x"); err != nil || got != text {
		t.Errorf("%d of %d bytes, %v", len(got), len(text), err)
	}
	got, err := End(file, 100, "delegate logs x")
	mark, rest, _ := strings.Cut(got, "\n")
	if err != nil || mark != "[… cut here: the first 13902 of 14000 bytes are left out; the whole: "+
		"delegate logs x …]" ||
		rest != text[:98] {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := End(file+"x", 100, ""); err != nil || got != "\n" {
		t.Errorf("no transcript: %q, %v", got, err)
	}
}

// TestUsedTool holds that a program is asked for its hook when a tool has done its work, and not before: a call that
// was not understood never comes to the hook.
func TestUsedTool(t *testing.T) {
	begins := `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}}`
	fails := `{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,` +
		`"content":"InputValidationError"}]}}`
	works := `{"type":"user","message":{"content":[{"type":"tool_result","content":"a.go"}]}}`
	for text, want := range map[string]bool{begins: false, begins + "\n" + fails: false, begins + "\n" + works: true} {
		r := printed(t, dialect.EventLines)
		if err := os.WriteFile(r.Turn.Output(), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(); err != nil || r.UsedTool() != want {
			t.Errorf("used a tool after %s: %v, %v", text, r.UsedTool(), err)
		}
	}
}
