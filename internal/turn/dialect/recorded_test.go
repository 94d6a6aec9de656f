package dialect

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/checkpoint"
)

// summary is what supervision gets out of a transcript.
type summary struct {
	words, session      string
	blocks, refused     int
	tools, results      int
	limited, failed     int
	until               int // seconds from the beginning
	ended, unreadable   int
	tokens              int
	unreadables, faults []string
}

func summarize(events []Event) summary {
	var s summary
	for _, e := range events {
		switch e.Kind {
		case Words:
			s.words += e.Text
		case Session:
			s.session = e.Text
		case Tool:
			s.tools++
		case Result:
			s.results++
		case Refused:
			s.refused++
		case Limited:
			s.limited++
			if !e.Until.IsZero() {
				s.until = int(e.Until.Unix())
			}
		case Failed:
			s.failed++
			s.faults = append(s.faults, e.Text)
		case Ended:
			s.ended++
		case Used:
			s.tokens = e.Usage.Input + e.Usage.Output
		case Unreadable:
			s.unreadable++
			s.unreadables = append(s.unreadables, e.Text)
		}
	}
	scanner := checkpoint.NewScanner("AGT-001")
	for _, item := range append(scanner.Feed([]byte(s.words)), scanner.Close()...) {
		if item.Kind == checkpoint.Valid {
			s.blocks++
		}
	}
	return s
}

// String is the summary in one line of the golden file.
func (s summary) String() string {
	text := fmt.Sprintf("blocks %d, session %.12s, tools %d, results %d, refused %d, limited %d until %ds, failed "+
		"%d, ended %d, tokens %d", s.blocks, s.session,
		s.tools, s.results, s.refused, s.limited, s.until, s.failed, s.ended, s.tokens)
	for _, more := range append(s.unreadables, s.faults...) {
		text += "; " + oneLine(more)
	}
	return text
}

// TestRecorded reads what the real programs printed, and holds what comes out of it against testdata/recorded.txt.
// However the transcript is cut into pieces, the same comes out.
func TestRecorded(t *testing.T) {
	want, err := os.ReadFile("testdata/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/recorded/*.jsonl")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	var got strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		whole := decodeAll(data, len(data))
		fmt.Fprintf(&got, "%s: %s\n", strings.TrimSuffix(filepath.Base(f), ".jsonl"), summarize(whole))
		for _, size := range []int{1, 7, 4096} {
			if pieces := decodeAll(data, size); !reflect.DeepEqual(pieces, whole) {
				t.Errorf("%s in pieces of %d: %d events, whole %d", f, size, len(pieces), len(whole))
			}
		}
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func decodeAll(data []byte, size int) []Event {
	d := Decoder{Now: func() time.Time { return time.Unix(0, 0) }}
	var all []Event
	for piece := range slices.Chunk(data, max(1, size)) {
		all = append(all, d.Feed(piece)...)
	}
	return append(all, d.Close()...)
}

// TestBadLines holds what comes of lines that no program should print.
func TestBadLines(t *testing.T) {
	ok := `{"type":"item.completed","item":{"type":"agent_message","text":"fine"}}` + "\n"
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"nothing":                     {"", ""},
		"cut in the middle of a line": {ok + ok[:40], "fine\n"},
		"no last newline":             {strings.TrimSuffix(ok, "\n"), "fine\n"},
		"standard error between": {"npm warn x\n" + ok + "  at Object.<anonymous> (x.js:1)\n" + ok,
			"fine\nfine\n"},
		"invalid UTF-8": {"{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"a\xff" +
			"\xfeb\"}}\n" + ok,
			"a\ufffd\ufffdb\nfine\n"},
		"carriage returns": {strings.ReplaceAll(ok, "\n", "\r\n"), "fine\n"},
		"no object":        {"[1,2]\n\"x\"\n17\n" + ok, "fine\n"},
		"no type":          {`{"text":"AGENT CHECKPOINT: AGT-001"}` + "\n" + ok, "fine\n"},
		"wrong types": {`{"type":"assistant","message":[1]}` + "\n" +
			`{"type":"item.completed","item":"x"}` + "\n" + `{"type":17}` + "\n" + ok, "fine\n"},
		"a sub-agent's words":          {`{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"not mine"}]}}` + "\n" + ok, "fine\n"},
		"tool output that looks alike": {`{"type":"user","message":{"content":[{"type":"tool_result","content":"AGENT CHECKPOINT: AGT-001"}]}}` + "\n" + ok, "fine\n"},
		"words in pieces": {`{"type":"message","role":"assistant","content":"one ","delta":true}` + "\n" +
			`{"type":"message","role":"assistant","content":"two","delta":true}` + "\n", "one two\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := summarize(decodeAll([]byte(c.text), 5)).words; got != c.want {
				t.Errorf("words %q, want %q", got, c.want)
			}
		})
	}
	s := summarize(decodeAll([]byte(strings.Repeat(`{"type":"news.today"}`+"\n", 1000)), 4096))
	if s.unreadable != 1 {
		t.Errorf("an unknown event is told %d times", s.unreadable)
	}
}

// TestEndlessLine holds that a line without an end takes no memory, is said once, and what follows it is read.
func TestEndlessLine(t *testing.T) {
	var d Decoder
	piece := bytes.Repeat([]byte("x"), 1<<20)
	d.Feed([]byte(`{"type":"`))
	for range 100 {
		if events := d.Feed(piece); len(events) > 0 {
			t.Fatalf("events of an endless line: %v", events)
		}
		if cap(d.line) > 2*maxLine {
			t.Fatalf("it holds %d bytes", cap(d.line))
		}
	}
	s := summarize(append(d.Feed([]byte("\n"+`{"type":"turn.completed","usage":{"input_tokens":3,"output_tokens":4}}`+
		"\n")), d.Close()...))
	if s.unreadable != 1 || s.ended != 1 || s.tokens != 7 {
		t.Errorf("%+v", s)
	}
}

func FuzzDecoder(f *testing.F) {
	files, _ := filepath.Glob("testdata/recorded/*-denied.jsonl")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 4<<10)], 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		whole, pieces := decodeAll(data, len(data)), decodeAll(data, size%97)
		if !reflect.DeepEqual(whole, pieces) {
			t.Errorf("%d events whole, %d in pieces", len(whole), len(pieces))
		}
	})
}

// Programs that say which model they ask say so as they begin.
func TestModel(t *testing.T) {
	for name, want := range map[string]string{"claude-basic": "claude-opus-5-5",
		"gemini-resume": "gemini-2.5-pro"} {
		data, err := os.ReadFile(filepath.Join("testdata", "recorded", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, e := range (&Decoder{}).Feed(data) {
			if e.Kind == Model {
				said = append(said, e.Text)
			}
		}
		if !slices.Equal(said, []string{want}) {
			t.Errorf("%s: models %q, want %q", name, said, want)
		}
	}
}
