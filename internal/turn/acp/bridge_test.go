package acp_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/fence/guard"
	"delegate/internal/sys/run"
	"delegate/internal/turn/acp"
	"delegate/internal/turn/dialect"
)

// stage is one turn of the test binary as a program.
type stage struct {
	bridge    acp.Bridge
	worktree  string
	printed   bytes.Buffer
	complains bytes.Buffer
	asked     []string
	refused   []guard.Verdict
	reports   error // what reporting a refusal comes to
}

func newStage(t *testing.T, what, prompt string) *stage {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{worktree: filepath.Join(root, "work")}
	if err := os.MkdirAll(filepath.Join(s.worktree, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.bridge = acp.Bridge{
		Program: run.Command{Path: program, Dir: s.worktree, Env: append(os.Environ(), agentVariable+"="+what),
			Stderr: &s.complains},
		Policy: guard.Policy{
			Agent: "AGT-001", Worktree: s.worktree, AgentDir: filepath.Join(root, "desk"),
			Home: filepath.Join(root, "home"), Tmp: filepath.Join(root, "tmp"), Allowed: []string{"src/**"},
		},
		Decide: func(_ context.Context, p guard.Policy, c guard.Call) (guard.Verdict, error) {
			return guard.Decide(p, c)
		},
		Prompt: strings.ReplaceAll(prompt, "WORK", s.worktree), Out: &s.printed,
		Asked: func(tool string) { s.asked = append(s.asked, tool) },
		Refused: func(_ guard.Call, v guard.Verdict) error {
			s.refused = append(s.refused, v)
			return s.reports
		},
	}
	return s
}

func (s *stage) run(t *testing.T) acp.Ending {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return s.bridge.Run(ctx, ctx)
}

// heard is what was printed as the supervisor reads it: words, and the other events of a kind.
func (s *stage) heard(kind dialect.Kind) string {
	var d dialect.Decoder
	var all []string
	for _, e := range append(d.Feed(s.printed.Bytes()), d.Close()...) {
		if e.Kind == kind {
			all = append(all, strings.TrimSpace(e.Tool+" "+e.Text))
		}
	}
	return strings.Trim(strings.Join(all, "|"), "|")
}

// TestTurn holds for each behaviour of a program how the turn ends and what the supervisor hears of it.
func TestTurn(t *testing.T) {
	for name, c := range map[string]struct {
		what, prompt, session string
		ending                acp.Ending
		words, failed         string
	}{
		"words come whole":         {prompt: "say one and two", words: "one and two"},
		"a turn that is refused":   {prompt: "stop refusal", ending: acp.Failed, failed: "refusal"},
		"a turn that is too long":  {prompt: "stop max_tokens", ending: acp.Failed, failed: "max_tokens"},
		"cancelled by the program": {prompt: "stop cancelled", ending: acp.Cancelled},
		"an error": {prompt: "fail 429 too many requests", ending: acp.Failed,
			failed: "429 too many requests"},
		"not logged in": {what: "logged out", prompt: "say x", ending: acp.Failed,
			failed: "log in first"},
		"a later protocol": {what: "newer", prompt: "say x", ending: acp.Failed, failed: "version 2"},
		"the program dies": {prompt: "die", ending: acp.Failed, words: "last words",
			failed: "exit status 7"},
		"garbage":                     {prompt: "garbage", words: "still here"},
		"another agent's words":       {prompt: "agents", words: "mine|mine again"},
		"resumes":                     {what: "resumes", prompt: "say on", session: "old", words: "on"},
		"loads":                       {what: "loads", prompt: "say on", session: "old", words: "on"},
		"announces what is not there": {what: "announces", prompt: "say on", session: "old", words: "on"},
		"cannot go on": {prompt: "say on", session: "old", ending: acp.Failed,
			failed: `"old": the program can neither resume nor load one`},
		"does not end by itself":      {what: "lingers", prompt: "say done", words: "done"},
		"what is allowed is done":     {prompt: "write WORK/src/made", words: "picked once"},
		"what is refused is not done": {prompt: "write WORK/secret", words: "picked no"},
		"told to go on": {prompt: "stuck WORK/secret", words: "first some words|told: The use of a " +
			"tool was refused: \"secret\" is outside the scope (allowed: src/**). If you need it, say which path and " +
			"why in a checkpoint block with Status: BLOCKED and stop. Go on with what you may do."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.what, c.prompt)
			s.bridge.Session = c.session
			ending := s.run(t)
			words := strings.ReplaceAll(strings.ReplaceAll(s.heard(dialect.Words), "|\n", ""), "\n\n", " ")
			if ending != c.ending || words != c.words || !strings.Contains(s.heard(dialect.Failed), c.failed) ||
				(c.failed == "") != (s.heard(dialect.Failed) == "") {
				t.Errorf("ending %v, words %q, failed %q, want %v, %q, %q\n%s\n%s", ending, words,
					s.heard(dialect.Failed), c.ending, c.words, c.failed, &s.printed, &s.complains)
			}
			if (ending == acp.Done) != strings.Contains(s.printed.String(), `"success"`) {
				t.Errorf("ending %v, printed %s", ending, &s.printed)
			}
		})
	}
}

// TestPermission holds what is asked, done and reported of one write inside and one outside of the scope.
func TestPermission(t *testing.T) {
	allowed := newStage(t, "", "write WORK/src/made")
	if ending := allowed.run(t); ending != acp.Done || !slices.Equal(allowed.asked, []string{"edit"}) ||
		len(allowed.refused) > 0 {
		t.Errorf("ending %v, asked %q, refused %v", ending, allowed.asked, allowed.refused)
	}
	if _, err := os.Stat(filepath.Join(allowed.worktree, "src", "made")); err != nil {
		t.Error("what was allowed was not done")
	}
	if tools := allowed.heard(dialect.Tool); !strings.Contains(tools, "src/made") {
		t.Errorf("tools %q", tools)
	}
	refused := newStage(t, "", "write WORK/secret")
	if ending := refused.run(t); ending != acp.Done || len(refused.refused) != 1 ||
		refused.refused[0].Path != "secret" {
		t.Errorf("ending %v, refused %+v", ending, refused.refused)
	}
	if _, err := os.Stat(filepath.Join(refused.worktree, "secret")); err == nil {
		t.Error("what was refused was done")
	}
	if refusal := refused.heard(dialect.Refused); refusal != "" {
		t.Errorf("told twice: %q", refusal)
	}
	unreported := newStage(t, "", "write WORK/secret")
	unreported.reports = errors.New("no room")
	unreported.run(t)
	if refusal := unreported.heard(dialect.Refused); refusal != "edit secret" {
		t.Errorf("told %q", refusal)
	}
}

// TestFirstOfAll holds what is done before the prompt: the mode in which the program asks, and the session's name.
func TestFirstOfAll(t *testing.T) {
	s := newStage(t, "", "say x")
	s.run(t)
	if !strings.HasPrefix(s.complains.String(), "mode default\n") || s.heard(dialect.Session) != "fresh" {
		t.Errorf("modes %q, session %q", &s.complains, s.heard(dialect.Session))
	}
}

// TestUsed holds that tokens are counted once for each prompt, with those from a cache.
func TestUsed(t *testing.T) {
	s := newStage(t, "", "stuck WORK/secret")
	s.run(t)
	var d dialect.Decoder
	var used dialect.Usage
	for _, e := range d.Feed(s.printed.Bytes()) {
		if e.Kind == dialect.Used {
			used = e.Usage
		}
	}
	if want := (dialect.Usage{Input: 101, Output: 21}); used != want {
		t.Errorf("%+v, want %+v", used, want)
	}
}

// TestManyUpdates holds that a program that talks faster than it is heard loses nothing.
func TestManyUpdates(t *testing.T) {
	s := newStage(t, "", "many")
	if ending := s.run(t); ending != acp.Done || !strings.HasSuffix(s.heard(dialect.Words), "4998\n4999") {
		t.Errorf("ending %v, %d bytes", ending, s.printed.Len())
	}
}

// firstWrite calls then once something was written.
type firstWrite struct {
	bytes.Buffer
	at   string
	then func()
}

func (w *firstWrite) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if bytes.Contains(p, []byte(w.at)) {
		w.then()
	}
	return n, err
}

// TestInterrupt holds that a program is asked to stop and its answer awaited, at any moment.
func TestInterrupt(t *testing.T) {
	for _, at := range []string{"waiting", "thread.started", ""} {
		s := newStage(t, "", "wait")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		uninterrupted, interrupt := context.WithCancel(ctx)
		if at == "" {
			interrupt()
		}
		out := &firstWrite{at: at, then: interrupt}
		s.bridge.Out = out
		if ending := s.bridge.Run(ctx, uninterrupted); ending != acp.Cancelled || ctx.Err() != nil {
			t.Errorf("interrupted at %q: ending %v, %s", at, ending, out)
		}
		interrupt()
		cancel()
	}
}

// TestKill holds that the end of the context ends a program that says nothing.
func TestKill(t *testing.T) {
	s := newStage(t, "", "wait")
	ctx, kill := context.WithTimeout(t.Context(), patience)
	defer kill()
	s.bridge.Out = &firstWrite{at: "waiting", then: kill}
	if ending := s.bridge.Run(ctx, ctx); ending != acp.Cancelled || !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("ending %v, %v", ending, ctx.Err())
	}
}

func TestProgramThatIsNotThere(t *testing.T) {
	s := newStage(t, "", "say x")
	s.bridge.Program.Path = filepath.Join(s.worktree, "none")
	if ending := s.run(t); ending != acp.Failed || !strings.Contains(s.heard(dialect.Failed), "none") {
		t.Errorf("ending %v, %s", ending, &s.printed)
	}
}
