//go:build bench && linux

package record

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// reel is a film of a few pictures with everything that a picture can hold.
func reel(t *testing.T) *film {
	t.Helper()
	f := &film{title: "a <film> & more"}
	s := newScreen(io.Discard)
	for line, text := range []string{"$ \x1b[1mls\x1b[0m\r\n", "<a> & \"b\"\x1b[41m red \x1b[0m\r\n", "",
		"\x1b[4;3mlast\x1b[0m\r\n"} {
		if err := s.feed([]byte(text)); err != nil {
			t.Fatal(err)
		}
		f.take(s.picture())
		f.done(line + 1)
		f.pass(time.Duration(line+1) * time.Second)
	}
	return f
}

func TestFilmCutsIdleTimeAndPicturesThatAreAlike(t *testing.T) {
	f := reel(t)
	if len(f.shots) != 3 {
		t.Errorf("%d pictures, want 3", len(f.shots))
	}
	if got, want := f.shots[2].at, time.Second+2*idle; got != want {
		t.Errorf("the last picture comes at %s, want %s", got, want)
	}
	if f.lines[3] != 1 || f.lines[4] != 2 {
		t.Errorf("pictures of the script's lines: %v", f.lines)
	}
	f.hold(10 * time.Second)
	if got, want := f.length(), time.Second+3*idle+10*time.Second+ending; got != want {
		t.Errorf("the film takes %s, want %s", got, want)
	}
}

func TestAnimationStandsAlone(t *testing.T) {
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := animate(out, reel(t)); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Error("the same film gives two drawings")
	}
	uses, ids := 0, map[string]bool{}
	for decoder := xml.NewDecoder(&first); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("no XML: %v\n%s", err, second.String())
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if name := start.Name.Local; name == "script" || name == "image" || name == "foreignObject" {
			t.Errorf("there is an element %s", name)
		}
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "id":
				if ids[a.Value] {
					t.Errorf("%s is there twice", a.Value)
				}
				ids[a.Value] = true
			case "href":
				uses++
				if !ids[strings.TrimPrefix(a.Value, "#")] {
					t.Errorf("it uses %q, which is not drawn before", a.Value)
				}
			}
		}
	}
	// Three rows and the cursor are drawn; the first picture uses two of them, the second three, the third four, and
	// that comes first as well.
	if len(ids) != 4 || uses != 13 {
		t.Errorf("%d things are drawn and used %d times, want 4 and 13", len(ids), uses)
	}
}

func TestAnimationMovesForward(t *testing.T) {
	var out bytes.Buffer
	if err := animate(&out, reel(t)); err != nil {
		t.Fatal(err)
	}
	last := -1.0
	moves := regexp.MustCompile(`([0-9.]+)%\{`).FindAllStringSubmatch(out.String(), -1)
	for _, m := range moves {
		at, err := strconv.ParseFloat(m[1], 64)
		if err != nil || at <= last {
			t.Errorf("%s%% comes after %v%%, %v", m[1], last, err)
		}
		last = at
	}
	if len(moves) != 5 || last != 100 {
		t.Errorf("%d moves, the last at %v%%; want 5 and 100%%", len(moves), last)
	}
}

func TestStillsAreOfALineOrTheLast(t *testing.T) {
	f := reel(t)
	steps := []step{{line: 1}, {line: 2}, {line: 3}, {line: 4}}
	for which, want := range map[string][]string{"1": {">ls<"}, "2": {"&lt;a&gt; &amp; ", ` red `, palette()[1]},
		"last": {">last<", `class="i u"`}} {
		line, err := stillLine(which, steps)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := still(&out, f.title, f.shots[f.lines[line]].picture); err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(out.String(), part) {
				t.Errorf("the picture %s lacks %q:\n%s", which, part, out.String())
			}
		}
		if strings.Contains(out.String(), "animation") {
			t.Errorf("the picture %s moves", which)
		}
	}
	for _, which := range []string{"7", "first", "0"} {
		if _, err := stillLine(which, steps); err == nil {
			t.Errorf("there is a picture %q", which)
		}
	}
}
