package supervise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/engine/remote"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/turnsetup"
	"delegate/registry"
)

// isRemote says that the agent's own turns run on an engine. A person who works in its place does so here.
func isRemote(a registry.Agent) bool { return a.On != "" && takenOverBy(a) == "" }

// prepareRemote writes the folder of a turn that runs on an engine, of which only what it is told is made here.
func (s snapshot) prepareRemote(ctx context.Context, a registry.Agent, f turnsetup.Setup, prompt string,
	messages []session.Message) error {
	if _, err := fmt.Sscanf(filepath.Base(f.Turn.Dir), "turn-%d", &a.Turns); err != nil {
		return fmt.Errorf("prepare turn: %w", err)
	}
	prompt, err := s.takeNotes(f, prompt)
	if err != nil {
		return err
	}
	f.Place.Budget, f.Place.PermissionWait = s.budgetLeft(a), s.permissionWait(a, f)
	return remote.Prepare(ctx, s.p, remote.Turn{Session: *s.state.Session, Agent: a, Setup: f, Prompt: prompt,
		Spec: keeper.Spec{StopGrace: s.grace(), Messages: session.MessageNumbers(messages),
			Said: session.MessageTexts(messages)}})
}

// notesName is the copy of the shared notes in the folder of an agent whose turns run elsewhere.
const notesName = "notes.md"

// takeNotes puts the shared notes, of which a prompt names the file, into the agent's folder, which goes with it.
func (s snapshot) takeNotes(f turnsetup.Setup, prompt string) (string, error) {
	const most = 512 << 10
	at := session.Notes(s.p).Path
	data, err := os.ReadFile(at)
	if err == nil {
		_, err = agentdir.Dir(f.Place.AgentDir).Put(notesName, data[max(0, len(data)-most):])
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("take notes along: %w", err)
	}
	return strings.ReplaceAll(prompt, at, filepath.Join(f.Place.AgentDir, notesName)), nil
}

// keepAgain starts a keeper for a turn that goes on on an engine and that nobody keeps here.
func keepAgain(ctx context.Context, turn keeper.Turn) error {
	if err := turn.Start(run.Program(), nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, keeper.StartLimit)
	defer cancel()
	return turn.AwaitKept(ctx)
}

// callAfter is how long an engine may not answer before a person is called.
const callAfter = 10 * time.Minute

// tellUnreached calls a person for an agent whose engine has not answered for long, and takes that back when it does.
func (s *supervisor) tellUnreached(ctx context.Context, a registry.Agent, w *watch) bool {
	since := w.where.Unreached
	if since.IsZero() || s.p.Now().Sub(since) < callAfter || a.Flags.Has(registry.FlagStalled) {
		return false
	}
	details := fmt.Sprintf("%s has not answered since %s, and nothing is known of its turn there: %s", w.where.On,
		since.Format(time.RFC3339), w.where.Why)
	w.stall.at = escalated
	s.begin(of(a), "call a person for", func(s snapshot) error {
		return s.flag(ctx, a, registry.EventEscalated, details, registry.FlagStalled)
	})
	return true
}
