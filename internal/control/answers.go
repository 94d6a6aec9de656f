package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/supervise/scopemonitor"
	"delegate/internal/turn/agentdir"
	"delegate/registry"
)

// PutBack has the paths in the agent's work as its base has them; what they held is kept in a head
// first. Whether it goes on shows in its status.
//
// An agent that is at work is interrupted for that, and goes on with the news.
// Beside its running turn it could write a path again in the same moment, or go by what it remembers of it,
// and what it has committed can only be taken back on its branch, which its own git holds.
func (c Control) PutBack(ctx context.Context, id string, paths []string) (registry.Agent, error) {
	a, _, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	interrupted := false
	if a.Status == registry.Running || a.Status == registry.Spawning {
		if a, interrupted, err = c.Interrupt(ctx, a.ID); err != nil {
			return a, err
		}
	}
	a, _, err = c.ChangeScope(ctx, a.ID, ScopeChange{Drop: paths})
	if nothing := (*NothingToDropError)(nil); errors.As(err, &nothing) {
		a, _, err = c.find(ctx, id) // it has put them back itself meanwhile
	}
	if err != nil || !interrupted || a.Status != registry.Checkpoint {
		return a, err
	}
	return c.Continue(ctx, a.ID, fmt.Sprintf(
		"You changed files outside of your scope. These were put back as they were before you began: %s. Leave them "+
			"alone, and go on with what is left to do. "+
			"If you cannot do without them, ask for them in a checkpoint block.", strings.Join(paths, ", ")))
}

// TellOutside sends changes outside of its scope back to the agent. One that is at work finds a
// line in its folder and has the message in its next turn; any other goes on with it at once. The
// person is not asked about these changes again until there is more.
func (c Control) TellOutside(ctx context.Context, id string, outside []session.Outside,
	words string) (registry.Agent, error) {
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	text := "You changed files outside of your scope. Put them back as they were before you began:"
	for _, o := range outside {
		text += "\n- " + o.String()
	}
	if words != "" {
		text += "\n\n" + words
	}
	atWork := a.Status == registry.Running || a.Status == registry.Spawning
	if atWork {
		line := fmt.Sprintf("[%s] [SCOPE] %s\n", c.P.Now().UTC().Format(time.RFC3339),
			strings.Join(strings.Fields(text), " "))
		if err := agentdir.Dir(c.P.AgentDir(sessionID, a.ID)).Append("COMMANDS.md", line); err != nil {
			return a, err
		}
		a, err = c.Message(ctx, id, text)
	} else {
		a, err = c.MessageNow(ctx, id, text)
	}
	if err != nil {
		return a, err
	}
	return a, session.ChangeBreaches(ctx, c.P, sessionID, a, func(open map[string]session.OpenBreach) {
		for path, o := range open {
			o.Answered = o.Answered ||
				slices.ContainsFunc(outside, func(answered session.Outside) bool { return answered.Path == path })
			open[path] = o
		}
	})
}

// forgetMended forgets open changes outside of the scope that a person's answer has mended. One
// that cannot be looked at now is looked at later.
func (c Control) forgetMended(ctx context.Context, sessionID string, a registry.Agent) error {
	open, err := session.ReadBreaches(c.P, sessionID, a)
	if err != nil || len(open) == 0 {
		return err
	}
	state, err := c.Current(ctx)
	if err != nil {
		return err
	}
	target, err := c.P.Target(ctx, *state.Session)
	if err != nil {
		return nil
	}
	work, err := c.P.Preview(ctx, sessionID, a, target)
	if err != nil {
		return nil
	}
	return session.ChangeBreaches(ctx, c.P, sessionID, a, scopemonitor.Scan(c.P, a, work, "").Forget)
}

// Seen closes a conflict that was found while agents worked: the person knows it; landings show it again.
func (c Control) Seen(ctx context.Context, key string) error {
	state, err := c.Current(ctx)
	if err != nil {
		return err
	}
	return session.ChangeConflicts(ctx, c.P, state.Session.ID, func(open map[string]session.OpenConflict) error {
		_, err := c.P.Store.Update(ctx, func(tx *registry.Tx) error {
			return tx.Record(registry.Event{Kind: registry.EventResolved,
				Details: key + ": seen; it is shown again before a landing", By: c.Who}, nil)
		})
		if o, is := open[key]; is && err == nil {
			o.Seen = true
			open[key] = o
		}
		return err
	})
}

// TurnKey tells an agent as a person was shown it from one that has gone on since.
func TurnKey(a registry.Agent) string { return fmt.Sprintf("%d %d %s", a.Attempt, a.Turns, a.Status) }

// CheckTurn makes sure that an agent is as the person who answers was shown it, by its TurnKey: what they answer is
// for that, and not for what it asks by now. *GoneOnError where it is not.
func (c Control) CheckTurn(ctx context.Context, id, shown string) error {
	a, _, err := c.find(ctx, id)
	if err == nil && TurnKey(a) != shown {
		err = &GoneOnError{Agent: a.ID}
	}
	return err
}

// GoneOnError says that an agent has gone on since the person was shown what they answer.
type GoneOnError struct{ Agent string }

func (e *GoneOnError) Error() string {
	return e.Agent + " has continued meanwhile; your answer was not sent"
}

// QuestionGoneError says that a question of an agent's program waits for no answer any more.
type QuestionGoneError struct{ Agent string }

func (e *QuestionGoneError) Error() string {
	return "the question of " + e.Agent + " was answered, or its time is over"
}

// AnswerQuestion answers what an agent's program asks within its turn, and records who did. *QuestionGoneError if it
// waits no more.
func (c Control) AnswerQuestion(ctx context.Context, id string, q agentdir.Question, answer agentdir.Answer) error {
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return err
	}
	dir := agentdir.Dir(c.P.AgentDir(sessionID, a.ID))
	isIt := func(open agentdir.Question) bool {
		return open.ID == q.ID && open.Line == q.Line && open.Text == q.Text
	}
	if !slices.ContainsFunc(dir.OpenQuestions(c.P.Now()), isIt) {
		return &QuestionGoneError{a.ID}
	}
	said := fmt.Sprintf("%s: %s (%s)", answer.Word, q.Line, q.Verdict())
	if q.Text != "" {
		said = fmt.Sprintf("answered %q: %s", q.Text, answer.Text)
	}
	_, err = c.P.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Record(registry.Event{Kind: registry.EventMessage, Agent: a.ID, Details: rowText(said),
			By: c.Who}, nil)
	})
	if err != nil {
		return err
	}
	return dir.Answer(q.ID, answer)
}
