//go:build bench && linux

package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
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
	"delegate/internal/view/status"
)

// session is one delegation with a repository of its own, and the person at it.
type session struct {
	*soak
	name   string // of its folder
	folder string
	repo   string
	id     string
	p      *project.Project
	dice   *rand.Rand
	agents map[string]*fate
	kills  int // of its supervisor that are still to come
	begun  time.Time
	calm   int // looks in a row at which nothing went on
	looks  int // that are left until the session is ended in the middle; below 0: it is not
	faults []string
}

// patience is how long a session may take in all, and one command.
const (
	patience        = 10 * time.Minute
	commandPatience = 90 * time.Second
)

// begin makes the repository and starts a session in it, as a person's yes at a terminal would,
// with a supervisor of the built program.
func (s *soak) begin(ctx context.Context, number int) (*session, error) {
	name := fmt.Sprintf("s%02d", number)
	one := &session{
		soak: s, name: name, folder: filepath.Join(s.root, name), dice: rand.New(rand.NewPCG(s.seed, uint64(number))),
		agents: map[string]*fate{}, begun: time.Now(),
	}
	one.repo = filepath.Join(one.folder, "repo")
	one.kills, one.looks = 1+one.dice.IntN(5), -1
	if number%5 == 0 {
		one.looks = 3 + one.dice.IntN(15)
	}
	text := one.draw()
	files := map[string]string{
		"repo/.delegate.yaml": one.config(), "repo/plan.md": text, "repo/README.md": "Soaked.\n",
		"notes/README.md": "What agents note.\n", "home/.keep": "",
	}
	for path, content := range files {
		path = filepath.Join(one.folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	if _, err := git.Init(ctx, one.repo, git.Person{Name: person, Email: "ada@example.com"}, "Begin"); err != nil {
		return nil, err
	}
	if err := one.start(ctx, text); err != nil {
		return nil, err
	}
	return one, one.command(ctx, "resume")
}

// person is who the registry names for all that is not the supervisor's.
const person = "Ada"

func (s *session) start(ctx context.Context, text string) error {
	opened, err := project.Open(ctx, s.repo, project.Options{})
	if err != nil {
		return err
	}
	whole, err := plan.Parse([]byte(text), planner.PlanOptions(opened))
	if err != nil {
		return err
	}
	branch, base, err := opened.Repo.Head(ctx)
	if err != nil {
		return err
	}
	state, err := control.Start(ctx, opened,
		control.StartRequest{Plan: whole, Target: branch, Base: base, Approved: person})
	if err != nil {
		return err
	}
	s.p, s.id = opened, state.Session.ID
	return nil
}

func (s *session) config() string {
	return fmt.Sprintf(`agent: scripted
max_parallel_agents: 4
agent_timeout: 60s
nudge_grace: 1s
stop_grace: 1s
stall: {QUICK: 3s}
confirm: []
profiles:
  scripted:
    command: [sh, %s]
    prompt: file
    env: {SOAK: %s}
`, s.script(), s.notes())
}

// notes is the folder in which agents note what they did, outside of all that the program manages.
func (s *session) notes() string { return filepath.Join(s.folder, "notes") }

// draw decides what each agent does and what will be done to it, and writes the plan.
func (s *session) draw() string {
	var text strings.Builder
	text.WriteString("# Delegation Plan: Soak " + s.name + "\n\nEvery agent does what its name says.\n")
	all := behaviours()
	for n := 1; n <= s.soak.agents; n++ {
		id := fmt.Sprintf("AGT-%03d", n)
		f := drawFate(s.dice, all[s.dice.IntN(len(all))])
		s.agents[id] = f
		s.count["agents that "+f.does.name]++
		fmt.Fprintf(&text, "\n## Subtask %d: %s %d\n- **Description**: Do what the name says.\n- **Context**: The "+
			"script knows.\n- **Allowed**: work/%s/**\n- **Type**: QUICK\n",
			n, f.does.name, n, id)
	}
	return text.String()
}

// command runs delegate in the repository. An error is a fault of the session's by itself, for
// nothing here asks for what is not allowed; but now and then the command is killed after a moment,
// and errCut says so.
func (s *session) command(ctx context.Context, args ...string) error {
	kind := strings.Join(slices.DeleteFunc(slices.Clone(args), named), " ")
	s.count["delegate "+kind]++
	limited, cancel := ctx, context.CancelFunc(func() {})
	if kind != "resume" && !strings.HasPrefix(kind, "sync") && s.dice.IntN(12) == 0 {
		limited, cancel = context.WithTimeout(ctx, time.Duration(1+s.dice.IntN(40))*time.Millisecond)
	}
	defer cancel()
	_, err := s.output(limited, args...)
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		s.count["kills of commands"]++
		return errCut
	case err != nil && ctx.Err() == nil:
		s.fault("delegate %s: %v", strings.Join(args, " "), err)
	}
	return err
}

// errCut says that a command was killed: what it was to do is done, or not.
var errCut = errors.New("the command was killed")

// named says whether an argument names an agent or a message, which are no part of the kind of command.
func named(arg string) bool { return strings.HasPrefix(arg, "AGT-") || len(tokens(arg)) > 0 }

func (s *session) output(ctx context.Context, args ...string) ([]byte, error) {
	return s.run(ctx, s.program, args...)
}

func (s *session) run(ctx context.Context, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, commandPatience)
	defer cancel()
	var out bytes.Buffer
	err := run.Do(ctx, run.Command{Path: program, Args: args, Dir: s.repo, Env: s.environ(), Stdout: &out})
	return out.Bytes(), err
}

// environ marks every process of the session by its folder. Without a desktop nobody is told of what happens here.
func (s *session) environ() []string {
	env := []string{"SOAK_SESSION=" + s.folder + "/"}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		desktop := name == "DISPLAY" || name == "WAYLAND_DISPLAY" || name == "DBUS_SESSION_BUS_ADDRESS"
		if name != "SOAK_SESSION" && !desktop && !strings.HasPrefix(name, "GIT_") {
			env = append(env, entry)
		}
	}
	return env
}

// view is the part of `delegate status --json` that is looked at.
type view struct {
	Supervisor *struct {
		PID int `json:"pid"`
	} `json:"supervisor"`
	Agents []status.AgentView `json:"agents"`
}

func (s *session) status(ctx context.Context) (view, error) {
	var v view
	out, err := s.output(ctx, "status", "--json")
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	return v, err
}

// fault notes what is wrong with the session, and says so at once.
func (s *session) fault(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.faults = append(s.faults, text)
	s.soak.faults++
	fmt.Printf("%s %s (seed %d, %s): %s\n", time.Now().UTC().Format(time.TimeOnly), s.name, s.seed, s.repo, text)
}

// look does what a person would now, and answers whether the session is over and has been checked.
func (s *session) look(ctx context.Context) bool {
	v, err := s.status(ctx)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		s.fault("delegate status --json: %v", err)
		s.abandon(ctx)
		return true
	case time.Since(s.begun) > patience:
		s.fault("not over after %s: %s", patience, states(v))
		s.finish(ctx, v)
		return true
	case s.looks == 0:
		s.count["sessions ended in the middle"]++
		s.end(ctx, nil)
		return true
	case s.over(v):
		if s.calm++; s.calm > 3 {
			s.finish(ctx, v)
			return true
		}
		return false
	}
	s.calm, s.looks = 0, s.looks-1
	s.act(ctx, v)
	return false
}

func states(v view) string {
	var all []string
	for _, a := range v.Agents {
		all = append(all, a.ID+" "+string(a.Status))
	}
	return strings.Join(all, ", ")
}

// abandon ends a session that will not be checked, and what it left running.
func (s *session) abandon(ctx context.Context) {
	_, _ = s.output(ctx, "sync", "abort", "--yes")
	s.clear()
}
