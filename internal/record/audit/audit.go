// Package audit holds what the registry says against git: landings that are not in the target any more, commits and
// branches that are gone or cannot be read, work that nothing is recorded of.
//
// It changes nothing, and every disagreement comes with what to type.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/record"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// DisagreementKind says what is wrong between the record and git, for programs.
type DisagreementKind string

// The kinds of disagreements. A look finds those above the blank line, a check all of them.
const (
	LandingLost      DisagreementKind = "landing_lost"      // MERGED, and its commit is not in the target
	CommitUnreadable DisagreementKind = "commit_unreadable" // git cannot read a recorded head or landing, or its tree
	TargetGone       DisagreementKind = "target_gone"
	TargetUnreadable DisagreementKind = "target_unreadable"
	Unrecorded       DisagreementKind = "unrecorded" // references of a session or agent that no registry names
	Unchecked        DisagreementKind = "unchecked"  // git did not answer

	ObjectUnreadable   DisagreementKind = "object_unreadable" // in the work of an agent
	BranchGone         DisagreementKind = "branch_gone"
	WorktreeGone       DisagreementKind = "worktree_gone"
	IntegrationGone    DisagreementKind = "integration_gone"
	LandingHalfDone    DisagreementKind = "landing_half_done"
	CompletionHalfDone DisagreementKind = "completion_half_done"

	// the registry's file is not what was written last, which counts in its place
	FileDiffers DisagreementKind = "file_differs"
	// the record and the private log of decisions differ, or the log was changed
	DecisionDiffers DisagreementKind = "decision_differs"
	// an approval that had to be signed and is not, or not by a valid signature
	Unsigned DisagreementKind = "unsigned"
)

// Disagreement is one thing that the registry says and git does not bear out, or the other way
// round.
type Disagreement struct {
	Kind   DisagreementKind `json:"kind"`
	Agent  string           `json:"agent"`  // "" for the session
	Commit string           `json:"commit"` // that is missed, "" if none is known
	Text   string           `json:"text"`
	Next   []string         `json:"next"` // ways out, each to be typed; what one needs in order stands in one
}

// lookTime bounds a look: what was not found until then is not waited for.
const lookTime = 10 * time.Second

// Disagreements holds what the registry says now against git. It takes two git processes at most,
// for any number of agents, where nothing is wrong, changes nothing and never fails: that git does
// not answer is one of them.
func Disagreements(ctx context.Context, p *project.Project, state registry.State) []Disagreement {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	c := &recordCheck{p: p, state: state, readings: map[string]git.Reading{}}
	if err := c.look(ctx); err != nil {
		c.add(Disagreement{
			Kind: Unchecked, Text: "whether git has what the registry names was not seen: " +
				project.OneLine(err.Error()),
			Next: []string{"delegate registry check --git"},
		})
	}
	return c.found
}

// recordCheck is one look at registry and git.
type recordCheck struct {
	p        *project.Project
	state    registry.State
	readings map[string]git.Reading // by revision
	tip      string                 // of the target, "" where it cannot be read
	found    []Disagreement
}

func (c *recordCheck) add(d Disagreement) {
	if d.Next == nil {
		d.Next = []string{}
	}
	c.found = append(c.found, d)
}

func (c *recordCheck) look(ctx context.Context) error {
	if c.state.Session == nil {
		return c.unrecorded(ctx)
	}
	made := func(a registry.Agent) bool { return a.Head != "" || a.Status == registry.Merged }
	if !slices.ContainsFunc(c.state.Agents, made) {
		return nil
	}
	target := "refs/heads/" + c.state.Session.Target
	revisions := []string{target}
	for _, a := range c.state.Agents {
		for _, id := range []string{a.Head, a.MergeCommit} {
			if id != "" && !slices.Contains(revisions, id) {
				revisions = append(revisions, id)
			}
		}
	}
	if err := c.read(ctx, revisions...); err != nil {
		return err
	}
	c.tip = c.readings[target].Commit
	if c.readings[target].Broken != "" {
		c.tip = ""
		if err := c.brokenTarget(ctx); err != nil {
			return err
		}
	}
	if err := c.landings(ctx); err != nil {
		return err
	}
	return c.heads(ctx)
}

// read adds to what is known of revisions.
func (c *recordCheck) read(ctx context.Context, revisions ...string) error {
	fresh := slices.DeleteFunc(revisions, func(r string) bool { _, known := c.readings[r]; return known })
	if len(fresh) == 0 {
		return nil
	}
	all, err := c.p.Repo.ReadCommits(ctx, fresh)
	for i, reading := range all {
		c.readings[fresh[i]] = reading
	}
	return err
}

// brokenTarget says what is the matter with the target, and which commit it can be put back to.
func (c *recordCheck) brokenTarget(ctx context.Context) error {
	_, err := c.p.Target(ctx, *c.state.Session)
	var gone *project.TargetGoneError
	var broken *project.TargetBrokenError
	ref := "refs/heads/" + c.state.Session.Target
	old, searchErr := c.lastGood(ctx, ref)
	switch {
	case searchErr != nil:
		return searchErr
	case errors.As(err, &gone):
		c.add(Disagreement{Kind: TargetGone, Text: err.Error() + " (renamed or deleted)", Next: []string{
			fmt.Sprintf("git branch %s COMMIT (its newest; this program knows of %.12s)",
				run.AsTyped([]string{gone.Branch}), old),
			"delegate sync abort",
		}})
		return nil
	case errors.As(err, &broken):
		at := broken.Commit
		mend := c.clear(at)
		if at == "" {
			mend = "rm " + run.Quote(c.p.Repo.RefFile(ref))
		}
		c.add(Disagreement{Kind: TargetUnreadable, Commit: at, Text: err.Error() + c.damage(at), Next: []string{
			join(mend, fmt.Sprintf("git update-ref %s %s", ref, old)) +
				" (its newest commit that can be read; then git status says what your checkout has)",
		}})
		return nil
	case err != nil:
		return err
	}
	tree := c.readings[ref].Broken // the commit can be read, what it names cannot
	text := fmt.Sprintf("the branch %q that this session merges into is damaged: git cannot read its tree %.12s",
		c.state.Session.Target, tree)
	c.add(Disagreement{Kind: TargetUnreadable, Commit: tree, Text: text + c.damage(tree), Next: []string{
		join(c.clear(tree), fmt.Sprintf("git update-ref %s %s", ref, old)),
	}})
	return nil
}

// lastGood is the newest commit that the target is known to have been at and that can be read: by
// git's own record of the branch, by the journal of a landing, and by the landings in the
// registry.
func (c *recordCheck) lastGood(ctx context.Context, ref string) (string, error) {
	candidates := c.p.Repo.ReflogIDs(ref)
	if half, err := journal.ReadLanding(c.p); err == nil {
		candidates = append(candidates, half.Old)
	}
	for _, e := range slices.Backward(c.state.Events) {
		landed := e.Kind == registry.EventMerged || e.Kind == registry.EventSalvaged
		if a, err := c.state.Agent(e.Agent); err == nil && landed && a.MergeCommit != "" {
			candidates = append(candidates, a.MergeCommit)
		}
	}
	for _, id := range append(candidates, c.state.Session.Base) {
		if err := c.read(ctx, id); err != nil {
			return "", err
		}
		if c.readings[id].Broken == "" {
			return id, nil
		}
	}
	return "COMMIT", nil
}

// damage is what can be seen of an object that git cannot read, to be put behind a sentence.
func (c *recordCheck) damage(id string) string {
	_, info, err := c.p.Repo.LooseObject(id)
	switch {
	case id == "":
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return " (the object is missing)"
	case err == nil && info.Size() == 0:
		return " (the object's file is empty, as a power cut leaves it)"
	}
	return " (the object is damaged)"
}

// clear is the command that takes the file of a damaged object out of the way, since git would
// take it for the object when it is made anew; "" for none. Empty files are no objects, and where
// there is one there are more.
func (c *recordCheck) clear(id string) string {
	path, info, err := c.p.Repo.LooseObject(id)
	switch {
	case err != nil:
		return ""
	case info.Size() == 0:
		return "find " + run.Quote(c.p.Repo.CommonDir+"/objects") + " -type f -empty -delete"
	}
	return "mv " + run.Quote(path) + " " + run.Quote(path+".damaged")
}

// LostWork are the agents that landed and whose landing is not in the target any more: somebody
// reset it.
func LostWork(ctx context.Context, p *project.Project, state registry.State, tip string) ([]Disagreement, error) {
	c := &recordCheck{p: p, state: state, tip: tip, readings: map[string]git.Reading{}}
	var landed []string
	for _, a := range state.Agents {
		if a.Status == registry.Merged && a.MergeCommit != "" && !slices.Contains(landed, a.MergeCommit) {
			landed = append(landed, a.MergeCommit)
		}
	}
	if err := c.read(ctx, landed...); err != nil {
		return nil, err
	}
	err := c.landings(ctx)
	return c.found, err
}

func join(commands ...string) string {
	return strings.Join(slices.DeleteFunc(commands, func(c string) bool { return c == "" }), " && ")
}

// landings compares MERGED with the target. Where the target cannot be read nothing is said of
// them.
func (c *recordCheck) landings(ctx context.Context) error {
	if c.tip == "" {
		return nil
	}
	lost, err := c.lost(ctx)
	if err != nil {
		return err
	}
	target := c.state.Session.Target
	for _, id := range lost {
		a, err := c.state.Agent(id)
		if err != nil {
			return err
		}
		d := Disagreement{Kind: LandingLost, Agent: id, Commit: a.MergeCommit, Next: []string{
			"delegate sync rollback " + id + " (changes only the record: it is ready to merge again)",
		}}
		switch {
		case a.MergeCommit == "":
			d.Text = fmt.Sprintf("%s is merged, the registry says, but names no commit", id)
		case c.readings[a.MergeCommit].Broken != "":
			d.Text = fmt.Sprintf("%s is merged, the registry says, but its commit %.12s is not on %s; git cannot "+
				"read it%s", id, a.MergeCommit, target, c.damage(c.readings[a.MergeCommit].Broken))
		default:
			d.Text = fmt.Sprintf("%s is merged, the registry says, but its commit %.12s is not on %s any more: the "+
				"branch was reset or rewritten",
				id, a.MergeCommit, target)
			d.Next = append(d.Next, fmt.Sprintf("git merge %.12s (on %s; brings it back)", a.MergeCommit, target))
		}
		c.add(d)
	}
	return nil
}

// lost are the agents that landed and whose landing is not in the target. The error says that the
// target's history cannot be read.
func (c *recordCheck) lost(ctx context.Context) ([]string, error) {
	var asked []string
	owner, out := map[string]bool{}, []string{}
	for _, a := range c.state.Agents {
		if a.Status == registry.Merged && a.MergeCommit != "" && c.readings[a.MergeCommit].Commit != "" {
			asked = append(asked, a.MergeCommit)
		}
	}
	if len(asked) > 0 {
		landings, err := c.p.Landings(ctx, c.state.Session.ID, c.tip)
		if err != nil {
			return nil, err
		}
		if err := c.p.Repo.Beyond(ctx, asked, landings, func(commit string) {
			owner[commit] = true
		}); err != nil {
			return nil, err
		}
	}
	for _, a := range c.state.Agents {
		if a.Status == registry.Merged && (owner[a.MergeCommit] || c.readings[a.MergeCommit].Commit == "") {
			out = append(out, a.ID)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	// A hole in the history of the target hides what lies below it.
	return out, c.p.Repo.Beyond(ctx, []string{c.tip}, []string{c.state.Session.Base}, func(string) {})
}

// heads looks whether git can read what agents are recorded to have made.
func (c *recordCheck) heads(ctx context.Context) error {
	for _, a := range c.state.Agents {
		reading := c.readings[a.Head]
		if a.Head == "" || reading.Broken == "" || a.Status == registry.Aborted {
			continue
		}
		d := Disagreement{Kind: CommitUnreadable, Agent: a.ID, Commit: a.Head}
		d.Text = fmt.Sprintf("%s (%s): git cannot read its commit %.12s%s", a.ID, a.Status.Word(), a.Head,
			c.damage(reading.Broken))
		if a.Status != registry.Merged {
			mend, err := c.setBack(ctx, a)
			if err != nil {
				return err
			}
			d.Next = []string{
				join(c.clear(reading.Broken), join(mend...),
					"delegate message "+a.ID+` "look whether your work is whole, and commit it"`) +
					" (its files are in " + a.Worktree + ")",
				"delegate abort " + a.ID,
			}
		}
		c.add(d)
	}
	return nil
}

// setBack are the commands that put an agent's branch to its newest head that can be read, its
// base if there is no other, and take the references away that name what cannot: git would stumble
// over them for ever.
func (c *recordCheck) setBack(ctx context.Context, a registry.Agent) ([]string, error) {
	refs, err := c.p.Repo.RefsUnder(ctx, fmt.Sprintf("refs/delegate/%s/%s/", c.state.Session.ID, a.ID))
	if err != nil {
		return nil, err
	}
	if err := c.read(ctx, slices.Sorted(maps.Values(refs))...); err != nil {
		return nil, err
	}
	good := a.Base
	for turn := a.Turns; turn > 0 && good == a.Base; turn-- {
		if id := refs[project.HeadRef(c.state.Session.ID, a.ID, turn)]; id != "" && c.readings[id].Broken == "" {
			good = id
		}
	}
	mend := []string{fmt.Sprintf("git update-ref refs/heads/%s %s", a.Branch, good)}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if c.readings[refs[ref]].Broken != "" {
			mend = append(mend, "git update-ref -d "+ref)
		}
	}
	return mend, nil
}

// unrecorded looks for the work of sessions that nothing is recorded of, as where registry and
// private folder were deleted.
func (c *recordCheck) unrecorded(ctx context.Context) error {
	refs, err := c.p.Repo.RefsUnder(ctx, "refs/delegate/")
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for ref := range refs {
		if parts := strings.Split(ref, "/"); len(parts) > 3 && registry.ValidSessionID(parts[2]) {
			counts[parts[2]]++
		}
	}
	for _, session := range slices.Sorted(maps.Keys(counts)) {
		if c.knows(ctx, session) {
			continue
		}
		text := fmt.Sprintf("work of a session is here that no registry names: %s, %s below refs/delegate/%[1]s",
			session, ui.Plural(counts[session], "reference"))
		c.add(Disagreement{Kind: Unrecorded, Text: text, Next: []string{
			"git log --all -- " + project.RegistryPath + " (a registry that was committed)",
			"git for-each-ref refs/delegate/" + session + " refs/heads/delegate/" + session,
		}})
	}
	return nil
}

// knows reports whether anything is recorded of a session.
func (c *recordCheck) knows(ctx context.Context, session string) bool {
	ended := func(s registry.ArchivedSession) bool { return s.ID == session }
	if c.state.Session != nil && c.state.Session.ID == session || slices.ContainsFunc(c.state.Archived, ended) {
		return true
	}
	_, err := c.p.Store.History(ctx, session)
	var unknown *record.UnknownSessionError
	return !errors.As(err, &unknown)
}
