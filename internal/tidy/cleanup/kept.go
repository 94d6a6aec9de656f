package cleanup

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/plan/setup"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"
)

// references looks at the references that sessions which ended keep, for an agent or for all, and at those of what a
// person removed.
func (l *search) references(ctx context.Context) error {
	groups := map[[2]string][]string{}
	for _, ref := range slices.Sorted(maps.Keys(l.refs)) {
		parts := strings.Split(ref, "/")
		switch {
		case strings.HasPrefix(ref, removedRef) && len(parts) == 5:
			groups[[2]string{"", ref}] = []string{ref}
		case len(parts) > 3 && registry.ValidSessionID(parts[2]) && !l.active(parts[2]):
			of := [2]string{parts[2], ""}
			if len(parts) > 4 {
				of[1] = parts[3]
			}
			groups[of] = append(groups[of], ref)
		}
	}
	for _, of := range slices.SortedFunc(maps.Keys(groups), func(x, y [2]string) int {
		return slices.Compare(x[:], y[:])
	}) {
		if err := l.group(ctx, of[0], of[1], groups[of]); err != nil {
			return err
		}
	}
	return nil
}

// group reports the references of an agent, of a session (agent is "") or one for what was removed (agent is its name):
// those whose work landed, and the others.
func (l *search) group(ctx context.Context, session, agent string, refs []string) error {
	known := l.session(ctx, session)
	record, _ := known.Agent(agent) // nobody without a record
	it := Item{Kind: References, Session: session, Agent: agent, Name: record.Name, Status: record.Status,
		Changed: lastActivity(known)}
	if !record.LastActivity.IsZero() {
		it.Changed = record.LastActivity
	}
	if session == "" {
		name, at, _ := strings.Cut(strings.TrimPrefix(agent, removedRef), "/")
		when, err := time.Parse(keptTime, at)
		if err != nil {
			return nil // a person's
		}
		it.Agent, it.Name, it.Changed = "", name, when
	}
	if known.Session != nil {
		it.Target = known.Session.Target
	}
	in, err := l.places(ctx, session, it.Target)
	if agent == "" { // what the remote had is no place for itself
		in, err = l.branchesFor(ctx, it.Target)
	}
	if err != nil {
		return err
	}
	inside, err := l.refsWithin(ctx, in)
	if err != nil {
		return err
	}
	both, usual := map[Content]map[string]string{Landed: {}, OnlyCopy: {}}, record.Status == registry.Merged
	for _, ref := range refs {
		content := OnlyCopy
		usual = usual && isOnTheWay(record, ref)
		switch {
		case inside[ref], record.Status == registry.Merged && ref == project.RequestRef(session, agent):
			content = Landed
		case ref == project.RemoteRef(session):
			continue // it holds others' work, until somebody pulls that
		}
		both[content][ref] = l.refs[ref]
	}
	for _, content := range []Content{Landed, OnlyCopy} {
		if len(both[content]) > 0 {
			it.Content, it.usual = content, usual || content == Landed
			it.refs, it.Refs = both[content], slices.Sorted(maps.Keys(both[content]))
			if session != "" && agent == "" {
				it.needs = l.treesOf(ctx, session, "")
			}
			l.add(it)
		}
	}
	return nil
}

// refsWithin are this program's references whose commits one of the places has.
func (l *search) refsWithin(ctx context.Context, in []place) (map[string]bool, error) {
	inside := map[string]bool{}
	for _, at := range in {
		names, err := l.p.Repo.RefsWithin(ctx, "refs/delegate/", at.tip)
		if err != nil {
			return nil, err
		}
		for _, ref := range names {
			inside[ref] = true
		}
	}
	return inside, nil
}

// isOnTheWay reports whether a reference of an agent that is MERGED holds only what it had at earlier turns and looks
// of the attempt that landed, or its commits as they were before a squash or rebase. The turns of several attempts have
// one row of numbers, and those of the first did not land.
func isOnTheWay(a registry.Agent, ref string) bool {
	name := path.Base(ref)
	return a.Attempt <= 1 && strings.HasPrefix(name, "turn-") && strings.Count(name, "-") == 1 || name == "look" ||
		name == "landed"
}

// private looks at what sessions that ended have in git's folder.
func (l *search) private(ctx context.Context) error {
	folder := filepath.Join(l.p.Private, "sessions")
	for _, id := range entries(folder) {
		if !registry.ValidSessionID(id) || l.active(id) {
			continue
		}
		it := Item{Kind: Private, Content: Printed, Session: id, Path: filepath.Join(folder, id), usual: true,
			needs: l.treesOf(ctx, id, "")}
		size, err := setup.Measure(ctx, it.Path)
		if err != nil {
			return err
		}
		it.Bytes, it.Changed = size.Bytes, lastChange(it.Path)
		l.add(it)
	}
	return nil
}

// outputName is the file of an agent's last output.
const outputName = "last-output.md"

// outputs looks at the last outputs next to the record.
func (l *search) outputs(ctx context.Context) error {
	committed := map[string]bool{}
	for _, id := range entries(l.p.RecordDir()) {
		if !registry.ValidSessionID(id) || l.active(id) {
			continue
		}
		if len(committed) == 0 && l.p.Config.Record != config.RecordPrivate {
			paths, err := l.p.Repo.Files(ctx, "HEAD")
			if err != nil {
				return err
			}
			for _, name := range paths {
				committed[name] = true
			}
		}
		it := Item{Kind: Output, Content: Printed, Session: id, Path: l.p.Logs(id), usual: true}
		for _, file := range outputsIn(it.Path) {
			if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
				it.Files = append(it.Files, l.p.RecordPath(id, filepath.Base(filepath.Dir(file)), outputName))
				it.Bytes += info.Size()
				it.Changed = later(it.Changed, info.ModTime().UTC())
			}
		}
		if slices.ContainsFunc(it.Files, func(name string) bool { return committed[name] }) {
			it.Refusal = &Refusal{Reason: "they are committed", Next: "git rm -r " + l.p.RecordPath(id)}
		}
		if len(it.Files) > 0 {
			l.add(it)
		}
	}
	return nil
}

func outputsIn(logs string) (files []string) {
	for _, agent := range entries(logs) {
		file := filepath.Join(logs, agent, outputName)
		if _, err := os.Lstat(file); err == nil {
			files = append(files, file)
		}
	}
	return files
}

// lastChange is when something below a folder was last written.
func lastChange(folder string) time.Time {
	last := modified(folder)
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil {
			last = later(last, info.ModTime().UTC())
		}
		return nil
	})
	return last
}
