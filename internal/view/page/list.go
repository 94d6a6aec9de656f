package page

import (
	"embed"
	"net/http"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/view/overview"
	"delegate/internal/view/report"
	"delegate/internal/view/status"
	"delegate/registry"
)

//go:embed frame.html list.html agent.html diff.html page.css page.js
var files embed.FS

// frame is what every page has around it.
type frame struct {
	Title   string
	Session registry.Session
	Of      string // the agent that it is about
	Live    live
	Said    string
}

// live is what changes by itself while a page is open.
type live struct {
	Session registry.Session
	Over    bool
	Agents  []agentRow
	Waiting []waiting
	Used    string
	One     *agentRow // the agent that the page is about
}

// agentRow is an agent in a line.
type agentRow struct {
	status.AgentView
	Word, Now, Cost string
	Elapsed, Left   time.Duration // Left is 0 where there is no limit
	Waits           bool
}

// waiting is what waits for the person, in words.
type waiting struct {
	report.Waiting
	Name string
}

// live looks at the session without a look at any worktree.
func (s *server) live(state registry.State, of string) (live, error) {
	l := live{Session: *state.Session, Over: overview.Ended(state)}
	waits := map[string]bool{}
	var err error
	if !l.Over {
		var points []status.Point
		points, err = overview.Waiting(s.Project, state)
		for _, p := range points {
			waits[p.Agent], waits[p.With] = true, true
			said := report.Waiting{Agent: p.Agent, Since: p.Since, Text: p.Words(), Next: p.Next}
			l.Waiting = append(l.Waiting, waiting{said, state.NameOf(p.Agent)})
		}
	}
	var used status.UsageView
	for _, a := range state.Agents {
		v := status.Peek(s.Project, state, a)
		used = status.UsageOf(used.Usage.Plus(v.Usage))
		row := agentRow{AgentView: v, Word: a.Word(), Now: state.WithNames(status.Now(a, v)), Cost: v.Short(),
			Elapsed: time.Duration(v.ElapsedSeconds) * time.Second, Waits: waits[a.ID]}
		if v.RemainingSeconds != nil && a.Status == registry.Running {
			row.Left = time.Duration(*v.RemainingSeconds) * time.Second
		}
		if of == a.ID {
			l.One = &row
		}
		l.Agents = append(l.Agents, row)
	}
	l.Used = used.Short()
	if limit := session.Budget(s.Project.Config, *state.Session); l.Used != "" && !limit.Off() {
		l.Used += " of " + limit.String()
	}
	return l, err
}

func (s *server) frame(state registry.State, title, of string, r *http.Request) (frame, error) {
	l, err := s.live(state, of)
	return frame{Title: title, Session: *state.Session, Of: of, Live: l,
		Said: s.takeSaid(r.FormValue("said"))}, err
}

// list is the first page: what waits, and the agents.
func (s *server) list(w http.ResponseWriter, r *http.Request) {
	state, err := s.state(r.Context())
	var f frame
	if err == nil {
		f, err = s.frame(state, state.Session.ParentTask, "", r)
	}
	if err != nil {
		fault(w, err)
		return
	}
	s.show(w, state, "list", f)
}

// report is the whole session as `delegate report` writes it, which may take a while.
func (s *server) report(w http.ResponseWriter, r *http.Request) {
	state, err := s.state(r.Context())
	var data report.Data
	if err == nil {
		data, err = overview.Page(r.Context(), s.Project, state)
	}
	if err != nil {
		fault(w, err)
		return
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'") // no script at all; its style stands in it
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = report.Write(w, data) // who went away needs no answer
}

func (s *server) style(w http.ResponseWriter, _ *http.Request) {
	own, _ := files.ReadFile("page.css") // it is embedded
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Write([]byte(report.Style() + string(own)))
}

func (s *server) script(w http.ResponseWriter, _ *http.Request) {
	own, _ := files.ReadFile("page.js") // it is embedded
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Write(own)
}

// fault answers with what went wrong, as text.
func fault(w http.ResponseWriter, err error) {
	http.Error(w, strings.ToValidUTF8(err.Error(), "?"), http.StatusConflict)
}
