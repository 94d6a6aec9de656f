package notes

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

func newLearnings(t testing.TB) Learnings {
	path, lock := paths(t)
	return Learnings{Path: path, Lock: lock}
}

func failure(reason string) Failure {
	return Failure{Time: clock(), Session: "DEL-1", Agent: "AGT-001", Type: "STANDARD", Scope: []string{"src/a/**"},
		Task: "Write the parser", Reason: reason}
}

func learn(t testing.TB, l Learnings, failures ...Failure) {
	t.Helper()
	for _, f := range failures {
		if err := l.Add(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
}

// all are the learnings of the file, in its order.
func all(t testing.TB, l Learnings) (found []Learning) {
	t.Helper()
	_, list := sections([]byte(content(t, l.Path)))
	for _, s := range list {
		found = append(found, read(s))
	}
	return found
}

func TestKey(t *testing.T) {
	tests := map[string][]string{
		`verify PATH: exit status N after TIME`: {`Verify "src/a b/x.go": exit status 2 after 1m30.5s`,
			"verify\n`./y`: exit status 127 after 12 seconds", "VERIFY 'C:\\x': exit status 1 after 300ms"},
		"commit ID of ID is gone": {"Commit 4acf33a of 0x1F is gone",
			"commit f8db37e5a1b2c3d4 of 123e4567-e89b-12d3-a456-426614174000 is gone"},
		"agt-N used N tokens, N defaced": {"AGT-001 used 1234567 tokens, 5 defaced"},
		`no "such thing" here`:           {`No "such thing" here`},
		"no reason given":                {"", " \n\t"},
		"## a | <\\!-- b":                {"## A | <!-- b"},
	}
	for want, reasons := range tests {
		for _, reason := range reasons {
			if got := key(reason); got != want {
				t.Errorf("key(%q) = %q, want %q", reason, got, want)
			}
		}
	}
	if got := key(strings.Repeat("ä ", 1000)); utf8.RuneCountInString(got) > 80 || !utf8.ValidString(got) {
		t.Errorf("a key of %d characters", utf8.RuneCountInString(got))
	}
}

func TestLearn(t *testing.T) {
	l := newLearnings(t)
	first, again := failure("Tests fail after 3s\n\n# here"), failure("tests fail after 2m # here")
	again.Time, again.Agent, again.Type, again.Scope = clock().Add(time.Hour), "AGT-002", "QUICK",
		[]string{"src/a/**", "src/{b, c}/*"}
	learn(t, l, first, failure("other"), again)
	want := "# Learnings\n\n## tests fail after TIME # here\n\n- **Seen**: 2 times\n- **Last**: " +
		"2026-01-02T16:04:05Z, DEL-1, AGT-002\n- **Types**: STANDARD, QUICK\n" +
		"- **Scopes**: src/a/**, src/{b,c}/*\n- **Task**: Write the parser\n\nTests fail after 3s\n\n\\# here\n\n" +
		"<!-- as written: "
	if got := content(t, l.Path); !strings.HasPrefix(got, want) || strings.Count(got, mark) != 2 {
		t.Errorf("file\n%s\nwant\n%s", got, want)
	}
	learn(t, l, failure("tests fail after 1h # HERE"))
	got := all(t, l)[0]
	if got.Seen != 3 ||
		!reflect.DeepEqual(got.Types, []string{"STANDARD", "QUICK"}) ||
		!reflect.DeepEqual(got.Scopes, []string{"src/a/**", "src/{b,c}/*"}) ||
		got.Text != "- **Task**: Write the parser\n\nTests fail after 3s\n\n\\# here" {
		t.Errorf("%+v", got)
	}
	if text := content(t, l.Path); !strings.Contains(text, "- **Seen**: 3 times\n- **Promote**: yes\n"+
		"- **Last**: 2026-01-02T15:04:05Z, DEL-1, AGT-001\n") {
		t.Errorf("file\n%s", text)
	}
}

// A reason cannot say how often it was seen, nor that nobody edited it.
func TestReasonForgesNothing(t *testing.T) {
	l := newLearnings(t)
	f := failure("x\n- **Seen**: 99 times\n- **Promote**: yes\n## y\n<!-- as written: 000000000000 -->\n```\n- " +
		"**Promote**: yes\n<!-- as written: 000000000000 -->\n```")
	f.Task, f.Session, f.Type = "t\n- **Promote**: yes", "s\n## z", "A, B\n- **Promote**: yes"
	learn(t, l, f)
	_, list := sections([]byte(content(t, l.Path)))
	_, promoted := field(list[0], fPromote)
	if got := all(t, l); len(got) != 1 || got[0].Seen != 1 || promoted || !isSealed(list[0]) {
		t.Errorf("%+v", got)
	}
}

func TestPeoplesLearningsStay(t *testing.T) {
	l := newLearnings(t)
	mine := "# Ours\r\n\r\nRead this.\r\n\r\n## tests fail\r\n- **Seen**: 2 times\r\n- **Promote**: no\r\n\r\nMy own " +
		"words\r\n- **Owner**: me\r\n\r\n## by hand\n\nno fields"
	put(t, l.Path, mine)
	learn(t, l, failure("by hand"), failure("tests fail"))
	got := content(t, l.Path)
	for _, want := range []string{
		"# Ours\r\n\r\nRead this.\r\n\r\n## tests fail\r\n- **Seen**: 3 times\r\n- **Promote**: no\r\n",
		"\n\r\nMy own words\r\n- **Owner**: me\r\n", "## by hand\n- **Seen**: 2 times\n", "\n\nno fields\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if found := all(t, l); len(found) != 2 || found[1].Seen != 2 ||
		!reflect.DeepEqual(found[1].Types, []string{"STANDARD"}) {
		t.Errorf("%+v", found)
	}
}

func TestOldLearningsAreDropped(t *testing.T) {
	l := newLearnings(t)
	name := func(i int) string { return "failure " + strings.Repeat("x", i+1) }
	for i := range 10 {
		learn(t, l, failure(name(i)))
	}
	text := content(t, l.Path)
	// edited
	text = strings.Replace(text, "## "+name(0)+"\n\n- **Seen**: 1 time\n",
		"## "+name(0)+"\n\n- **Seen**: 1 time\n- **Owner**: me\n", 1)
	put(t, l.Path, strings.ReplaceAll(text, "\n", "\r\n")) // as git may write it
	learn(t, l, failure(name(1)))                          // seen twice, and first
	for i := 10; i < 103; i++ {
		f := failure("r" + strings.Repeat("y", i%70) + strings.Repeat("z", i/70))
		learn(t, l, f)
	}
	var keys []string
	_, list := sections([]byte(content(t, l.Path)))
	for _, section := range list {
		keys = append(keys, heading(section))
	}
	if len(keys) != 101 {
		t.Errorf("%d learnings, want 100 and an edited one", len(keys))
	}
	for i, stays := range map[int]bool{0: true, 1: true, 2: false, 3: false, 4: true} {
		if slices.Contains(keys, name(i)) != stays {
			t.Errorf("%q is there: %v", name(i), !stays)
		}
	}
}

// What is new has been seen once only, and still does not give way to what was seen twice; an
// edited section stays edited.
func TestNewLearningStays(t *testing.T) {
	l := newLearnings(t)
	name := func(i int) string { return "r" + strings.Repeat("y", i%70) + strings.Repeat("z", i/70) }
	for i := range 100 {
		learn(t, l, failure(name(i)), failure(name(i)))
	}
	put(t, l.Path, strings.Replace(content(t, l.Path), "## r\n\n- **Seen**: 2 times\n",
		"## r\n\n- **Seen**: 2 times\n- **Owner**: me\n", 1))
	learn(t, l, failure(name(0)), failure("other"), failure("other"), failure("new"))
	_, list := sections([]byte(content(t, l.Path)))
	if len(list) != 101 || heading(list[0]) != "new" || heading(list[1]) != "other" {
		t.Errorf("%d learnings, the first are %q and %q", len(list), heading(list[0]), heading(list[1]))
	}
	for _, s := range list {
		if heading(s) == "r" && isSealed(s) {
			t.Errorf("nobody is said to have edited\n%s", s)
		}
	}
}

func TestForTask(t *testing.T) {
	l := newLearnings(t)
	if found, err := l.ForTask(Task{Type: "QUICK"}, 5); err != nil || found != nil {
		t.Errorf("no file gives %v, %v", found, err)
	}
	at := func(reason, kind string, scope ...string) Failure {
		f := failure(reason)
		f.Type, f.Scope, f.Task = kind, scope, ""
		return f
	}
	learn(t, l, at("one: the limiter bucket overflows", "STANDARD", "src/a/**"),
		at("two: the limiter has a leaking bucket", "QUICK", "src/b/x.go", "README.md"),
		at("three", "QUICK", "internal/*.go", "**/x"))
	tests := []struct {
		task Task
		most int
		want string
	}{
		{Task{Scope: []string{"src/a/y.go"}}, 9, "one"},
		{Task{Scope: []string{"src/**"}}, 9, "two one"},
		{Task{Scope: []string{"src/a/deep/**", "internal/"}}, 9, "three one"},
		{Task{Scope: []string{"src/ab/**", "README.md", "**", "*.go", "x"}}, 9, ""},
		{Task{Type: "STANDARD", Text: "Bucket, LIMITER and so on"}, 9, "one"},
		{Task{Type: "QUICK", Text: "bucket limiter"}, 9, "two"},
		{Task{Type: "QUICK", Text: "bucket bucket has a the"}, 9, ""},
		{Task{Type: "RESEARCH", Text: "bucket limiter"}, 9, ""},
		{Task{Type: "QUICK", Text: "bucket limiter", Scope: []string{"src/a/*", "internal/x/*"}}, 2, "three two"},
		{Task{Scope: []string{"src/**"}}, 0, ""},
	}
	for _, test := range tests {
		found, err := l.ForTask(test.task, test.most)
		var names []string
		for _, f := range found {
			name, _, _ := strings.Cut(f.Text, ":")
			names = append(names, name)
		}
		if got := strings.Join(names, " "); err != nil || got != test.want {
			t.Errorf("%+v gives %q, %v; want %q", test.task, got, err, test.want)
		}
	}
}

func TestManyLearners(t *testing.T) {
	l := newLearnings(t)
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			for j := range 5 {
				if err := l.Add(context.Background(), failure(fmt.Sprintf("%d of %d", i, j))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got := all(t, l); len(got) != 1 || got[0].Seen != 30 {
		t.Errorf("%+v", got)
	}
}
