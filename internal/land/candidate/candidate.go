// Package candidate makes what a landing would produce, and has it verified, before anyone is asked.
//
// A candidate is a value that does not change: the target's commit, the heads of its agents, the tree that all of them
// make, and everything that was found about it. Its digest covers all of that. A person approves a digest (Approve);
// who carries it out builds the candidate once more and refuses when the digest differs. How it gets to the target
// is the business of others: nothing here knows of landing.
package candidate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/land/bisect"
	"delegate/internal/land/review"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/registry"
)

// Kind is what a candidate does to the target.
type Kind string

// The kinds of candidates.
const (
	Landing  Kind = "landing"
	Rollback Kind = "rollback"
)

// Candidate is the tree that a landing would produce, with all that is known of it.
type Candidate struct {
	Kind     Kind
	Session  registry.Session
	Members  []Member           // in the order in which they are merged onto the target, at least one
	ModeName string             // how the landing's commits are made, a value of config.Landing
	Target   string             // full reference name
	Tip      string             // the target's commit
	Tree     string             // "" if git's merge of a member fails
	Changes  []change.File      // what landing changes in the target, renames detected
	Others   []conflict.Finding // between its agents and those that have not landed: for information
	Tests    project.Outcome
	// TargetTests is what the failing command of Tests says of the target by itself, as far as that was looked at.
	TargetTests project.Outcome
	// Attribution says whose change breaks whose test where the tests of one agent with the target fail.
	// The answer about the failing tests is the answer about it. Of several agents Combine tells.
	Attribution bisect.Attribution
	Review      []review.Remark
	Notes       []string // what a yes includes as well: how commits are made, which hooks of the repository run
	// Message is a person's message for the commit, in place of the one that the mode makes; "" for that.
	Message string
	// OnlyRecord is a rollback of what is not in the target any more: Notes say why, and nothing
	// but the registry changes.
	OnlyRecord bool
	// To is where it goes out as pull requests; nil where it is merged here.
	To     *Destination
	Digest string
}

// Member is one agent's part of a candidate.
type Member struct {
	Agent registry.Agent
	Head  string // what is merged: the agent's head, or the commit that takes its landing back
	// the commits that are merged in place of Base and Head where history alone would mislead,
	// empty elsewhere (project.MergeParents)
	Parents [2]string
	Work    project.Work
	Base    string        // what it is merged into: the target, or what the members before it make
	Tree    string        // "" if git's merge fails and nobody has resolved that
	Commit  string        // a commit of that tree, in no history
	Changes []change.File // what it changes in Base, renames detected
	// Breaches are changes of the landing outside of the agent's scope.
	Breaches []project.Breach
	Findings []conflict.Finding    // between it and what lies below it: these can block
	Resolved []threeway.Resolution // clashes with what lies below that a person decided
	Open     []threeway.Clash      // clashes that nobody has decided
	Waits    []string              // dependencies that must land first
	Replayed []Replayed            // its commits on top of Base, where commits are rebased
}

// TargetName is the target's short name.
func (c Candidate) TargetName() string { return strings.TrimPrefix(c.Target, "refs/heads/") }

// Short is how a digest is shown and typed.
func (c Candidate) Short() string { return c.Digest[:7] }

// IDs are the agents in the candidate, in the order in which they are merged.
func (c Candidate) IDs() []string {
	ids := make([]string, 0, len(c.Members))
	for _, m := range c.Members {
		ids = append(ids, m.Agent.ID)
	}
	return ids
}

// Title names the agents.
func (c Candidate) Title() string { return strings.Join(c.IDs(), ", ") }

// ChangedSince says what made a candidate of the same agents another one than the one that was shown.
func (c Candidate) ChangedSince(shown Candidate) string {
	var all []string
	if c.Tip != shown.Tip {
		all = append(all, fmt.Sprintf("%s moved from %.12s to %.12s", c.TargetName(), shown.Tip, c.Tip))
	}
	heads := map[string]string{}
	for _, m := range shown.Members {
		heads[m.Agent.ID] = m.Head
	}
	same := c.Tree != "" && c.Tree == shown.Tree
	for _, m := range c.Members {
		switch was, had := heads[m.Agent.ID]; {
		case had && was == m.Head:
		case same:
			all = append(all, m.Agent.ID+" has other commits")
		default:
			all = append(all, "the work of "+m.Agent.ID+" changed")
		}
	}
	switch {
	case len(all) == 0:
		return "what the merge is judged by changed: its configuration, tests, findings or the state of other agents"
	case same:
		return strings.Join(all, " and ") + "; the merged files are the same"
	}
	return strings.Join(all, " and ")
}

// Failing says whether the verify commands fail on the candidate, so that only an explicit override lands it.
func (c Candidate) Failing() bool { return c.Tests.Result == project.Fail }

// TargetFails says whether the target fails the same command by itself, so that nothing is known of the work.
func (c Candidate) TargetFails() bool { return c.Failing() && c.TargetTests.Result == project.Fail }

// Open are the clashes that nobody has decided, of all members.
func (c Candidate) Open() []threeway.Clash {
	var all []threeway.Clash
	for _, m := range c.Members {
		all = append(all, m.Open...)
	}
	return all
}

// Blocks lists why the candidate must not land now, each with what to do. An empty list means that
// a person may be asked.
func (c Candidate) Blocks() (all []string) {
	for _, b := range c.blocks() {
		all = append(all, b.why)
	}
	return all
}

// BlocksWithoutFindings are those of Blocks that no finding of a member says.
func (c Candidate) BlocksWithoutFindings() (all []string) {
	for _, b := range c.blocks() {
		if !b.ofFinding {
			all = append(all, b.why)
		}
	}
	return all
}

// block is one reason why a candidate must not land now.
type block struct {
	why       string
	ofFinding bool // it is the message of a finding
}

func (c Candidate) blocks() (all []block) {
	if c.OnlyRecord {
		return nil
	}
	for _, m := range c.Members {
		prefix := ""
		if len(c.Members) > 1 {
			prefix = m.Agent.ID + ": "
		}
		for _, b := range m.blocks(c.Kind) {
			all = append(all, block{prefix + b.why, b.ofFinding})
		}
	}
	for _, r := range c.Review {
		if r.Severity == review.Critical {
			all = append(all, block{why: "review: " + r.String()})
		}
	}
	if c.Tree == "" && len(all) == 0 { // it never ran, or git's merge failed in a way that no finding tells
		id := c.Members[0].Agent.ID
		all = append(all, block{why: fmt.Sprintf("there is no merged tree of it: answer it with delegate message %s "+
			"\"TEXT\", or delegate abort %s", id, id)})
	}
	return all
}

// Unmergeable is why an agent whose state allows no merge cannot be merged.
func Unmergeable(a registry.Agent) string {
	return fmt.Sprintf("%s %s; only work that is ready, or partial work of an agent that failed, can be merged",
		a.ID, a.Status.Is())
}

// nothing says why a merge would change nothing, and what to type.
func (m Member) nothing() string {
	a := m.Agent
	switch {
	case len(m.Work.Files) > 0:
		return fmt.Sprintf("there is nothing to merge, since the target has the same already; delegate abort %s (its "+
			"commits are kept)", a.ID)
	case len(a.FilesModified) > 0:
		return fmt.Sprintf("there is nothing to merge: its worktree was set back behind what it reported, which is "+
			"kept; to bring that back: git -C %s restore --source %.12s .; or delegate abort %s", run.Quote(a.Worktree),
			a.Head, a.ID)
	}
	return fmt.Sprintf("there is nothing to merge: answer it with delegate message %[1]s \"TEXT\", or "+
		"delegate abort %[1]s", a.ID)
}

func (m Member) blocks(kind Kind) (all []block) {
	id := m.Agent.ID
	add := func(format string, args ...any) { all = append(all, block{why: fmt.Sprintf(format, args...)}) }
	if kind == Landing && m.Agent.Status != registry.Complete && m.Agent.Status != registry.Failed {
		add("%s", Unmergeable(m.Agent))
	}
	for _, d := range m.Waits {
		add("it builds on %s, which must be merged first: delegate sync merge %s", d, d)
	}
	for _, f := range m.Findings {
		if f.Blocking {
			all = append(all, block{f.Message, true})
		}
	}
	for _, b := range m.Breaches {
		advice := fmt.Sprintf("To take it back: delegate scope %s --drop %s", id, b.Path)
		if b.Allowable {
			advice += ", or to allow it: --allow " + b.Path
		}
		add("%s. %s", b, advice)
	}
	if m.Work.Incomplete != "" {
		add("some of its files could not be saved: %s", m.Work.Incomplete)
	}
	if m.Tree != "" && len(m.Changes) == 0 {
		add("%s", m.nothing())
	}
	if m.Work.Unrelated {
		add("the target's history was rewritten, down to its first commit: it shares "+
			"nothing with this work, which began at %.12s; take it over by hand (git cherry-pick %.12s..%.12s), then "+
			"delegate abort %s",
			m.Agent.Base, m.Agent.Base, m.Work.Head, id)
	}
	if m.Work.Rewritten {
		add("its branch lacks the commit it started from: it rewrote history")
	}
	return all
}

// sum is what a digest covers of one member.
type sum struct {
	Agent, Theirs, Tree string
	Ground              [2]string
	Status              registry.Status
	Incomplete          string
	Rewritten           bool
	Breaches            []string
	Findings            []conflict.Finding
	Resolved            []threeway.Resolution
	Waits               []string
	Replayed            []Replayed
	Flags               registry.Flags // without what says nothing about the work
	Violations          int
}

func (m Member) sum() sum {
	breaches := []string{}
	for _, b := range m.Breaches {
		breaches = append(breaches, b.String())
	}
	return sum{
		m.Agent.ID, m.Head, m.Tree, m.Parents, m.Agent.Status, m.Work.Incomplete, m.Work.Rewritten, breaches,
		m.Findings, m.Resolved, m.Waits, m.Replayed, m.doubts(), m.Agent.Violations,
	}
}

// HasParents reports whether other commits are merged in place of its own two.
func (m Member) HasParents() bool { return m.Parents != [2]string{} }

// doubts are the flags that the question names.
func (m Member) doubts() registry.Flags { return m.Agent.Flags.Without(registry.FlagIntegrated) }

// digest covers everything that a person's yes is for.
func (c Candidate) digest(verify []string) string {
	members := make([]sum, 0, len(c.Members))
	for _, m := range c.Members {
		members = append(members, m.sum())
	}
	data, err := json.Marshal(struct {
		Kind                             Kind
		Session, Target, Tip, Tree, Mode string
		Members                          []sum
		Tests, Command                   string
		Verify                           []string
		Review                           []review.Remark
		Notes                            []string
		To                               *Destination `json:",omitempty"`
		Message                          string       `json:",omitempty"`
	}{
		c.Kind, c.Session.ID, c.Target, c.Tip, c.Tree, c.ModeName, members, string(c.Tests.Result), c.Tests.Command,
		verify, c.Review, c.Notes, c.To, c.Message,
	})
	if err != nil {
		panic("merge: a candidate is plain data and marshals: " + err.Error())
	}
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}
