package page

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"delegate/change"
	"delegate/internal/control/session"
	"delegate/internal/git/objects"
	"delegate/internal/view/overview"
	"delegate/registry"
)

// comment keeps a comment on a line as a draft, or takes one back.
func (s *server) comment(w http.ResponseWriter, r *http.Request) {
	state, a, err := s.asked(r)
	if err == nil {
		err = s.noteComment(r, state, a)
	}
	s.noted(w, r, state, a, err)
}

func (s *server) noteComment(r *http.Request, state registry.State, a registry.Agent) error {
	if n, err := strconv.Atoi(r.FormValue("drop")); err == nil {
		return session.ChangeReview(r.Context(), s.Project, state.Session.ID, func(kept *session.Review) error {
			kept.Drafts = slices.DeleteFunc(kept.Drafts, func(c session.Comment) bool { return c.Number == n })
			return nil
		})
	}
	c, err := s.newComment(r, state, a)
	if err != nil || c.Text == "" {
		return err
	}
	return session.ChangeReview(r.Context(), s.Project, state.Session.ID, func(kept *session.Review) error {
		kept.Numbered++
		c.Number = kept.Numbered
		kept.Drafts = append(kept.Drafts, c)
		return nil
	})
}

// newComment is what was typed below a line, with the line as it stands there.
func (s *server) newComment(r *http.Request, state registry.State, a registry.Agent) (session.Comment, error) {
	c := session.Comment{Agent: a.ID, Attempt: a.Attempt, Turn: a.Turns, Path: r.FormValue("path"),
		Text: strings.TrimSpace(r.FormValue("text")), At: s.Project.Now().UTC()}
	f, err := s.changedFile(r, state, a)
	if err != nil {
		return c, err
	}
	if r.FormValue("content") != contentOf(f) {
		return c, errMoved
	}
	key := r.FormValue("line")
	mode, id := f.NewMode, f.NewID
	if c.Removed = strings.HasPrefix(key, "o"); c.Removed {
		mode, id = f.OldMode, f.OldID
	}
	c.Line, _ = strconv.Atoi(strings.TrimLeft(key, "no")) // what is no number names no line
	c.Content = id
	o := objects.New(s.Project.Repo)
	defer o.Close()
	data, err := overview.Side(r.Context(), o, mode, id)
	if err != nil {
		return c, err
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		if n++; n == c.Line {
			c.Quote = strings.TrimRight(line, "\r\n")
			return c, nil
		}
	}
	return c, fmt.Errorf("%q has no line %d in this version", f.Path, c.Line)
}

// changedFile is the file that a form names, among the changes of the look that it was sent from.
func (s *server) changedFile(r *http.Request, state registry.State, a registry.Agent) (change.File, error) {
	files, _, err := s.filesOf(r.Context(), state, a, s.lookOf(r, a))
	if err != nil {
		return change.File{}, err
	}
	at := slices.IndexFunc(files, func(f change.File) bool { return f.Path == r.FormValue("path") })
	if at < 0 {
		return change.File{}, errNoFile
	}
	return files[at], nil
}

// viewed remembers that a file was viewed as it is, or that it was not.
func (s *server) viewed(w http.ResponseWriter, r *http.Request) {
	state, a, err := s.asked(r)
	if err == nil {
		err = session.ChangeReview(r.Context(), s.Project, state.Session.ID, func(kept *session.Review) error {
			kept.View(a.ID, r.FormValue("path"), r.FormValue("version"))
			return nil
		})
	}
	s.noted(w, r, state, a, err)
}

// noted answers with the file that the note is about: as a part for a script, else by leading back to it.
func (s *server) noted(w http.ResponseWriter, r *http.Request, state registry.State, a registry.Agent, err error) {
	if err == nil && r.FormValue("part") != "" {
		r.Form.Del("line") // the comment on it is written
		err = s.showFile(w, r, state, a)
		if err == nil {
			return
		}
	}
	if err != nil {
		fault(w, err)
		return
	}
	back := url.Values{"id": {a.ID}, "path": {r.FormValue("path")}}
	for _, name := range []string{"view", "since"} {
		if value := r.FormValue(name); value != "" {
			back.Set(name, value)
		}
	}
	lead(w, "file", back)
}
