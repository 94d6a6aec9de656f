package cleanup

import (
	"fmt"
	"slices"
	"time"

	"delegate/registry"
)

// Kind says what an Item is.
type Kind string

// The kinds of items.
const (
	Worktree   Kind = "worktree" // with its branch
	Branch     Kind = "branch"
	Checkout   Kind = "checkout" // for verification
	Folder     Kind = "folder"
	References Kind = "references"
	Private    Kind = "private" // prompts, transcripts and the like of a session that ended, in git's folder
	Output     Kind = "output"  // the last outputs of a session that ended, in the record's folder
)

// Content says what goes with an item.
type Content string

// The contents.
const (
	Landed   Content = "landed"    // nothing that is not elsewhere as well
	Unlanded Content = "unlanded"  // work that landed nowhere; its commits stay under a reference
	Printed  Content = "printed"   // what agents were told and printed, and nothing of their work
	OnlyCopy Content = "only_copy" // commits that landed nowhere and that nothing else holds
)

// Item is one thing that is still there and that nobody needs who is at work.
type Item struct {
	Kind    Kind            `json:"kind"`
	Content Content         `json:"content"`
	Session string          `json:"session"` // "" for none
	Agent   string          `json:"agent"`   // "" for a whole session
	Name    string          `json:"name"`    // the agent's, "" if no record has it
	Status  registry.Status `json:"status"`
	Path    string          `json:"path"`
	Branch  string          `json:"branch"`
	Head    string          `json:"head"`    // the commit that holds its work
	Target  string          `json:"target"`  // the branch that has its work, or that it was meant for
	Commits int             `json:"commits"` // that the target has not
	Files   []string        `json:"files"`   // that differ there
	Edits   []string        `json:"edits"`   // files that are not as the head has them; they are kept with it
	Ignored []string        `json:"ignored"` // files that git ignores, and that the main checkout has not just so
	Refs    []string        `json:"references"`
	Bytes   int64           `json:"bytes"`
	Changed time.Time       `json:"changed"` // when something was last done about it
	KeptAs  string          `json:"kept_as"` // the reference that holds its commits when it is gone
	Refusal *Refusal        `json:"refusal"`

	of    work              // of a branch or its worktree
	in    string            // the branch that has all of the head; "" if none has
	refs  map[string]string // the references with what they name
	is    string            // what it is, for people, where that is no agent's work
	needs []string          // worktrees that are judged by what is in this
	usual bool
}

// Refusal says why something stays, and what to type.
type Refusal struct {
	Reason string `json:"reason"`
	Next   string `json:"next"`
}

// title names the agent of an item for people.
func (it Item) title() string {
	title := it.Agent + " of " + it.Session
	if it.Agent == "" {
		title = it.Session
	}
	if it.Name != "" {
		title = fmt.Sprintf("%s (%s, %s)", it.Name, title, it.Status.Word())
	}
	return title
}

// IsUsual says that every session leaves such a thing when it ends: it is no leftover.
func (it Item) IsUsual() bool { return it.usual }

// key tells an item from the others of one search.
func (it Item) key() [5]string {
	return [5]string{string(it.Kind), it.Branch, it.Path, it.Session + "/" + it.Agent, string(it.Content)}
}

// Selection is what a person asked to remove.
type Selection struct {
	All   bool          // also what did not land
	Older time.Duration // only what was not touched for that long; 0: whatever its age
	// OnlyCopies lets go for good of commits that nothing else holds, if they are older: a person was shown them
	OnlyCopies bool
}

// Planned is an item with what becomes of it.
type Planned struct {
	Item
	Decision Decision `json:"decision"`
}

// Plan says what becomes of each item at a moment. What a worktree that stays is judged by stays as well.
func (s Selection) Plan(items []Item, now time.Time) []Planned {
	all, goes := make([]Planned, len(items)), map[string]bool{}
	for i, it := range items {
		all[i] = Planned{it, s.decide(it, now)}
		goes[it.Path] = goes[it.Path] || it.Kind == Worktree && all[i].Decision == ToRemove
		if slices.ContainsFunc(it.needs, func(tree string) bool { return !goes[tree] }) {
			all[i].Decision = ToKeep
		}
	}
	return all
}

// Decision is what becomes of an item by a selection.
type Decision string

// The decisions.
const (
	ToRemove Decision = "remove"
	ToKeep   Decision = "keep" // it was not asked for
	ToRefuse Decision = "refuse"
)

func (s Selection) decide(it Item, now time.Time) Decision {
	switch {
	case s.Older > 0 && (it.Changed.IsZero() || now.Sub(it.Changed) < s.Older):
		return ToKeep
	case it.Content == Unlanded && !s.All, it.Content == Printed && !s.All && s.Older == 0,
		it.Content == OnlyCopy && (!s.All || s.Older == 0 || !s.OnlyCopies):
		return ToKeep
	case it.Refusal != nil:
		return ToRefuse
	}
	return ToRemove
}

// removedRef is the reference below which commits are kept of what a person removed.
const removedRef = "refs/delegate/removed/"

// keeping is the reference that keeps the commits of what is removed now.
func (l *search) keeping(name string) string {
	return removedRef + name + "/" + l.p.Now().UTC().Format(keptTime)
}

// keptTime is the form of the last part of such a reference.
const keptTime = "20060102-150405"
