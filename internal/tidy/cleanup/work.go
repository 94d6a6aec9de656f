package cleanup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/registry"
)

// at fills in where a branch is: its tip, its worktree, and the other checkouts that have it.
func (l *search) at(ctx context.Context, w work, tip string) work {
	w.tip, w.head, w.tree, w.elsewhere = tip, tip, "", ""
	if w.isLast() && w.record.Head != "" {
		if inside, err := l.p.Repo.IsAncestor(ctx, tip, w.record.Head); err == nil && inside {
			w.head = w.record.Head
		}
	}
	for _, t := range l.trees {
		its := w.isLast() && !t.Prunable && samePath(t.Path, w.record.Worktree)
		on := t.Branch == "refs/heads/"+w.branch && !t.Prunable
		switch {
		case !on && !its:
		case its, !w.isLast() && w.agent != integration && l.isOurs(t.Path) && w.tree == "":
			w.tree, w.astray = t.Path, !on
		default:
			w.elsewhere = t.Path
		}
	}
	return w
}

// samePath reports whether two paths are one, or lead to one folder.
func samePath(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return a == b || err == nil && otherErr == nil && os.SameFile(one, other)
}

// examine judges a branch and its worktree, save the files in that.
func (l *search) examine(ctx context.Context, w work) (Item, error) {
	it := Item{Kind: Branch, Content: Landed, Session: w.session, Agent: w.agent, Name: w.record.Name,
		Status: w.record.Status, Path: w.tree, Branch: w.branch, Head: w.head, of: w,
		Changed: cmp.Or(w.record.LastActivity, modified(w.tree))}
	if w.tree != "" {
		it.Kind = Worktree
	}
	if w.agent == integration {
		it.Agent, it.Changed = "", lastActivity(l.session(ctx, w.session))
	}
	in, err := l.places(ctx, w.session, w.target)
	if err != nil {
		return it, err
	}
	replaced := false
	if it.in, replaced, err = l.landing(ctx, w, w.head, in); err != nil {
		return it, err
	}
	switch it.Target = it.in; {
	case it.in == "":
		l.measure(ctx, &it, in)
		it.unlanded(l)
	case replaced:
		it.KeptAs = fmt.Sprintf("refs/delegate/%s/%s/landed", w.session, w.agent)
	}
	it.Refusal, err = l.refuse(ctx, w, &it)
	return it, err
}

// unlanded marks an item as holding something that landed nowhere, and names the reference that is to hold it.
func (it *Item) unlanded(l *search) {
	it.Content, it.KeptAs = Unlanded, l.keeping(cmp.Or(it.Name, strings.ReplaceAll(
		strings.TrimPrefix(it.Branch, "delegate/"), "/", "-")))
}

// measure fills in what the target has not. Where git cannot say it, the branch is what there is.
func (l *search) measure(ctx context.Context, it *Item, in []place) {
	if len(in) == 0 {
		return
	}
	it.Target = in[0].name
	own, err := l.p.Repo.OwnCommits(ctx, in[0].tip, it.Head)
	if err != nil {
		return
	}
	fork, err := l.p.Repo.MergeBase(ctx, in[0].tip, it.Head)
	if err != nil {
		return
	}
	files, err := l.p.ChangedPaths(ctx, fork, it.Head)
	if err == nil {
		it.Commits, it.Files = len(own), files
	}
}

// compare finds the files of a worktree that are not as its head has them, without those that were put there for the
// agent and are as they were. It writes nothing but an index, elsewhere. The error is that ctx ended.
func (l *search) compare(ctx context.Context, it *Item) error {
	edits, err := l.edits(ctx, it.of)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && it.Refusal == nil: // as on a full disk
		it.Refusal = &Refusal{Reason: "files in it may have changed since, and could not be compared",
			Next: "df -h, then delegate clean; " + byHand(it.Path)}
	case len(edits) > 0:
		it.Edits = edits
		it.unlanded(l)
	}
	return nil
}

func (l *search) edits(ctx context.Context, w work) ([]string, error) {
	tree, err := l.repo.OpenWorktree(w.tree)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "delegate-look-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	edits, err := tree.Differing(ctx, filepath.Join(folder, "index"), w.head)
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	copied, err := l.p.Copied(w.session, w.registered())
	if err != nil {
		return nil, err
	}
	put := map[string]string{}
	for _, c := range copied {
		put[c.Path] = c.ID
	}
	ids, err := tree.HashFiles(ctx, edits)
	if err != nil {
		return nil, err
	}
	i := -1
	return slices.DeleteFunc(edits, func(path string) bool {
		i++
		return ids[i] != "" && ids[i] == put[path]
	}), nil
}

// place is a branch in which work counts as landed, and its tip.
type place struct{ name, tip string }

// places are the branches in which work of a session counts as landed: those of branchesFor, and the target as it was
// in its remote at the last look.
func (l *search) places(ctx context.Context, session, target string) ([]place, error) {
	all, err := l.branchesFor(ctx, target)
	if there := l.refs[project.RemoteRef(session)]; there != "" && target != "" {
		all = append(all, place{target + " of its remote", there})
	}
	return all, err
}

// branchesFor are the target, the branch of the person's checkout, and the branches of remotes with the target's name.
func (l *search) branchesFor(ctx context.Context, target string) ([]place, error) {
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
	return all, err
}

// landing names the first of the places that has a commit of an agent's work, "" for none, and reports whether it has
// in its place what a squash or rebase made of it. What was taken back has not landed, though history has it.
func (l *search) landing(ctx context.Context, w work, commit string, in []place) (name string, replaced bool,
	err error) {
	a := w.record
	if a.RolledBack != "" {
		return "", false, nil
	}
	name, err = l.within(ctx, commit, in)
	if err != nil || name != "" || a.MergeCommit == "" || a.Head == "" {
		return name, false, err
	}
	if inside, err := l.p.Repo.IsAncestor(ctx, commit, a.Head); err != nil || !inside {
		return "", false, err
	}
	name, err = l.within(ctx, a.MergeCommit, in)
	return name, name != "", err
}

// within names the first of the places whose history has the commit, "" for none.
func (l *search) within(ctx context.Context, commit string, in []place) (string, error) {
	for _, at := range in {
		if inside, err := l.p.Repo.IsAncestor(ctx, commit, at.tip); err != nil || inside {
			return at.name, err
		}
	}
	return "", nil
}

// lastActivity is when something last happened in a session, as its record says.
func lastActivity(s registry.State) time.Time {
	var last time.Time
	if s.Session != nil {
		last = s.Session.Created
	}
	for _, a := range s.Agents {
		last = later(last, a.LastActivity)
	}
	for _, e := range s.Events {
		last = later(last, e.Time)
	}
	return last
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// modified is when a file or folder was last changed, no time at all if nobody can say it.
func modified(path string) time.Time {
	info, err := os.Lstat(path)
	if path == "" || err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}

// Ignored lists the files and folders in an agent's worktree that git ignores, and that no commit can keep. It leaves
// out what loses nothing: folders without a file, which a fence may have made, and files that the main checkout has
// just so.
func Ignored(ctx context.Context, p *project.Project, a registry.Agent) ([]string, error) {
	checkout, err := takeover.Open(p.Repo, a.Worktree, a.Branch)
	if errors.Is(err, takeover.ErrGone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	paths, err := checkout.Repo.Ignored(ctx)
	return slices.DeleteFunc(paths, func(path string) bool {
		own := filepath.Join(a.Worktree, path)
		return isEmptyFolder(own) || isSameFile(own, filepath.Join(p.Main, path))
	}), err
}

func isEmptyFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			err = fs.ErrExist
		}
		return err
	}) == nil
}

// isSameFile reports whether two files have the same content. What cannot be read, or is large, may be something else.
func isSameFile(path, other string) bool {
	const most = 1 << 20
	var content [2][]byte
	for i, at := range []string{path, other} {
		info, err := os.Lstat(at)
		if err != nil || !info.Mode().IsRegular() || info.Size() > most {
			return false
		}
		if content[i], err = os.ReadFile(at); err != nil {
			return false
		}
	}
	return string(content[0]) == string(content[1])
}
