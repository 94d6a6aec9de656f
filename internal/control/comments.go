package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
	"delegate/registry"
)

// errNoComments says that there is nothing to send: no comment and no words.
var errNoComments = errors.New("nothing is to be sent: write a comment on a line, or a message")

// SendComments sends a person's drafts of comments on an agent's lines as one message, with words that may be empty. It
// goes the way of SendBack, Continue or Message, as the agent's state is. Each comment gets a row, and is no draft any
// more. Two calls at once send each comment once.
func (c Control) SendComments(ctx context.Context, id, words string) (registry.Agent, error) {
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	var rows []registry.Event
	err = session.ChangeReview(ctx, c.P, sessionID, func(r *session.Review) error {
		drafts := r.DraftsOf(a.ID)
		message := commentsText(words, drafts)
		if message == "" {
			return errNoComments
		}
		sent, err := c.send(ctx, a, message)
		if err != nil {
			return err
		}
		a, rows = sent, c.commentRows(drafts)
		r.Drafts = slices.DeleteFunc(r.Drafts, func(d session.Comment) bool { return d.Agent == a.ID })
		r.Sent = append(r.Sent, drafts...)
		return nil
	})
	if err != nil || len(rows) == 0 {
		return a, err
	}
	return c.update(ctx, a.ID, func(tx *registry.Tx) error {
		for _, row := range rows {
			if err := tx.Record(row, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// send gives an agent a message in the way that its state has: it goes on with it where it can.
func (c Control) send(ctx context.Context, a registry.Agent, message string) (registry.Agent, error) {
	switch a.Status {
	case registry.Checkpoint:
		return c.Continue(ctx, a.ID, message)
	case registry.Complete, registry.Failed:
		return c.SendBack(ctx, a.ID, message)
	}
	return c.Message(ctx, a.ID, message)
}

// commentsText is the message of a person's words and comments; "" without both.
func commentsText(words string, all []session.Comment) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(words))
	if len(all) == 0 {
		return b.String()
	}
	if b.Len() > 0 {
		b.WriteString("\n\n")
	}
	b.WriteString("Comments on lines of your work. Deal with each of them:\n")
	for _, c := range all {
		old := ""
		if c.Removed {
			old = " as it was before your change"
		}
		text := agent.Cut(ui.Clean(strings.TrimSpace(c.Text)), largestFinding)
		fmt.Fprintf(&b, "\n- %s, line %d%s:\n  > %s\n  %s\n", c.Path, c.Line, old,
			agent.Cut(ui.Clean(strings.TrimSpace(c.Quote)), largestQuote),
			strings.ReplaceAll(text, "\n", "\n  "))
	}
	return b.String()
}

// largestQuote is how many bytes of a line a message has.
const largestQuote = 300

// commentRows are the rows of comments that are sent.
func (c Control) commentRows(all []session.Comment) (rows []registry.Event) {
	for _, one := range all {
		rows = append(rows, registry.Event{Kind: registry.EventComment, Agent: one.Agent, By: c.Who,
			Details: rowText(fmt.Sprintf("%s:%d %q: %s", one.Path, one.Line, agent.Cut(strings.TrimSpace(one.Quote),
				largestQuote), one.Text))})
	}
	return rows
}
