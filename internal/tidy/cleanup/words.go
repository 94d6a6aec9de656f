package cleanup

import (
	"fmt"
	"path"
	"strings"

	"delegate/internal/plan/setup"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// String says what an item is, whose, and what is in it that landed nowhere.
func (it Item) String() string {
	switch it.Kind {
	case Worktree, Branch:
		return it.workText()
	case Checkout:
		return "a checkout for verification, in which nobody verifies and no work is kept: " + it.Path
	case Folder:
		return fmt.Sprintf("%s (%s): %s", it.is, setup.Bytes(it.Bytes), it.Path)
	case References:
		return it.refsText()
	case Private:
		return fmt.Sprintf("prompts and transcripts of %s (%s): %s", it.Session, setup.Bytes(it.Bytes), it.Path)
	}
	return fmt.Sprintf("last outputs of %s (%s): %s", it.Session, setup.Bytes(it.Bytes), it.Path)
}

func (it Item) workText() string {
	switch {
	case it.is != "":
		return it.is + ": " + it.Path
	case it.in == "":
		text := fmt.Sprintf("%s: did not land; %s", it.title(), it.where())
		if it.Commits > 0 {
			text += fmt.Sprintf(" has %s that %s has not", ui.Plural(it.Commits, "commit"), it.Target)
		}
		if it.Commits > 0 && len(it.Files) > 0 {
			text += " (" + ui.Some(it.Files, mostNames) + ")"
		}
		if it.Kind == Worktree {
			text += ", worktree " + it.Path
		}
		return text + it.changedSince()
	}
	done := "it has nothing that " + it.Target + " has not"
	if it.Status == registry.Merged && it.of.isLast() {
		done = "its work is in " + it.Target
	}
	if it.Kind == Branch {
		return fmt.Sprintf("%s: %s, its branch %s is still there", it.title(), done, it.Branch)
	}
	return fmt.Sprintf("%s: %s, its worktree %s is still there", it.title(), done, it.Path) + it.changedSince()
}

// changedSince names the files of a worktree are not as its head has them, "" for none.
func (it Item) changedSince() string {
	if len(it.Edits) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s in it changed since: %s", ui.Plural(len(it.Edits), "file"), ui.Some(it.Edits, mostNames))
}

// where says what holds the work: its branch, or a commit beside it that a look at the worktree made.
func (it Item) where() string {
	if it.of.tip == it.Head {
		return "branch " + it.Branch
	}
	return fmt.Sprintf("commit %.12s, which is not on branch %s,", it.Head, it.Branch)
}

// Next is what to type about an item: to remove it, or to look at what keeps it.
func (it Item) Next() string {
	switch {
	case it.Refusal != nil:
		return it.Refusal.Next
	case it.Content == Landed:
		return "delegate clean"
	case it.Content == Printed:
		return "delegate clean --older 30d"
	case it.Content == OnlyCopy:
		return "git for-each-ref refs/delegate"
	}
	if len(it.Edits) > 0 { // no command of git shows them safely: the worktree's configuration is the agent's
		return "delegate clean --all (all of it stays as a commit below " + path.Dir(it.KeptAs) + ")"
	}
	look := "git log -p " + it.Branch
	if it.Commits > 0 {
		look = fmt.Sprintf("git diff %s...%.12s", it.Target, it.Head)
	}
	return look + "; if nothing of it is wanted: delegate clean --all (its commits stay below " +
		path.Dir(it.KeptAs) + ")"
}

func (it Item) refsText() string {
	text := fmt.Sprintf("%s of %s", ui.Plural(len(it.Refs), "reference"), it.title())
	if it.Session == "" {
		text = fmt.Sprintf("%s, which keeps what a person removed of %s", it.Refs[0], it.Name)
	}
	switch {
	case it.Content == OnlyCopy && it.usual:
		return text + ", with earlier turns of what landed"
	case it.Content == OnlyCopy:
		return text + ", with work that landed nowhere"
	}
	return text + ", whose commits your branches hold as well"
}

// KeptReferences says how many references those of the items are that alone hold commits, and whether of work which
// landed nowhere or of earlier turns of what landed; "" without one. It is the same wherever leftovers are told.
func KeptReferences(items []Item) string {
	n := map[bool]int{}
	for _, it := range items {
		if it.Kind == References && it.Content == OnlyCopy {
			n[it.usual] += len(it.Refs)
		}
	}
	var parts []string
	if n[false] > 0 {
		parts = append(parts, ui.Plural(n[false], "reference")+" to work that landed nowhere: rejected, given up, "+
			"replaced or removed")
	}
	if n[true] > 0 {
		parts = append(parts, ui.Plural(n[true], "reference")+" to earlier turns of what landed")
	}
	return strings.Join(parts, ", and ")
}

// mostNames is how many paths a sentence names.
const mostNames = 3
