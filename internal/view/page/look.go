package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"delegate/change"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/project"
	"delegate/registry"
)

// look is which changes of an agent are shown, and how.
type look struct {
	ID    string // the agent's
	Split bool   // old and new side by side
	Since int    // a turn, of the same attempt; 0: all that it changed
	Words string // that are looked for
	From  int    // the first file of the list that is shown, from 0
	Token string
}

// lookOf is what a request asks to see.
func (s *server) lookOf(r *http.Request, a registry.Agent) look {
	number := func(name string) int {
		n, _ := strconv.Atoi(r.FormValue(name)) // what is no number stands for none
		return max(0, n)
	}
	return look{ID: a.ID, Split: r.FormValue("view") == "split", Since: number("since"), Words: r.FormValue("q"),
		From: number("from"), Token: s.gate.token}
}

// View is the word for Split, as a link has it.
func (l look) View() string {
	if l.Split {
		return "split"
	}
	return ""
}

// filesOf are the changed files of a look, and what could not be read of them.
func (s *server) filesOf(ctx context.Context, state registry.State, a registry.Agent, l look) ([]change.File, string,
	error) {
	changed, err := s.changed(ctx, state, a)
	if err != nil || l.Since == 0 {
		return changed.Files, changed.Incomplete, err
	}
	head := cmp.Or(changed.Head, a.Head)
	from, found, err := s.Project.Repo.Ref(ctx, project.HeadRef(state.Session.ID, a.ID, l.Since))
	if err != nil || !found {
		return nil, "", fmt.Errorf("turn %d of %s: %w", l.Since, a.Name, errNoTurn)
	}
	files, err := s.Project.Repo.Changes(ctx, from, head, git.DetectRenames)
	return files, "", err
}

var errNoTurn = errors.New("its commit is no longer in the repository")

// How many files and lines a page shows at once; the rest is a click away.
const (
	mostFiles    = 100
	mostOpen     = 300  // lines of a file that is shown without being asked
	mostOpenAll  = 2500 // lines that are shown without being asked, over all files
	mostSearched = 500  // files whose lines are looked through
)

// views are the files of a look, the first ones with their lines.
func (s *server) views(ctx context.Context, files []change.File, l look, kept session.Review) []fileView {
	o := objects.New(s.Project.Repo)
	defer o.Close()
	var all []fileView
	open := 0
	for i, f := range files {
		if i < l.From || i >= l.From+mostFiles {
			continue
		}
		v := newFileView(f, l, i+1, kept)
		if n := f.Insertions + f.Deletions; !v.Viewed && n <= mostOpen && open+n <= mostOpenAll && ctx.Err() == nil {
			v.Open, open = true, open+n
			v.read(ctx, o, kept)
		}
		all = append(all, v)
	}
	return all
}

func newFileView(f change.File, l look, n int, kept session.Review) fileView {
	v := fileView{look: l, N: n, Content: contentOf(f), Version: versionOf(f)}
	v.File.File = f
	v.Viewed = kept.Viewed[l.ID][f.Path] == v.Version
	for _, c := range kept.DraftsOf(l.ID) {
		if c.Path == f.Path {
			v.Drafts++
		}
	}
	return v
}

// found are the files in which words stand, in their paths or in what changed.
func (s *server) found(ctx context.Context, files []change.File, l look) ([]change.File, bool) {
	if l.Words == "" {
		return files, false
	}
	o := objects.New(s.Project.Repo)
	defer o.Close()
	searched, short := 0, false
	return slices.DeleteFunc(slices.Clone(files), func(f change.File) bool {
		v := newFileView(f, l, 0, session.Review{})
		if v.has(l.Words) {
			return false
		}
		if searched++; searched > mostSearched || ctx.Err() != nil {
			short = true
			return true
		}
		v.read(ctx, o, session.Review{})
		return !v.has(l.Words)
	}), short
}
