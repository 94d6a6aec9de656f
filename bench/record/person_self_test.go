//go:build bench && linux

package record

import (
	"context"
	"os"
	"strings"
	"testing"
)

// filmed plays a script on a stage whose delegate is a program that does nothing.
func filmed(t *testing.T, script string) (*film, error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	steps, err := parseScript(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStage(context.Background(), "/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	f := &film{}
	played := (&person{stage: s, film: f}).play(context.Background(), steps)
	if err := s.leave(context.Background()); err != nil {
		t.Errorf("leave: %v", err)
	}
	if _, err := os.Stat(s.root); !os.IsNotExist(err) {
		t.Errorf("the folder of the recording is left: %v", err)
	}
	return f, played
}

func TestPersonAnswersWhatIsAsked(t *testing.T) {
	f, err := filmed(t, `
run mkdir place
run printf 'for n in 1 2; do printf "? Name $n: "; read a; echo "got $a"; done\n' >place/ask
run printf 'printf "? Land it?\\n  yes\\nType an answer, then Enter.\\n"; read b; printf "\\033[4A\\033[J? Land it? $b\\n"\n' >>place/ask
folder place
type ls
key enter
wait "ask"
wait
type sh ask
key enter
answer "? Name 1" Ada "? Name 2" "Grace Hopper" "? Land" yes
type cat
key enter
type typed
key ctrl-c
wait
type echo over
key enter
wait "over"
`)
	if err != nil {
		t.Fatal(err)
	}
	got := f.shots[len(f.shots)-1].picture.String()
	for _, want := range []string{"$ ls\nask\n$ sh ask\n? Name 1: Ada\ngot Ada\n? Name 2: Grace Hopper\n",
		"got Grace Hopper\n? Land it? yes\n$ cat\ntyped^C\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not shown:\n%s", want, got)
		}
	}
	letters := 0
	for _, s := range f.shots {
		if text := s.picture.text(0); strings.HasPrefix("$ ls", text) && text != "" {
			letters++
		}
	}
	if letters < 3 {
		t.Errorf("the first command is seen in %d pictures, want one for each letter", letters)
	}
}

func TestPersonStopsAtAQuestionThatTheScriptDoesNotKnow(t *testing.T) {
	_, err := filmed(t, "type printf '? Sure '; read x\nkey enter\nanswer \"? Name\" Ada\n")
	if err == nil || !strings.Contains(err.Error(), `script, line 3: no answer is known to the question "? Sure`) {
		t.Errorf("it ends with %v", err)
	}
}

func TestPersonStopsWhereTheScriptCannotGoOn(t *testing.T) {
	for script, want := range map[string]string{
		"run exit 3":                           `line 1: run "exit 3"`,
		"folder ../other":                      "line 1: folder",
		"folder none":                          "line 1: ",
		"type exit\nkey enter\nwait \"never\"": "the shell has ended",
	} {
		if _, err := filmed(t, script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q ends with %v, want %q", script, err, want)
		}
	}
}
