//go:build linux

package supervise

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// TestMain lets this test binary be the supervisor and the keepers of its own sessions, as delegate is.
func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	if len(os.Args) > 1 && os.Args[1] == "hook" {
		return // lets everything pass, as hooks are tested where they are
	}
	if len(os.Args) != 3 || os.Args[1] != SupervisorVerb {
		// Ports are claimed in a table of the test run's own.
		state, err := os.MkdirTemp("", "state-")
		if err == nil {
			err = os.Setenv("XDG_STATE_HOME", state)
		}
		if err != nil {
			panic(err)
		}
		// The tests spend their time waiting for agents, so more of them than processors go at once.
		if err := flag.Set("test.parallel", "8"); err != nil {
			panic(err)
		}
		gittest.Isolate()
		status := m.Run()
		_ = os.RemoveAll(state)
		os.Exit(status)
	}
	p, err := project.Open(context.Background(), os.Args[2], project.Options{Step: crashing(os.Args[2])})
	if err == nil {
		err = Supervise(context.Background(), p, Options{Log: os.Stderr, Obey: control.Obey,
			FaultPause: 300 * time.Millisecond})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// crashing ends this supervisor as a power cut would, once, at the step that the file crash-at
// beside the repository names.
func crashing(repo string) func(string) {
	at := filepath.Join(filepath.Dir(repo), "crash-at")
	return func(step string) {
		if wanted, err := os.ReadFile(at); err == nil && string(wanted) == step && os.Rename(at, at+"-done") == nil {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// crashAt has the next supervisor end at a step.
func (d *delegation) crashAt(step string) {
	d.Helper()
	if err := os.WriteFile(filepath.Join(d.root, "crash-at"), []byte(step), 0o600); err != nil {
		d.Fatal(err)
	}
}

// crashed waits until a supervisor has ended at that step.
func (d *delegation) crashed() {
	d.Helper()
	d.until("the crash", func() bool { _, err := os.Stat(filepath.Join(d.root, "crash-at-done")); return err == nil })
	d.until("its death", func() bool { return session.FindSupervisor(d.Project) == nil })
}

const patience = 60 * time.Second

// delegation is a repository with one shell script as the agent program.
type delegation struct {
	*testing.T
	*project.Project
	control.Control
	root string
}

// newDelegation makes the repository; the script finds the folder of the test as $ROOT and `block` on its PATH.
func newDelegation(t *testing.T, script, config string) *delegation {
	t.Helper()
	root := t.TempDir()
	repo := filepath.Join(root, "repo")
	if err := os.Mkdir(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(config, "stop_grace") {
		config += "stop_grace: 500ms\n"
	}
	head := "ROOT=" + root + "\nblock() { # STATUS REQUEST\n" + strings.Join([]string{
		"echo ═══════════════════════════════════════", "echo AGENT CHECKPOINT: $DELEGATE_AGENT",
		"echo ═══════════════════════════════════════",
		"echo Status: $1", "echo '## Changes Made'", "echo '## Request'", "echo $2",
		"echo ═══════════════════════════════════════",
	}, "\n") + "\n}\n"
	for name, content := range map[string]string{
		"agent.sh": head + script,
		".delegate.yaml": "agent: scripted\nprofiles:\n  scripted: {command: [sh, agent.sh], pass_env: [GORACE]}\n" +
			config,
	} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	if _, err := git.Init(ctx, repo, git.Person{Name: "Ada", Email: "ada@example.com"}, "Begin"); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(ctx, repo, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := &delegation{T: t, Project: p, Control: control.Control{P: p, Who: "Ada"}, root: root}
	t.Cleanup(d.end)
	return d
}

// begin starts the session with that many agents and a supervisor process.
func (d *delegation) begin(agents int) {
	d.Helper()
	d.record(agents)
	d.launch()
}

// record starts the session without a supervisor.
func (d *delegation) record(agents int) {
	d.Helper()
	whole := &plan.Plan{Title: "Test"}
	for i := range agents {
		whole.Subtasks = append(whole.Subtasks, plan.Subtask{
			Number: i + 1, Name: fmt.Sprintf("Part %d", i+1), Description: "Write the text files.", Context: "None.",
			Allowed: []string{"**/*.txt"}, Type: plan.TaskType("QUICK"),
		})
	}
	ctx := context.Background()
	branch, base, err := d.Repo.Head(ctx)
	if err != nil {
		d.Fatal(err)
	}
	r := control.StartRequest{Plan: whole, Target: branch, Base: base, Approved: "Ada"}
	if d.Config.Sandbox.Level == config.SandboxOff {
		r.Sandbox = "off"
	}
	if _, err := control.Start(ctx, d.Project, r); err != nil {
		d.Fatal(err)
	}
}

func (d *delegation) launch() {
	d.Helper()
	if _, err := Launch(context.Background(), d.Project); err != nil {
		d.Fatal(err)
	}
}

// kill ends the supervisor as a power cut would.
func (d *delegation) kill() {
	d.Helper()
	s := session.FindSupervisor(d.Project)
	if s == nil {
		d.Fatal("no supervisor to kill")
	}
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		d.Fatal(err)
	}
	d.until("the supervisor's death", func() bool { return !s.Alive() })
}

func (d *delegation) until(what string, holds func() bool) {
	d.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(d.Private, "supervisor.log"))
			d.Fatalf("%s did not come about\n%s", what, log)
		}
	}
}

func (d *delegation) state() registry.State {
	d.Helper()
	state, err := d.Store.View(context.Background())
	if err != nil {
		d.Fatal(err)
	}
	return state
}

func (d *delegation) agent(id string) registry.Agent {
	d.Helper()
	a, err := d.state().Agent(id)
	if err != nil {
		d.Fatal(err)
	}
	return a
}

func (d *delegation) reaches(id string, want registry.Status) registry.Agent {
	d.Helper()
	d.until(id+" "+string(want), func() bool { return d.agent(id).Status == want })
	return d.agent(id)
}

// events are the agent's rows of some kinds, in order, as `KIND details`.
func (d *delegation) events(id string, kinds ...registry.Kind) []string {
	d.Helper()
	var found []string
	for _, e := range d.state().Events {
		for _, k := range kinds {
			if e.Agent == id && e.Kind == k {
				found = append(found, string(k)+" "+e.Details)
			}
		}
	}
	return found
}

func (d *delegation) touch(name string) {
	d.Helper()
	if err := os.WriteFile(filepath.Join(d.root, name), nil, 0o644); err != nil {
		d.Fatal(err)
	}
}

func (d *delegation) prompt(id string, turn int) string {
	d.Helper()
	data, err := os.ReadFile(keeper.Turn{Dir: d.TurnDir(d.state().Session.ID, id, turn)}.PromptFile())
	if err != nil {
		d.Fatal(err)
	}
	return string(data)
}

// end ends the session, if it has not, and fails the test for every process that stays.
func (d *delegation) end() {
	if d.state().Session != nil {
		d.abortSession()
	}
	left := d.processes()
	for deadline := time.Now().Add(patience); left != "" && time.Now().Before(deadline); left = d.processes() {
		time.Sleep(20 * time.Millisecond)
	}
	if left != "" {
		d.Errorf("left running:\n%s", left)
		if s := session.FindSupervisor(d.Project); s != nil {
			_ = syscall.Kill(s.PID, syscall.SIGKILL)
		}
	}
}

// processes lists what runs on this test's folder.
func (d *delegation) processes() string {
	out, _ := exec.Command("ps", "-eo", "pid,stat,args").Output()
	var found []string
	for line := range strings.SplitSeq(string(out), "\n") {
		fields := strings.Fields(line)
		if strings.Contains(line, d.root) && len(fields) > 1 && !strings.HasPrefix(fields[1], "Z") {
			found = append(found, line)
		}
	}
	if state := d.state(); state.Session != nil {
		for _, a := range state.Agents {
			for _, p := range run.Marked("DELEGATE_AGENT_DIR=" + d.AgentDir(state.Session.ID, a.ID)) {
				found = append(found, fmt.Sprint(p))
			}
		}
	}
	return strings.Join(found, "\n")
}

// abortSession does what `delegate sync abort` does.
func (d *delegation) abortSession() {
	d.Helper()
	ctx := context.Background()
	if err := d.AbortSession(ctx, "test is over"); err != nil {
		d.Error(err)
	}
	if err := control.StopAll(ctx, d.Project); err != nil {
		d.Error(err)
	}
	if _, err := d.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.EndSession(registry.SessionAborted, registry.Event{Kind: registry.EventSessionAborted})
	}); err != nil {
		d.Error(err)
	}
}

func (d *delegation) writeJSON(path string, value any) {
	d.Helper()
	data, err := json.Marshal(value)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		d.Fatal(err)
	}
}

// configure replaces the configuration, which a session that begins later reads.
func (d *delegation) configure(text string) {
	d.Helper()
	if err := os.WriteFile(filepath.Join(d.Main, ".delegate.yaml"), []byte(text), 0o644); err != nil {
		d.Fatal(err)
	}
	var err error
	if d.Config, err = config.Load(d.Main); err != nil {
		d.Fatal(err)
	}
}
