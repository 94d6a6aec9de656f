package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// Adapt merges the target into an agent's work between two of its turns and gives it its next one,
// with the message and what came: an agent that waits for review is continued, one that is complete
// is sent back, one that failed is resumed.
//
// It is for work that has to fit what landed meanwhile. The agent's fence refuses to merge what
// lies outside of its scope, and here none of it counts as the agent's: its work begins at the
// target's tip afterwards. Where both changed the same lines the files hold conflict markers with
// the base between them. The head before stays under its turn's reference. Where the agent has all
// of the target already, it just gets the message. What was cut off is finished by calling it
// again; until then the agent gets no turn and its work cannot land.
func (c Control) Adapt(ctx context.Context, id, message string) (registry.Agent, error) {
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	kind := cmp.Or(GoesOn(a.Status), registry.EventSentBack)
	if err := c.ready(a, kind); err != nil {
		return a, asked(err, "adapted")
	}
	if err := c.MayResume(ctx, a); err != nil {
		return a, err
	}
	report, err := c.catchUp(ctx, sessionID, a)
	if err != nil {
		return a, fmt.Errorf("adapt %s: %w", a.ID, err)
	}
	if report == nil {
		if message = strings.TrimSpace(message); message == "" {
			message = c.lookAgain(sessionID, a)
		}
		return c.nextTurn(ctx, a.ID, message, kind)
	}
	err = c.queue(ctx, sessionID, a.ID, report.message(message), func() error {
		e := registry.Event{Kind: kind, Agent: a.ID, Details: rowText(report.row(message)), By: c.Who}
		_, err := c.P.Store.Update(ctx, func(tx *registry.Tx) error {
			return tx.Transition(a.ID, e, registry.Person, func(a *registry.Agent) {
				c.beginTurn(a)
				a.Base, a.Head = report.base, report.head
			})
		})
		return err
	})
	if err != nil {
		return a, err
	}
	c.P.Step(StepMessaged)
	if err := c.P.EndMove(sessionID, a); err != nil {
		return a, err
	}
	a, _, err = c.find(ctx, a.ID)
	return a, err
}

// lookAgain is the message to an agent that has all of the target, with what is known to conflict with it all the same.
func (c Control) lookAgain(sessionID string, a registry.Agent) string {
	text := "Look at your work again: it is up to date with the base branch."
	open, _ := session.ReadConflicts(c.P, sessionID) // without it the message says less
	for _, key := range slices.Sorted(maps.Keys(open)) {
		if one := open[key]; one.Agent == a.ID && one.Target {
			text += "\nThis still has to be fixed: " + conflict.OnBranch(one.Text, "the base branch")
		}
	}
	return text
}

// mergeReport is what came into an agent's work from outside.
type mergeReport struct {
	base, head string // where its own work begins now, and its head
	target     string // name of the branch
	tip        string // its commit
	agent      string
	subjects   []string
	commits    int // of which subjects are the newest
	in         threeway.Incoming
}

// mostSubjects is how many commits a message names.
const mostSubjects = 10

// catchUp takes the agent's checkout to a merge of its head and what its work has to fit; nil if it has all of that.
func (c Control) catchUp(ctx context.Context, sessionID string, a registry.Agent) (*mergeReport, error) {
	state, err := c.Current(ctx)
	if err != nil {
		return nil, err
	}
	before, err := c.P.TakeHead(ctx, sessionID, a, takeover.ForGood)
	if err != nil {
		return nil, err
	}
	begun, found, err := c.P.Moved(sessionID, a)
	if err != nil {
		return nil, err
	}
	if found {
		return c.arrived(ctx, state, a, begun.To)
	}
	if before.Incomplete != "" {
		return nil, fmt.Errorf("files are missing from its head: %s", before.Incomplete)
	}
	if has, err := c.upToDate(ctx, state, a, before.Head); err != nil || has {
		return nil, err
	}
	base, err := session.NewBase(ctx, c.P, state, a)
	if err != nil {
		return nil, err
	}
	in, err := c.merge(ctx, state, a, [2]string{before.Head, base})
	if err != nil {
		return nil, err
	}
	message := fmt.Sprintf("Merge branch '%s' into %s\n", state.Session.Target, a.Branch)
	head, err := c.P.Repo.CommitTree(ctx, in.Tree, message, before.Head, base)
	if err != nil {
		return nil, err
	}
	if err := session.Pin(ctx, c.P, fmt.Sprintf("refs/delegate/%s/%s/adapted-%d", sessionID, a.ID, a.Turns+1),
		head); err != nil {
		return nil, err
	}
	c.P.Step(StepMerged)
	unfinished := (&session.AdaptUnfinishedError{Agent: a.ID}).Error()
	if err := c.P.Advance(ctx, sessionID, a,
		takeover.Move{From: before.Head, To: head, Unfinished: unfinished}); err != nil {
		return nil, err
	}
	c.P.Step(StepAdvanced)
	return c.arrived(ctx, state, a, head)
}

// merge merges the agent's head, the first of both, with the base that it gets.
func (c Control) merge(ctx context.Context, state registry.State, a registry.Agent,
	both [2]string) (threeway.Incoming, error) {
	base, head, err := c.P.MergeParents(ctx,
		project.MergeInputs{Agents: state.Agents, Agent: a, Base: both[1], Head: both[0]})
	if err != nil {
		return threeway.Incoming{}, err
	}
	return threeway.MergeForAgent(ctx, c.P.Repo, [2]string{head, base}, [2]string{a.ID, state.Session.Target})
}

// The steps of an adaptation, in their order, at which tests end it.
const (
	StepMerged   = "adapt: merged"
	StepAdvanced = "adapt: worktree taken there"
	StepMessaged = "adapt: agent told"
)

// upToDate reports whether a head has all that its work has to fit.
func (c Control) upToDate(ctx context.Context, state registry.State, a registry.Agent, head string) (bool, error) {
	tip, err := c.P.Target(ctx, *state.Session)
	if err != nil {
		return false, err
	}
	for _, commit := range append(session.Unlanded(state, a), tip) {
		if has, err := c.P.Repo.IsAncestor(ctx, commit, head); err != nil || !has {
			return false, err
		}
	}
	return true, nil
}

// arrived is what the merge brought, read from the merge itself: it is the same after a crash.
func (c Control) arrived(ctx context.Context, state registry.State, a registry.Agent,
	head string) (*mergeReport, error) {
	record := *state.Session
	// The watch knows the worktree by the base that it had.
	if err := os.Remove(session.MonitorIndex(c.P, record.ID, a)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	parents, err := c.P.Repo.Parents(ctx, head)
	if err != nil {
		return nil, err
	}
	if len(parents) != 2 {
		return nil, fmt.Errorf("%.12s is no merge of two", head)
	}
	report := &mergeReport{base: parents[1], head: head, agent: a.ID, target: record.Target}
	if report.in, err = c.merge(ctx, state, a, [2]string{parents[0], report.base}); err != nil {
		return nil, err
	}
	if err := session.AddUndecided(ctx, c.P, record.ID, a, head, report.in.Undecided); err != nil {
		return nil, err
	}
	target, err := c.P.Target(ctx, record)
	if err != nil {
		return nil, err
	}
	for report.tip = report.base; ; { // what a base is joined of is beside the target
		inside, err := c.P.Repo.IsAncestor(ctx, report.tip, target)
		if err != nil {
			return nil, err
		}
		before, err := c.P.Repo.Parents(ctx, report.tip)
		if err != nil {
			return nil, err
		}
		if inside || len(before) < 2 {
			break
		}
		report.tip = before[0]
	}
	report.subjects, report.commits, err = c.P.Repo.Subjects(ctx, parents[0], report.tip, mostSubjects)
	return report, err
}

// row is what the registry says.
func (report *mergeReport) row(words string) string {
	text := fmt.Sprintf("%s at %.12s merged into its work", report.target, report.tip)
	if n := len(report.in.Marked); n > 0 {
		var paths []string
		for _, m := range report.in.Marked {
			paths = append(paths, threeway.ShownPath(m.Path))
		}
		text += "; conflict markers in " + session.FilesText(paths)
	}
	if n := len(report.in.Odd); n > 0 {
		text += "; " + ui.Plural(n, "conflict") + " without markers"
	}
	if words = strings.TrimSpace(words); words != "" {
		text += "; " + words
	}
	return text
}

// message is what the agent is told.
func (report *mergeReport) message(words string) string {
	var b strings.Builder
	if words = strings.TrimSpace(words); words != "" {
		fmt.Fprintf(&b, "%s\n\n", words)
	}
	fmt.Fprintf(&b, "Your parent merged %s at %.12s into your work: your branch and your worktree are at %.12s now. "+
		"You did not write the merged changes; do not report them as yours.", report.target, report.tip, report.head)
	if report.commits > 0 {
		b.WriteString(" What came:\n")
		for _, line := range report.subjects {
			fmt.Fprintf(&b, "- %s\n", ui.Clean(line))
		}
		if more := report.commits - len(report.subjects); more > 0 {
			fmt.Fprintf(&b, "- and %s before these\n", ui.Plural(more, "commit"))
		}
	}
	if len(report.in.Marked) > 0 {
		fmt.Fprintf(&b, "\nYou and %s changed the same lines. Each of these blocks begins with your lines behind "+
			"`<<<<<<< %s`, then what both began from behind `|||||||`, then the lines of %s up to `>>>>>>> %s`. "+
			"Resolve the markers so that both changes do what they were made for, and leave none behind, in:\n",
			report.target, report.agent, report.target, report.target)
		for _, m := range report.in.Marked {
			fmt.Fprintf(&b, "- %s\n", m)
		}
	}
	if len(report.in.Odd) > 0 {
		b.WriteString("\nThese conflict as well, and have no markers:\n")
		for _, line := range report.in.Odd {
			fmt.Fprintf(&b, "- %s\n", ui.Clean(line))
		}
	}
	if len(report.in.Marked)+len(report.in.Odd) == 0 {
		b.WriteString("\nThere were no conflicts. Check whether your work still fits, and test it.")
	}
	return strings.TrimSpace(b.String())
}

// checkAdaptDone is an *UntoldError for an agent whose worktree was taken further than it knows.
func (c Control) checkAdaptDone(sessionID string, a registry.Agent) error {
	_, unfinished, err := c.P.Moved(sessionID, a)
	if err == nil && unfinished {
		err = &session.AdaptUnfinishedError{Agent: a.ID}
	}
	return err
}
