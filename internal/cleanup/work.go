package cleanup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/land"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/ui"
	"delegate/registry"
)

// branch looks at one branch below delegate/, and at its worktree.
func (l *search) branch(ctx context.Context, name, tip string) error {
	if l.skips(name, Worktree, Branch) {
		return nil
	}
	w, ours := l.owner(ctx, name)
	if !ours || l.active(w.session) && !w.record.Status.Ended() {
		return nil
	}
	if w.agent == "integration" {
		l.looked = w
		return l.integration(ctx, w, tip)
	}
	w.tip, w.head = tip, tip
	if w.isLast() && l.contains(ctx, w.record.Head, tip) {
		w.head = w.record.Head
	}
	w.tree = checkedOut(l.p, l.trees, name, w.record.Worktree)
	if !w.isLast() && w.tree != "" {
		if err := l.findHead(ctx, &w); err != nil {
			return err
		}
	}
	l.looked = w
	it, err := l.examine(ctx, w)
	if err == nil && !(l.active(w.session) && w.record.Status == registry.Merged && it.Content != Landed) {
		l.add(it)
	}
	return err
}

// contains says whether a head has the commit in it.
func (l *search) contains(ctx context.Context, head, commit string) bool {
	if head == "" {
		return false
	}
	inside, err := l.p.Repo.IsAncestor(ctx, commit, head)
	return err == nil && inside
}

// findHead finds the head of an earlier attempt, which no record names: it is one of those that turns had, and the
// worktree's files are as it has them.
func (l *search) findHead(ctx context.Context, w *work) error {
	for _, ref := range slices.Backward(slices.Sorted(maps.Keys(l.refs))) {
		head := l.refs[ref]
		if !strings.HasPrefix(ref, "refs/delegate/"+w.session+"/"+w.agent+"/") || !l.contains(ctx, head, w.tip) {
			continue
		}
		at := *w
		at.head = head
		edits, compared, err := l.edits(ctx, at)
		if err != nil {
			return err
		}
		if compared && len(edits) == 0 {
			w.head = head
			return nil
		}
	}
	return nil
}

// examine decides what is in a branch and its worktree that is nowhere else.
func (l *search) examine(ctx context.Context, w work) (Item, error) {
	it := Item{Kind: Branch, Content: Landed, Session: w.session, Agent: w.agent, Name: w.record.Name,
		Status: w.record.Status, Path: w.tree, Branch: w.branch, Head: w.head, tip: w.tip,
		Changed: cmp.Or(w.record.LastActivity, modified(w.tree))}
	if w.tree != "" {
		it.Kind = Worktree
	}
	in, err := l.places(ctx, w.session, w.target)
	if err != nil {
		return it, err
	}
	if it.Target, err = landedIn(ctx, l.p, w.record, w.head, in); err != nil {
		return it, err
	}
	it.in, it.last = it.Target, w.isLast()
	if it.Target == "" && len(in) > 0 {
		l.measure(ctx, &it, in[0])
	}
	it.Refusal, err = l.refuse(ctx, w, &it)
	if it.in == "" || len(it.Edits) > 0 {
		it.Content, it.KeptAs = Unlanded, keeping(l.p, cmp.Or(w.record.Name, strings.ReplaceAll(
			strings.TrimPrefix(w.branch, "delegate/"), "/", "-")))
	}
	return it, err
}

// measure fills in what the target has not. Where git cannot say it, the branch is what there is.
func (l *search) measure(ctx context.Context, it *Item, target place) {
	it.Target = target.name
	own, err := l.p.Repo.OwnCommits(ctx, target.tip, it.Head)
	if err != nil {
		return
	}
	fork, err := l.p.Repo.MergeBase(ctx, target.tip, it.Head)
	if err != nil {
		return
	}
	files, err := l.p.ChangedPaths(ctx, fork, it.Head)
	if err == nil {
		it.Commits, it.Files = len(own), files
	}
}

// places are the branches in which work of a session counts as landed: the one that it was meant for, that of the
// person's checkout, and the first as it is in a remote, as far as somebody looked there.
func (l *search) places(ctx context.Context, session, target string) ([]place, error) {
	head, _, err := l.p.Repo.Head(ctx)
	if err != nil {
		head = "" // detached, or without a commit
	}
	var all []place
	for _, branch := range slices.Compact([]string{target, head}) {
		tip, found, err := l.p.Repo.Ref(ctx, "refs/heads/"+branch)
		if err != nil {
			return nil, err
		}
		if branch != "" && found && !strings.HasPrefix(branch, "delegate/") {
			all = append(all, place{branch, tip})
		}
	}
	if target == "" {
		return all, nil
	}
	remote, err := l.p.Repo.RefsUnder(ctx, "refs/remotes/")
	for _, ref := range slices.Sorted(maps.Keys(remote)) {
		name := strings.TrimPrefix(ref, "refs/remotes/")
		if _, branch, _ := strings.Cut(name, "/"); branch == target {
			all = append(all, place{name, remote[ref]})
		}
	}
	if there := l.refs[project.RemoteRef(session)]; there != "" {
		all = append(all, place{target + " of its remote", there})
	}
	return all, err
}

// refuse is why a branch and its worktree stay whatever was asked for, nil if they may go.
func (l *search) refuse(ctx context.Context, w work, it *Item) (*Refusal, error) {
	if w.session == l.cut {
		return &Refusal{Reason: "the end of its session was interrupted", Next: "delegate sync complete"}, nil
	}
	if w.tree != "" {
		if !isOurs(l.p, w.tree) && w.tree != w.record.Worktree {
			return &Refusal{Reason: "its branch is checked out in " + w.tree + ", which is no worktree of an agent",
				Next: "switch to another branch there, then delegate clean"}, nil
		}
		tree, err := l.repo.OpenWorktree(w.tree)
		if errors.Is(err, git.ErrNoWorktree) {
			return &Refusal{Reason: "git does not know its worktree any more", Next: "look at it first: ls -A " +
				run.Quote(w.tree)}, nil
		}
		if err != nil {
			return nil, err
		}
		if refusal := l.inUse(w, tree); refusal != nil {
			return refusal, nil
		}
		if refusal, err := l.holdsFiles(ctx, w, it); err != nil || refusal != nil {
			return refusal, err
		}
	}
	if it.in != "" {
		return nil, nil
	}
	return l.addedTo(ctx, w)
}

// addedTo is why a branch stays that has commits which no turn of the agent had: they are a person's.
func (l *search) addedTo(ctx context.Context, w work) (*Refusal, error) {
	if l.contains(ctx, w.record.Head, w.tip) {
		return nil, nil
	}
	holders, err := l.p.Repo.Holders(ctx, w.tip)
	if err != nil {
		return nil, err
	}
	for _, ref := range holders {
		own := strings.HasPrefix(ref, "refs/delegate/"+w.session+"/"+w.agent+"/")
		if own || !strings.HasPrefix(ref, "refs/delegate/") && !strings.HasPrefix(ref, "refs/heads/delegate/") {
			return nil, nil
		}
	}
	show, number := "git log -p "+w.branch, "commits"
	if added, err := l.p.Repo.OwnCommits(ctx, w.record.Head, w.tip); w.record.Head != "" && err == nil {
		show, number = fmt.Sprintf("git log -p %.12s..%s", w.record.Head, w.branch), ui.Plural(len(added), "commit")
	}
	return &Refusal{Reason: "its branch has " + number + " that the agent did not make", Next: show +
		"; to keep them: git branch NAME " + w.branch + ", then delegate clean --all"}, nil
}

// integration looks at the branch on which a session gathered finished work.
func (l *search) integration(ctx context.Context, w work, tip string) error {
	known := l.session(ctx, w.session)
	if l.active(w.session) || known.Session == nil || known.Session.Integration != w.branch {
		return nil
	}
	it := Item{Kind: Branch, Content: Landed, Session: w.session, Branch: w.branch, Head: tip, tip: tip,
		Target: known.Session.Target, Changed: lastActivity(known),
		is: "the branch on which " + w.session + " gathered the work of its agents"}
	_, _, err := land.Gathered(ctx, l.p, *known.Session)
	if errors.Is(err, land.ErrRefused) {
		it.Refusal = &Refusal{Reason: err.Error(), Next: "git log -p " + w.branch + "; to keep it: git branch NAME " +
			w.branch + "; to remove it: git branch -D " + w.branch}
	} else if err != nil {
		return err
	}
	l.add(it)
	return nil
}

// lastActivity is when something last happened in a session, as its record says.
func lastActivity(s registry.State) time.Time {
	var last time.Time
	if s.Session != nil {
		last = s.Session.Created
	}
	for _, a := range s.Agents {
		if a.LastActivity.After(last) {
			last = a.LastActivity
		}
	}
	for _, e := range s.Events {
		if e.Time.After(last) {
			last = e.Time
		}
	}
	return last
}

// modified is when a file or folder was last changed, no time at all if nobody can say it.
func modified(path string) time.Time {
	info, err := os.Lstat(path)
	if path == "" || err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}
