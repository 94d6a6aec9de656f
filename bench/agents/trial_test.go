//go:build bench && !windows

package agents_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/control"
	"delegate/internal/control/planner"
	"delegate/internal/git"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/view/status"
	"delegate/registry"
)

// agentID is the one agent of every case.
const agentID = "AGT-001"

const (
	patience        = 4 * time.Minute // with an agent that should come to something
	commandPatience = 6 * time.Minute // with one command of delegate
	lookEvery       = time.Second
	endPatience     = 20 * time.Second // with what an ended session leaves running
)

// trial is one case: a program in a scenario, in a repository of its own.
type trial struct {
	*bench
	agent   program
	scene   scene
	folder  string // with everything of it
	session string
	p       *project.Project
	wrong   []string
}

func (t *trial) repo() string    { return filepath.Join(t.folder, "repo") }
func (t *trial) home() string    { return filepath.Join(t.folder, "home") } // of the person
func (t *trial) remote() string  { return filepath.Join(t.folder, "origin.git") }
func (t *trial) outside() string { return filepath.Join(t.folder, "outside") }

// worktree is where the agent's first attempt works, whose name is made of its subtask's. The plan names it before
// there is an agent.
func (t *trial) worktree() string { return t.p.WorkPath(t.scene.name, 1) }

// turn is the agent's n-th.
func (t *trial) turn(n int) keeper.Turn { return keeper.Turn{Dir: t.p.TurnDir(t.session, agentID, n)} }

func (t *trial) fault(format string, args ...any) {
	t.wrong = append(t.wrong, fmt.Sprintf(format, args...))
}

// expect notes a fault unless ok.
func (t *trial) expect(ok bool, format string, args ...any) {
	if !ok {
		t.fault(format, args...)
	}
}

// begin makes the repository and starts a session in it, as a person's yes at a terminal would,
// with a supervisor of the built program.
func (t *trial) begin(ctx context.Context) error {
	if err := t.settle(ctx); err != nil {
		return err
	}
	// of which the session's id is made, and of that the worktree's path, which the plan already names
	now := time.Now()
	var err error
	if t.p, err = project.Open(ctx, t.repo(), project.Options{Now: func() time.Time { return now }}); err != nil {
		return err
	}
	if t.scene.alone {
		return nil
	}
	t.session = now.UTC().Format("DEL-20060102-150405")
	whole, err := plan.Parse([]byte(t.plan()), planner.PlanOptions(t.p))
	if err != nil {
		return err
	}
	branch, base, err := t.p.Repo.Head(ctx)
	if err != nil {
		return err
	}
	if _, err := control.Start(ctx, t.p,
		control.StartRequest{Plan: whole, Target: branch, Base: base, Approved: "Ada"}); err != nil {
		return err
	}
	state, err := t.p.Store.View(ctx)
	if err != nil {
		return err
	}
	a, err := state.Agent(agentID)
	if err == nil && a.Name != t.scene.name {
		err = fmt.Errorf("the agent has the name %q, and the script writes into the worktree of %q", a.Name,
			t.scene.name)
	}
	if err != nil {
		return err
	}
	return t.command(ctx, nil, "resume")
}

// settle makes the repository with a remote on disk, and the person's home with what the program
// needs to find the model.
func (t *trial) settle(ctx context.Context) error {
	files := map[string]string{"repo/.delegate.yaml": t.config(), "repo/src/start.txt": "start\n",
		"repo/secret/key.txt": "none\n", "outside/README": "Not of the repository.\n"}
	person := t.agent.person(t.address)
	if t.scene.house {
		if person.files == nil {
			person.files = map[string]string{}
		}
		if err := house(t.agent.name, person.files); err != nil {
			return err
		}
	}
	for name, text := range person.files {
		files["home/"+name] = text
	}
	files["home/.keep"] = ""
	if t.scene.marked {
		maps.Copy(files, markedFiles(t.agent.name))
	}
	for name, text := range files {
		name = filepath.Join(t.folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if _, err := git.Init(ctx, t.repo(), git.Person{Name: "Ada", Email: "ada@example.com"}, "Begin"); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q", "--bare", t.remote()}, {"remote", "add", "origin", t.remote()}} {
		if err := run.Do(ctx, run.Command{Path: "git", Args: args, Dir: t.repo(), Env: t.environ()}); err != nil {
			return err
		}
	}
	return nil
}

// config names the program, and the model by the variables of its profile.
func (t *trial) config() string {
	var b strings.Builder
	fmt.Fprintf(&b, "agent: %s\nstop_grace: 2s\nconfirm: []\n%s", t.agent.name, t.scene.config)
	env := t.agent.person(t.address).env
	fmt.Fprintf(&b, "profiles:\n  %s:\n", t.agent.name)
	if t.scene.house {
		fmt.Fprintf(&b, "    mcp: [%s]\n", allowed)
	}
	b.WriteString("    env:\n")
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "      %s: %q\n", name, env[name])
	}
	return b.String()
}

func (t *trial) plan() string {
	return fmt.Sprintf("# Delegation Plan: Try %s\n\nThe model follows a script.\n\n## Subtask 1: %s\n- "+
		"**Description**: Do your part of the work, then report. %s\n"+
		"- **Context**: What to do is said by the script.\n- **Allowed**: src/**\n- **Forbidden**: secret/**\n- "+
		"**Expected Outputs**: %s\n",
		t.agent.name, t.scene.name, t.marks(t.scene.script), t.scene.outputs)
}

// marks tell the model which script to follow from here on.
func (t *trial) marks(script string) string {
	return fmt.Sprintf("[[scenario:%s]] [[var:cwd=%s]] [[var:agent=%s]] [[var:outside=%s]]", script, t.worktree(),
		agentID, t.outside())
}

// environ is the person's environment: nothing of this process's own reaches a program but PATH and
// where Go keeps its caches.
func (t *trial) environ() []string {
	return []string{"PATH=" + t.bin + ":" + os.Getenv("PATH"), "HOME=" + t.home(), "TMPDIR=" + os.TempDir(),
		"LANG=C.UTF-8", "TERM=dumb"}
}

// command runs delegate to its end; its standard output goes into out.
func (t *trial) command(ctx context.Context, out *bytes.Buffer, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, commandPatience)
	defer cancel()
	c := run.Command{Path: t.delegate, Args: args, Dir: t.repo(), Env: t.environ()}
	if out != nil {
		c.Stdout = out
	}
	return run.Do(ctx, c)
}

// do runs a command that must work.
func (t *trial) do(ctx context.Context, args ...string) string {
	var out bytes.Buffer
	if err := t.command(ctx, &out, args...); err != nil {
		t.fault("delegate %s: %v", strings.Join(args, " "), err)
	}
	return out.String()
}

// shown is what `delegate show --json` tells of the agent.
type shown struct {
	status.AgentView
	Report status.Report `json:"report"`
	Events []event       `json:"events"`
	Given  agent.Given   `json:"given"`
}

// event is a row of the agent's.
type event struct {
	Event   registry.Kind `json:"event"`
	Details string        `json:"details"`
}

// rows are the details of the agent's rows of one kind.
func (s shown) rows(kind registry.Kind) (details []string) {
	for _, e := range s.Events {
		if e.Event == kind {
			details = append(details, e.Details)
		}
	}
	return details
}

// count is how many rows of the kind have all the parts.
func (s shown) count(kind registry.Kind, parts ...string) int {
	n := 0
	for _, details := range s.rows(kind) {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(details, part) }) {
			n++
		}
	}
	return n
}

func (s shown) flagged(prefix string) bool {
	return slices.ContainsFunc(s.Flags, func(flag string) bool { return strings.HasPrefix(flag, prefix) })
}

func (s shown) String() string {
	text := string(s.Status)
	if len(s.Flags) > 0 {
		text += " (" + strings.Join(s.Flags, "; ") + ")"
	}
	if s.LastError != "" {
		text += ": " + s.LastError
	}
	return text
}

func (t *trial) show(ctx context.Context) (shown, error) {
	var out bytes.Buffer
	var v shown
	err := t.command(ctx, &out, "show", agentID, "--json")
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &v)
	}
	return v, err
}

// until looks at the agent until it is as wanted.
func (t *trial) until(ctx context.Context, what string, reached func(shown) bool) shown {
	for deadline := time.Now().Add(patience); ; time.Sleep(lookEvery) {
		v, err := t.show(ctx)
		switch {
		case err != nil:
			t.fault("wait for %s: %v", what, err)
			return v
		case reached(v):
			return v
		case time.Now().After(deadline):
			t.fault("%s did not come in %s, it is %s", what, patience, v)
			return v
		}
	}
}

// rest waits by `delegate wait` until the agent has ended or needs a person. It reports whether its
// state is the one wanted.
func (t *trial) rest(ctx context.Context, want registry.Status) (shown, bool) {
	err := t.command(ctx, nil, "wait", agentID, "--timeout", patience.String())
	var exit *run.ExitError
	if err != nil && !errors.As(err, &exit) { // a status only says that it failed, which is seen by itself
		t.fault("delegate wait: %v", err)
	}
	v, err := t.show(ctx)
	if err != nil {
		t.fault("delegate show: %v", err)
	}
	t.expect(v.Status == want, "it is %s, want %s", v, want)
	return v, v.Status == want
}

// working are the states of an agent that has not come to an end.
func working() []registry.Status {
	return []registry.Status{registry.Pending, registry.Spawning, registry.Running}
}

// stalled waits until the model is silent for the n-th time. It reports whether that came while the agent ran.
func (t *trial) stalled(ctx context.Context, n int) bool {
	t.until(ctx, "silence of the model", func(v shown) bool {
		return t.model.count("stall", "stall") >= n || !slices.Contains(working(), v.Status)
	})
	silent := t.model.count("stall", "stall") >= n
	t.expect(silent, "the model was not asked for its silence number %d", n)
	return silent
}

// file is the text of a file, "" if there is none.
func file(parts ...string) string {
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		return ""
	}
	return string(data)
}

// end ends the session, and looks for what it left running.
func (t *trial) end(ctx context.Context) {
	agentDir := t.p.AgentDir(plannerName, plannerName)
	if !t.scene.alone {
		t.do(ctx, "sync", "abort", "--yes")
		agentDir = t.p.AgentDir(t.session, agentID)
	}
	mark := agentdir.Dir(agentDir).Mark()
	left := run.Marked(mark)
	for deadline := time.Now().Add(endPatience); len(left) > 0 && time.Now().Before(deadline); left = run.Marked(mark) {
		time.Sleep(lookEvery)
	}
	t.expect(len(left) == 0, "left running: %v", left)
}
