package page

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"delegate/internal/view/overview"
	"delegate/internal/view/report"
	"delegate/registry"
)

// known is what was looked up a moment ago, since a page asks for it once for each file.
type known struct {
	looking sync.Mutex
	changes map[string]knownChanges
}

type knownChanges struct {
	overview.Changes
	at time.Time
}

// How long what was looked up stands: the work of an agent that works moves.
const workingFresh, restingFresh = 3 * time.Second, time.Minute

// changed are an agent's changes.
func (s *server) changed(ctx context.Context, state registry.State, a registry.Agent) (overview.Changes, error) {
	key := fmt.Sprint(state.Session.ID, a.ID, a.Status, a.Attempt, a.Turns, a.Head, a.MergeCommit)
	s.looking.Lock()
	defer s.looking.Unlock()
	fresh := restingFresh
	if a.Status == registry.Running {
		fresh = workingFresh
	}
	if k, found := s.changes[key]; found && time.Since(k.at) < fresh {
		return k.Changes, nil
	}
	c, err := overview.Changed(ctx, s.Project, state, a)
	if err != nil {
		return c, err
	}
	if s.changes == nil || len(s.changes) > mostKnown {
		s.changes = map[string]knownChanges{}
	}
	s.changes[key] = knownChanges{c, time.Now()}
	return c, nil
}

const mostKnown = 64

// state is the session that the page is about, also when it is over.
func (s *server) state(ctx context.Context) (registry.State, error) {
	return s.Project.Store.History(ctx, s.Person.Session)
}

// asked is the session, and the agent that a request names.
func (s *server) asked(r *http.Request) (registry.State, registry.Agent, error) {
	state, err := s.state(r.Context())
	if err != nil {
		return state, registry.Agent{}, err
	}
	a, err := state.Find(r.FormValue("id"))
	return state, a, err
}

// templates are the parts of a report, and those of the page in place of some.
func (s *server) templates(state registry.State) (*template.Template, error) {
	t, err := report.Templates(state)
	if err != nil {
		return nil, err
	}
	return t.ParseFS(files, "*.html")
}

// show answers with a page, or a part of one.
func (s *server) show(w http.ResponseWriter, state registry.State, name string, data any) {
	t, err := s.templates(state)
	if err == nil {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		err = report.Show(w, t, name, data)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
