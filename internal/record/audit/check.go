package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/registry"
)

// CheckRecord is Disagreements without a limit of time, and looks at everything: every object of
// the agents' work, branches and worktrees, the integration branch, what was cut short, and what
// no registry names. It changes nothing.
func CheckRecord(ctx context.Context, p *project.Project, state registry.State) ([]Disagreement, error) {
	c := &recordCheck{p: p, state: state, readings: map[string]git.Reading{}}
	if err := c.look(ctx); err != nil {
		text := "git cannot read the history of the base branch: " + project.OneLine(err.Error())
		c.add(Disagreement{Kind: Unchecked, Text: text, Next: []string{"git fsck"}})
	}
	if journal.Unfinished(p) {
		c.add(Disagreement{Kind: LandingHalfDone, Text: journal.ErrUnfinished.Error(), Next: []string{
			"delegate sync merge --continue", "delegate sync merge --abort",
		}})
	}
	if cut, _, found := journal.CutShort(ctx, p); found {
		text := cut.Session.ID + " was closed, but not all of its worktrees were removed"
		c.add(Disagreement{Kind: CompletionHalfDone, Text: text, Next: []string{"delegate sync complete"}})
	}
	if state.Session == nil {
		return c.found, nil
	}
	for _, check := range []func(context.Context) error{c.objects, c.places, c.integration, c.unnamed, c.unrecorded} {
		if err := check(ctx); err != nil {
			return c.found, err
		}
	}
	return c.found, nil
}

// objects reads all that each agent made.
func (c *recordCheck) objects(ctx context.Context) error {
	for _, a := range c.state.Agents {
		if a.Head == "" || a.Base == "" || c.readings[a.Head].Broken != "" || a.Status == registry.Aborted {
			continue
		}
		d := Disagreement{Kind: ObjectUnreadable, Agent: a.ID, Commit: a.Head, Next: []string{"git fsck"}}
		broken, err := c.p.Repo.Unreadable(ctx, []string{a.Head}, []string{a.Base})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			d.Text = fmt.Sprintf("git cannot list what %s made up to %.12s: %s", a.ID, a.Head,
				project.OneLine(err.Error()))
		case len(broken) > 0:
			first := broken[0]
			d.Text = fmt.Sprintf("git cannot read %d of the objects that %s made up to %.12s, the first is %q, %.12s%s",
				len(broken), a.ID, a.Head, first.Path, first.ID, c.damage(first.ID))
			if mend := c.clear(first.ID); mend != "" && first.Path != "" {
				again := fmt.Sprintf("git -C %s hash-object -w %s", run.Quote(a.Worktree), run.Quote(first.Path))
				d.Next[0] = join(mend, again) + " (makes it anew if the worktree has it as it was)"
			}
			if !a.Status.Ended() {
				d.Next = append(d.Next, "delegate abort "+a.ID)
			}
		default:
			continue
		}
		c.add(d)
	}
	return nil
}

// places looks for the branches and worktrees of agents that have not landed.
func (c *recordCheck) places(ctx context.Context) error {
	branches, err := c.p.Repo.RefsUnder(ctx, "refs/heads/delegate/")
	if err != nil {
		return err
	}
	for _, a := range c.state.Agents {
		if a.Worktree == "" || a.Status.Ended() || a.Status == registry.Pending || a.Status == registry.Spawning {
			continue
		}
		if branches["refs/heads/"+a.Branch] == "" && a.Head != "" {
			c.add(Disagreement{
				Kind: BranchGone, Agent: a.ID, Commit: a.Head,
				Text: fmt.Sprintf("the branch of %s is gone: %s", a.ID, a.Branch),
				Next: []string{run.AsTyped([]string{"git", "branch", a.Branch, a.Head})},
			})
		}
		if c.p.Lost(a) {
			text := fmt.Sprintf("the worktree of %s is gone, or cut off from git: %s", a.ID, a.Worktree)
			c.add(Disagreement{Kind: WorktreeGone, Agent: a.ID, Text: text,
				Next: []string{"delegate restore " + a.ID, "delegate abort " + a.ID}})
		}
	}
	return nil
}

// integration looks for the branch that finished work was gathered on.
func (c *recordCheck) integration(ctx context.Context) error {
	s := c.state.Session
	integrated := func(a registry.Agent) bool { return a.Flags.Has(registry.FlagIntegrated) }
	if s.Integration == "" || !slices.ContainsFunc(c.state.Agents, integrated) {
		return nil
	}
	_, found, err := c.p.Repo.Ref(ctx, "refs/heads/"+s.Integration)
	if err != nil || found {
		return err
	}
	c.add(Disagreement{
		Kind: IntegrationGone,
		Text: fmt.Sprintf("finished work was gathered on %s, which is gone; the agents' own branches have it all",
			s.Integration),
		Next: []string{fmt.Sprintf("git branch %s %s", s.Integration, project.IntegrationRef(s.ID))},
	})
	return nil
}

// unnamed looks for references of agents that the active session does not have.
func (c *recordCheck) unnamed(ctx context.Context) error {
	under := "refs/delegate/" + c.state.Session.ID + "/"
	refs, err := c.p.Repo.RefsUnder(ctx, under)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for ref := range refs {
		id, _, below := strings.Cut(strings.TrimPrefix(ref, under), "/")
		if _, err := c.state.Agent(id); err == nil || !below || seen[id] {
			continue
		}
		seen[id] = true
		text := fmt.Sprintf("work of %s is kept below %s%s, and the registry has no such agent", id, under, id)
		c.add(Disagreement{Kind: Unrecorded, Agent: id, Text: text,
			Next: []string{"delegate registry restore", "git log -p " + ref}})
	}
	return nil
}
