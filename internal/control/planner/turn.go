package planner

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/fence/sandbox"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/internal/turn/turnsetup"
	"delegate/registry"
)

// plannerName stands where an agent's session and id stand.
const plannerName = project.PlannerFolder

// planner is where a planner works: one in a repository at a time.
type planner struct {
	p       *project.Project
	profile agent.Profile
	r       PlannerRequest
	as      registry.Agent // of no session; what makes fences and hooks asks for one
	id      string         // of the program's conversation

	last      keeper.Turn
	resumable bool
	refused   []string // what it tried and was not allowed
}

// question is what a planner is told and how.
type question struct {
	prompt  string
	command []string
}

func newPlanner(p *project.Project, profile agent.Profile, r PlannerRequest) *planner {
	if r.Say == nil {
		r.Say = func(string) {}
	}
	return &planner{p: p, profile: profile, r: r, id: newUUID(), as: registry.Agent{
		ID: plannerName, Attempt: 1, Base: r.Base,
		Worktree: filepath.Join(p.AgentRoot(plannerName, plannerName), "work"),
		Profile:  profile.Name,
		// A scope needs something that is allowed; what is forbidden prevails.
		Allowed: []string{"nothing"}, Forbidden: []string{"**"},
	}}
}

// newUUID is a random name for a conversation, in the form that programs want.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (m *planner) folder() string { return m.p.AgentDir(plannerName, plannerName) }

// turns is the private folder of the planner's turns.
func (m *planner) turns() string { return filepath.Join(m.p.Private, plannerName) }

// open makes the checkout that the planner reads.
func (m *planner) open(ctx context.Context) error {
	repo, err := m.p.Unfiltered(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.as.Worktree), 0o700); err != nil {
		return fmt.Errorf("make folder of the planner: %w", err)
	}
	return repo.AddDetachedWorktree(ctx, m.as.Worktree, m.r.Base)
}

// clear ends what runs and takes checkout, folder, home and temporary folder away: of this planner,
// and of one whose command was killed.
func (m *planner) clear(ctx context.Context) error {
	entries, err := os.ReadDir(m.turns())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear away the planner: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "turn-") {
			continue
		}
		t := keeper.Turn{Dir: filepath.Join(m.turns(), e.Name())}
		state, err := t.State()
		if err == nil && (state == keeper.Running || state == keeper.Lost) {
			err = t.Stop(m.p.Config.StopGrace.Value())
		}
		if err != nil {
			return err
		}
		turnsetup.Tidy(t)
	}
	if repo, err := m.p.Repo.OpenWorktree(m.as.Worktree); err == nil {
		remove := func() error { return m.p.Repo.RemoveWorktree(ctx, m.as.Worktree) }
		if repo.Unfinished() {
			remove = func() error { return repo.RemoveUnfinished(ctx) }
		}
		if err := remove(); err != nil {
			return err
		}
	}
	if err := atomicfile.RemoveTree(m.p.SessionDir(plannerName)); err != nil {
		return fmt.Errorf("remove folder of the planner: %w", err)
	}
	_ = os.Remove(m.p.WorktreeRoot()) // only an empty folder goes
	return nil
}

// turn runs the program once and answers with what it wrote.
func (m *planner) turn(ctx context.Context, n int, s question) (answer, error) {
	m.last = keeper.Turn{Dir: filepath.Join(m.turns(), fmt.Sprintf("turn-%d", n))}
	before := m.planFile().file
	if err := m.start(ctx, s); err != nil {
		return answer{}, err
	}
	exit, err := m.await(ctx, m.last)
	m.collectRefused()
	if err != nil {
		return answer{}, err
	}
	a := m.read(m.last)
	if a.text != nil && string(a.text) == string(before) {
		a.text = nil // it left its file as it was
		if spoken := planIn(readTranscript(m.last, m.profile.Output).words); spoken != nil {
			a.text = spoken
		}
	}
	if exit.Error != "" || exit.Code != 0 {
		a.reason = m.whyEnded(exit)
	}
	return a, nil
}

// start prepares the turn and waits until its program runs.
func (m *planner) start(ctx context.Context, s question) error {
	place, err := turnsetup.MakeDirs(ctx, m.p, registry.Session{ID: plannerName}, m.as, m.last)
	if err != nil {
		return err
	}
	place.Session = "" // it has none
	f := turnsetup.Setup{Turn: m.last, Profile: m.profile, Place: place}
	if err := turnsetup.WriteHooks(ctx, m.p, m.as, &f.Place); err != nil {
		return err
	}
	if err := m.confine(ctx, &f); err != nil {
		return err
	}
	if err := turnsetup.WriteConfig(ctx, m.p, m.as, &f); err != nil {
		return err
	}
	in := m.profile.Invoke(s.command, agent.Values{Prompt: s.prompt, PromptFile: m.last.PromptFile(), SessionID: m.id,
		Place: f.Place})
	_, err = keeper.Prepare(m.last.Dir, s.prompt, keeper.Spec{
		Args: in.Args, Stdin: in.Stdin, Dir: m.as.Worktree, Env: f.Place.Environ(m.profile),
		Mark:      agentdir.Dir(f.Place.AgentDir).Mark(),
		StopGrace: m.p.Config.StopGrace.Value(),
		Attempt:   1, Output: m.profile.Output, Fence: f.Fence,
	})
	if err != nil {
		return err
	}
	m.r.Say(fmt.Sprintf("what it prints is in %s", m.last.Output()))
	if err := m.last.Start(run.Program(), nil); err != nil {
		return err
	}
	// A keeper that begins while nobody waits for it would outlive this call: so this waits, also
	// where it was told to stop.
	begun, cancel := context.WithTimeout(context.WithoutCancel(ctx), keeper.StartLimit)
	defer cancel()
	return m.last.AwaitStart(begun)
}

// confine is the fence of a planner: nothing of the worktree can be written, and nothing outside but what is its own.
func (m *planner) confine(ctx context.Context, f *turnsetup.Setup) error {
	if m.r.Sandbox != "" {
		return nil
	}
	transports, err := m.p.Repo.TransportHelpers(ctx)
	if err != nil {
		return err
	}
	r := turnsetup.FenceRequest{Project: m.p, Session: plannerName, Agent: m.as, Support: sandbox.Detect(ctx),
		Transports: transports}
	if !r.Support.Fenced() {
		return &turnsetup.UnfencedError{Support: r.Support}
	}
	held := sandbox.Policy{Worktree: m.as.Worktree}
	if err := r.AddPaths(ctx, &held, &f.Place); err != nil {
		return err
	}
	held.Writable = []string{f.Place.AgentDir, f.Place.Home, f.Place.Tmp} // without what is opened to agents that work
	fence, err := r.Write(held, &f.Place)
	f.Fence = fence
	return err
}

// collectRefused takes note of what the layers reported.
func (m *planner) collectRefused() {
	folder := agentdir.Dir(m.folder())
	attempts, names, err := folder.ReadRefusals()
	if err != nil {
		return // the reports are for information alone
	}
	for _, t := range attempts {
		m.refused = append(m.refused,
			ui.Clean(strings.TrimSpace(transcript.FirstLine(t.Operation)+" "+t.Path)))
	}
	for _, name := range names {
		_ = folder.Remove(name) // it is reported once more at worst
	}
}

// planFile is the plan file of its folder, as far as it can be read.
func (m *planner) planFile() answer {
	data, err := agentdir.Dir(m.folder()).Read(agent.PlanFile, maxPlanRead)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return answer{}
	case err != nil:
		return answer{faults: []string{ui.Clean(ui.ErrorText(err))}}
	}
	return answer{text: data, file: data}
}

// whyEnded is how the program ended, with the last that it printed.
func (m *planner) whyEnded(exit keeper.Exit) string {
	how := fmt.Sprintf("its program ended with exit status %d", exit.Code)
	if exit.Signal != "" {
		how = "its program was ended by a signal: " + exit.Signal
	}
	last := cmp.Or(exit.Error, readTranscript(m.last, m.profile.Output).failed,
		transcript.FirstLine(project.Tail(m.last.Output(), 1)))
	if last == "" {
		return how
	}
	how += ": " + ui.Clean(last)
	if m.profile.Login != "" && dialect.FaultOf(last) == dialect.NoLogin {
		how += " (" + m.profile.Login + ")"
	}
	return how
}
