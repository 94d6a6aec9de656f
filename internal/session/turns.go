package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/agent"
	"delegate/internal/atomicfile"
	"delegate/internal/project"
	"delegate/registry"
	"delegate/scope"
)

// Message is one text that waits for an agent's next turn.
type Message struct {
	Number int       `json:"number"`
	From   string    `json:"from"`
	Text   string    `json:"text"`
	Time   time.Time `json:"time"`
}

func queueDir(p *project.Project, session, id string) string {
	return filepath.Join(p.AgentState(session, id), "queue")
}

// enqueue writes a message durably before anyone is told that it was taken. It answers with the message's file.
func enqueue(ctx context.Context, p *project.Project, session, id string, m Message) (string, error) {
	dir := queueDir(p, session, id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("queue message for %s: %w", id, err)
	}
	lock, err := atomicfile.Lock(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer lock.Unlock()
	counter := filepath.Join(dir, "last")
	if data, err := os.ReadFile(counter); err == nil {
		m.Number, _ = strconv.Atoi(strings.TrimSpace(string(data)))
	}
	m.Number++
	if err := atomicfile.WriteFile(counter, []byte(strconv.Itoa(m.Number)), 0o600); err != nil {
		return "", err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("queue message for %s: %w", id, err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%06d.json", m.Number))
	return path, atomicfile.WriteFile(path, data, 0o600)
}

// queued lists the messages that no turn has been given, in order.
func queued(p *project.Project, session, id string) ([]Message, error) {
	dir := queueDir(p, session, id)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read queue of %s: %w", id, err)
	}
	var all []Message
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read queue of %s: %w", id, err)
		}
		var m Message
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, fmt.Errorf("read queue of %s: %s: %w", id, e.Name(), err)
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(x, y Message) int { return x.Number - y.Number })
	return all, nil
}

// texts are the messages as a prompt has them.
func texts(messages []Message) string {
	all := make([]string, 0, len(messages))
	for _, m := range messages {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n\n")
}

func numbers(messages []Message) []int {
	var all []int
	for _, m := range messages {
		all = append(all, m.Number)
	}
	return all
}

// delivered takes messages that stand in a turn's spec out of the queue.
func delivered(p *project.Project, session, id string, numbers []int) error {
	for _, n := range numbers {
		err := os.Remove(filepath.Join(queueDir(p, session, id), fmt.Sprintf("%06d.json", n)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take message %d of %s from the queue: %w", n, id, err)
		}
	}
	return nil
}

// startTurn starts a later turn of a RUNNING agent: with the queued messages, in the program's own session where it can resume one,
// else with the conversation so far in the prompt.
func (s *supervisor) startTurn(ctx context.Context, a registry.Agent, turn agent.Turn) error {
	if limit := s.p.Config.TurnLimit; !limit.Off() && a.Turns > limit.Value() {
		return s.fail(ctx, a, fmt.Sprintf("turn limit reached: %d turns; everything it did is kept", limit.Value()), func(a *registry.Agent) {
			stopClock(s.p.Now())(a)
			a.Turns-- // this turn did not begin
			addFlag(a, "turn limit")
		})
	}
	err := s.prepareTurn(ctx, a, turn)
	if err == nil {
		err = s.keep(ctx, a, turn)
	}
	if err != nil {
		return errors.Join(err, s.fail(ctx, a, "turn could not be started: "+err.Error(), stopClock(s.p.Now())))
	}
	return s.unwanted(ctx, a, turn)
}

func (s *supervisor) prepareTurn(ctx context.Context, a registry.Agent, turn agent.Turn) error {
	session := *s.state.Session
	if turn.Whole() {
		spec, err := turn.Spec()
		if err != nil {
			return err
		}
		return delivered(s.p, session.ID, a.ID, spec.Messages)
	}
	profile, err := agent.Find(s.p.Config, a.Profile)
	if err != nil {
		return err
	}
	if _, err := os.Stat(a.Worktree); err != nil {
		return fmt.Errorf("worktree: %w", err)
	}
	place, err := s.furnish(ctx, session, a, turn)
	if err != nil {
		return err
	}
	messages, err := queued(s.p, session.ID, a.ID)
	if err != nil {
		return err
	}
	prompt, command := s.followUp(session, a, profile, messages)
	in := profile.Invoke(command, agent.Values{
		Prompt: prompt, PromptFile: turn.PromptFile(), SessionID: s.programSession(session.ID, a), Worktree: a.Worktree,
	})
	spec := agent.Spec{Args: in.Args, Stdin: in.Stdin, Dir: a.Worktree, Env: place.Environ(profile), Mark: place.Mark(), StopGrace: s.grace(), Messages: numbers(messages)}
	if _, err := agent.Prepare(turn.Dir, prompt, spec); err != nil {
		return err
	}
	return delivered(s.p, session.ID, a.ID, spec.Messages)
}

// followUp is the prompt and the command of a later turn.
func (s *supervisor) followUp(session registry.Session, a registry.Agent, profile agent.Profile, messages []Message) (string, []string) {
	f := agent.FollowUp{FromWhom: "your parent"}
	if f.Message = texts(messages); f.Message == "" {
		f.Message = "Go on."
	}
	if len(profile.Resume) > 0 {
		return f.Prompt(), profile.Resume
	}
	f.First = s.brief(session, a).Prompt()
	previous := agent.Turn{Dir: s.p.TurnDir(session.ID, a.ID, a.Turns-1)}
	f.SoFar = project.Tail(previous.Output(), 400)
	return f.Prompt(), profile.Command
}

// programSession is the session id that the agent program is given, the same for all turns of an attempt.
func (s *supervisor) programSession(session string, a registry.Agent) string {
	sum := sha256.Sum256([]byte(session + "\x00" + a.ID + "\x00" + strconv.Itoa(a.Attempt) + "\x00" + s.p.Main))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a version 8 UUID, made of what names the attempt
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// stopClock adds the running time of a turn that is over.
func stopClock(now time.Time) func(*registry.Agent) {
	return func(a *registry.Agent) {
		if !a.RunningSince.IsZero() {
			a.RunTime += max(0, now.Sub(a.RunningSince)).Round(time.Second)
		}
		a.RunningSince, a.LastActivity = time.Time{}, now
	}
}

func alwaysForbidden() []string { return scope.AlwaysForbidden() }

// filesText names a few files and how many more there are.
func filesText(files []string) string {
	const most = 8
	switch {
	case len(files) == 0:
		return "no files changed"
	case len(files) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
	}
	return strings.Join(files, ", ")
}
