package supervise

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/change"
	"delegate/checkpoint"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/registry"
	"delegate/scope"
)

// compare holds what the agent claims against what is there.
func (s snapshot) compare(ctx context.Context, a registry.Agent, work project.Work, tests bool, e *turnFacts) error {
	claim, ok := e.claim()
	if !ok {
		return nil
	}
	shown, err := s.evidence(ctx, a, work)
	shown.TestsSeen = tests
	e.claims = checkpoint.Compare(claim, shown)
	e.differ = checkpoint.Differing(e.claims)
	return err
}

// summary is how the agent closed its turn: by its completion file, else in its last words before its block, and behind
// one that says that it is done, unless those ask something.
func (e turnFacts) summary() string {
	switch {
	case e.file != nil && e.file.Summary != "":
		return e.file.Summary
	case e.block != nil && e.block.Completion() && !e.closing.Asks:
		return strings.TrimSpace(e.closing.Summary + "\n\n" + e.closing.After)
	}
	return e.closing.Summary
}

// commitSubject is the summary where it is the agent's own words: what a program prints as text may be its banner, or
// the output of its tools.
func (e turnFacts) commitSubject() string {
	if e.file != nil && e.file.Summary != "" || e.closing.Said {
		return project.SubjectOf(e.summary())
	}
	return ""
}

// outsideOf are the paths among the refused ones that the agent may not write: those of the worktree as git names them,
// others as the record does.
func (s snapshot) outsideOf(a registry.Agent, refused []transcript.RefusedWrite) (paths []string) {
	limits, err := s.p.Scope(a)
	if err != nil {
		return nil // a turn's end says so elsewhere
	}
	for _, write := range refused {
		name := strings.TrimPrefix(write.Path, a.Worktree+"/")
		if filepath.IsAbs(name) {
			if write.Sure {
				paths = append(paths, s.p.RecordedPath(a, filepath.Clean(name)))
			}
			continue
		}
		clean, err := scope.CleanPath(path.Clean(name))
		if err != nil || scope.Within(clean, ".git") || limits.Check(clean).Allowed || s.p.Restricts(clean) {
			continue
		}
		paths = append(paths, clean)
	}
	return paths
}

// saidRefused are the writes that the turn's output says were refused, where the kernel did not tell of them itself.
func (s snapshot) saidRefused(a registry.Agent, w *watch) []string {
	if record, err := w.Turn.Record(); err == nil && record.Fence != nil && record.Fence.Listener {
		return nil
	}
	return s.outsideOf(a, w.RefusedWrites())
}

// mostRefused bounds how many refused paths the record names.
const mostRefused = 20

func addRefused(a *registry.Agent, paths []string) {
	for _, p := range paths {
		if len(a.Refused) < mostRefused && !slices.Contains(a.Refused, p) {
			a.Refused = append(a.Refused, p)
		}
	}
}

// outputs says which expected outputs are missing, and whether one was written during the turn: git may ignore them.
func outputs(a registry.Agent, turn keeper.Turn) (missing []string, fresh bool) {
	record, err := turn.Record()
	for _, path := range a.ExpectedOutputs {
		info, statErr := os.Stat(filepath.Join(a.Worktree, filepath.FromSlash(path)))
		if statErr != nil {
			missing = append(missing, path)
			continue
		}
		fresh = fresh || err == nil && info.ModTime().After(record.Started)
	}
	return missing, fresh
}

// evidence is what git shows: of all the agent's work, and of this turn, which began with the head that the record has.
func (s snapshot) evidence(ctx context.Context, a registry.Agent, work project.Work) (checkpoint.Evidence, error) {
	e := checkpoint.Evidence{Files: actions(work.Files)}
	if a.Head == "" || a.Head == work.Fork {
		return e, nil
	}
	turn, err := s.p.Repo.Changes(ctx, a.Head, work.Head, git.DetectRenames)
	if run.ExitCode(err) > 0 {
		return e, nil // git cannot read that head, which status says: all that is known is the whole work
	}
	if err != nil {
		return e, fmt.Errorf("changes of turn %d of %s: %w", a.Turns, a.ID, err)
	}
	e.Turn, e.ClaimedBefore = actions(turn), map[string]bool{}
	for _, claims := range session.EarlierClaims(s.p, s.state.Session.ID, a) {
		e.ClaimedBefore[claims.Path] = e.ClaimedBefore[claims.Path] || claims.Claimed != ""
	}
	return e, nil
}

// actions are what was done to files, moves as a deletion and a creation.
func actions(changed []change.File) map[string]checkpoint.Action {
	files := map[string]checkpoint.Action{}
	for _, f := range changed {
		switch f.Kind {
		case change.Added:
			files[f.Path] = checkpoint.Created
		case change.Deleted:
			files[f.Path] = checkpoint.Deleted
		case change.Renamed:
			files[f.OldPath], files[f.Path] = checkpoint.Deleted, checkpoint.Created
		default:
			files[f.Path] = checkpoint.Modified
		}
	}
	return files
}

// readCompletion takes the completion file of this turn into account and puts it with the turn, so
// that it does not count twice.
func readCompletion(e *turnFacts, folder string, turn keeper.Turn, lastBlock time.Time) {
	const name = "completion.json"
	kept := filepath.Join(turn.Dir, name)
	found := filepath.Join(folder, name)
	if info, err := os.Lstat(found); err == nil {
		e.fileLater = info.ModTime().After(lastBlock)
		if data, err := agentdir.Dir(folder).Read(name, 1<<20); err != nil {
			e.fileFault = err.Error()
		} else if err := atomicfile.WriteFile(kept, data, 0o600); err == nil {
			_ = agentdir.Dir(folder).Remove(name) // the copy beside the turn is what counts from here on
		}
	}
	data, err := os.ReadFile(kept)
	if err != nil {
		return
	}
	completion, err := checkpoint.ParseCompletion(data)
	if err != nil {
		e.fileFault = err.Error()
		return
	}
	e.file = &completion
}

// leftNotes says whether something was put into the inbox, or into the agent's history, during the turn.
func leftNotes(folder string, turn keeper.Turn) bool {
	record, err := turn.Record()
	if err != nil {
		return false
	}
	if info, err := os.Lstat(filepath.Join(folder, session.HistoryName)); err == nil &&
		info.ModTime().After(record.Started) {
		return true
	}
	entries, err := agentdir.Dir(folder).List("inbox", mostInbox)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.ModTime().After(record.Started) {
			return true
		}
	}
	return false
}
