package page

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/git/objects"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/view/overview"
	"delegate/internal/view/report"
	"delegate/internal/view/status"
	"delegate/registry"
)

// agentPage is the page of one agent.
type agentPage struct {
	frame
	look
	report.Agent
	Kept      session.Look
	Drafts    []session.Comment
	Sent      []commentView
	Dealt     int // of those, comments whose lines have changed since
	Points    []pointView
	Extend    bool   // it can be given more time
	Held      string // why a message does not begin its next turn; "" where one can
	Files     []fileView
	All       int // files of the look
	Listed    int // those with the words
	Short     bool
	Lines     [2]int // added and removed
	Gap       string
	Tests     string
	TestsSaid string // the end of what they printed
	Events    []registry.Event
	Tail      string
}

// More says whether there are files behind those that are shown.
func (p agentPage) More() bool { return p.Following() < p.Listed }

// Following is the first file of the page behind.
func (p agentPage) Following() int { return p.From + mostFiles }

// Previous is the first file of the page before.
func (p agentPage) Previous() int { return max(0, p.From-mostFiles) }

// pointView is what waits about an agent, and how it can be answered here.
type pointView struct {
	status.Point
	Agent  registry.Agent
	ID     string
	Token  string
	Signed bool       // a yes is signed by a key
	Asked  *askedView // what it was about when the person was last asked, if that was so
	Adapt  bool       // a conflict with the target, which adapting resolves
	Extend bool       // the agent can be given more time
	Held   string     // why a message does not begin its next turn
	Files  []string
	Globs  []string
}

// Seen is what the person was asked, for the answer.
func (v pointView) Seen() string { return digestOf(v.Question) }

// First is the likeliest answer to an agent that waits at a checkpoint.
func (v pointView) First() string { return status.NeedOf(v.Agent).First }

// Turn is what the agent waits with, for answers to that.
func (v pointView) Turn() string { return control.TurnKey(v.Agent) }

// Turn is how the agent was when the page was made.
func (p agentPage) Turn() string { return control.TurnKey(p.Agent.Agent) }

// The states in which the forms of its page have something to act on.

// Working says whether a turn of the agent is going on.
func (p agentPage) Working() bool {
	return p.Status == registry.Running || p.Status == registry.Spawning
}

// GoesOn says whether a message begins the agent's next turn at once.
func (p agentPage) GoesOn() bool { return p.Status == registry.Complete || p.Status == registry.Failed }

// Adapts says whether the branch can be merged into the agent's.
func (p agentPage) Adapts() bool { return control.GoesOn(p.Status) != "" }

// Takes says whether the agent takes messages, comments and scope.
func (p agentPage) Takes() bool { return !p.Live.Over && !p.Status.Ended() }

// lastLines is how much of what an agent printed is on its page.
const lastLines = 200

// agent answers with what waits and what is reported at once, and with the changes when they are looked up, which takes
// as long as the agent's work is large.
func (s *server) agent(w http.ResponseWriter, r *http.Request) {
	state, a, err := s.asked(r)
	if err != nil {
		fault(w, err)
		return
	}
	p := agentPage{Agent: overview.About(r.Context(), s.Project, state, a), look: s.lookOf(r, a)}
	kept, err := session.ReadReview(s.Project, state.Session.ID)
	if err == nil {
		p.frame, err = s.frame(state, a.Name, a.ID, r)
	}
	if err != nil {
		fault(w, err)
		return
	}
	p.Points, p.Extend = s.points(state, a), s.extendable(r.Context(), state, a)
	if err := s.Person.MayResume(r.Context(), a); err != nil && !overview.Ended(state) {
		p.Held = ui.ErrorText(err)
	}
	for i := range p.Points {
		p.Points[i].Extend, p.Points[i].Held = p.Extend, p.Held
		if p.Points[i].Signed {
			p.Points[i].Asked = s.lastAsked(r.Context(), state, a, kept)
		}
	}
	s.show(w, state, "agent-top", p)
	_ = http.NewResponseController(w).Flush() // who went away needs no answer
	s.look(r, state, a, &p, kept)
	for _, e := range state.Events {
		if e.Agent == a.ID {
			p.Events = append(p.Events, e)
		}
	}
	p.Tail = s.printed(state, a, lastLines)
	p.Tests, p.TestsSaid = s.tests(r, state, a)
	s.show(w, state, "agent-rest", p)
}

// look fills in an agent's changes, as far as they are asked for, with the comments on them.
func (s *server) look(r *http.Request, state registry.State, a registry.Agent, p *agentPage, kept session.Review) {
	ctx := r.Context()
	files, gap, err := s.filesOf(ctx, state, a, p.look)
	if p.Gap = gap; err != nil {
		p.Gap = err.Error()
	}
	p.All = len(files)
	for _, f := range files {
		p.Lines[0], p.Lines[1] = p.Lines[0]+f.Insertions, p.Lines[1]+f.Deletions
	}
	files, p.Short = s.found(ctx, files, p.look)
	p.Listed, p.Files = len(files), s.views(ctx, files, p.look, kept)
	p.Drafts, p.Sent = kept.DraftsOf(a.ID), s.sent(ctx, state, a, kept)
	for _, c := range p.Sent {
		if c.State != unchanged {
			p.Dealt++
		}
	}
	p.Kept = s.looked(r, state, a, kept)
}

// sent are the comments that an agent has got, each with what became of its line in all that the agent changed.
func (s *server) sent(ctx context.Context, state registry.State, a registry.Agent,
	kept session.Review) (all []commentView) {
	comments := kept.SentTo(a.ID)
	if len(comments) == 0 {
		return nil
	}
	changed, err := s.changed(ctx, state, a)
	if err != nil {
		return nil // said where the files would be
	}
	o := objects.New(s.Project.Repo)
	defer o.Close()
	for _, c := range comments {
		v := commentView{Comment: c, State: "the agent no longer changes the file"}
		at := slices.IndexFunc(changed.Files, func(f change.File) bool {
			return f.Path == c.Path || f.OldPath == c.Path
		})
		if at >= 0 {
			f := newFileView(changed.Files[at], look{ID: a.ID}, 0, kept)
			if now, err := overview.Side(ctx, o, f.NewMode, f.NewID); err == nil {
				v = f.traced(ctx, o, c, now)
			}
		}
		all = append(all, v)
	}
	return all
}

// looked notes that the person sees the work of a turn that is over, and answers which one they saw before.
func (s *server) looked(r *http.Request, state registry.State, a registry.Agent, kept session.Review) session.Look {
	if a.Turns == 0 || a.Status == registry.Running || a.Status == registry.Spawning || !kept.Look(a) {
		return kept.Looked[a.ID]
	}
	// what is not noted is looked at again
	_ = session.ChangeReview(r.Context(), s.Project, state.Session.ID, func(now *session.Review) error {
		now.Look(a)
		return nil
	})
	return kept.Looked[a.ID]
}

func (s *server) points(state registry.State, a registry.Agent) (all []pointView) {
	if overview.Ended(state) {
		return nil
	}
	points, _ := overview.Waiting(s.Project, state) // what cannot be read is said where the page begins
	for _, p := range points {
		if p.Agent != a.ID && p.With != a.ID {
			continue
		}
		v := pointView{Point: p, Agent: a, ID: a.ID, Token: s.gate.token, Adapt: adapts(p, a),
			Signed: state.Session.Approval == "key"}
		for _, o := range p.Outside {
			if o.Path != ".git" {
				v.Files = append(v.Files, o.Path)
			}
			if o.Allowable {
				v.Globs = append(v.Globs, o.Path)
			}
		}
		all = append(all, v)
	}
	return all
}

// extendable says whether more time is accepted for the agent, and changes anything.
func (s *server) extendable(ctx context.Context, state registry.State, a registry.Agent) bool {
	limited := session.TimeLimit(state.Session.AgentTimeout, a) > 0
	return !overview.Ended(state) && limited && s.Person.MayExtend(ctx, a) == nil
}

// askedView is the merge that a person was last asked about.
type askedView struct {
	session.Asked
	Moved string // what has moved since, so that its digest is not that of a merge now
}

// lastAsked is nil where the person was not asked about the agent's work yet.
func (s *server) lastAsked(ctx context.Context, state registry.State, a registry.Agent,
	kept session.Review) *askedView {
	asked, ok := kept.Asked[a.ID]
	if !ok {
		return nil
	}
	v := askedView{Asked: asked}
	switch tip, here, err := s.Project.Repo.Tip(ctx, state.Session.Target); {
	case a.Head != asked.Head:
		v.Moved = a.Name
	case err != nil || !here || tip != asked.Tip:
		v.Moved = state.Session.Target
	}
	return &v
}

// printed is the end of what an agent printed.
func (s *server) printed(state registry.State, a registry.Agent, lines int) string {
	if overview.Ended(state) {
		return overview.Tail(s.Project, state, a, lines)
	}
	return project.Tail(status.Peek(s.Project, state, a).Output, lines)
}

// tests is what is known of the verify commands on the agent's work as it is.
func (s *server) tests(r *http.Request, state registry.State, a registry.Agent) (result, said string) {
	commit := a.Head
	if a.Status == registry.Merged {
		commit = a.MergeCommit
	}
	if commit == "" {
		return a.Tests, ""
	}
	o, passed := s.Project.Passed(r.Context(), commit, state.Session.Verify)
	if passed && a.Tests != string(project.Fail) {
		return string(project.Pass), project.Tail(o.Output, lastLines)
	}
	return cmp.Or(a.Tests, "not_run"), project.Tail(o.Output, lastLines)
}

// file is one file, as a part of a page or as one of its own for browsers without scripts.
func (s *server) file(w http.ResponseWriter, r *http.Request) {
	state, a, err := s.asked(r)
	if err == nil {
		err = s.showFile(w, r, state, a)
	}
	if err != nil {
		fault(w, err)
	}
}

func (s *server) showFile(w http.ResponseWriter, r *http.Request, state registry.State, a registry.Agent) error {
	l := s.lookOf(r, a)
	files, _, err := s.filesOf(r.Context(), state, a, l)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(files, func(f change.File) bool { return f.Path == r.FormValue("path") })
	if at < 0 {
		return errNoFile
	}
	kept, err := session.ReadReview(s.Project, state.Session.ID)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(r.FormValue("n")) // the place that it has on the page, where that shows only some
	v := newFileView(files[at], l, cmp.Or(n, at+1), kept)
	v.All, v.Open = r.FormValue("all") != "", r.Method == http.MethodGet || !v.Viewed
	o := objects.New(s.Project.Repo)
	defer o.Close()
	v.read(r.Context(), o, kept)
	for i := range v.Rows {
		v.Rows[i].Asked = v.Rows[i].Key != "" && v.Rows[i].Key == r.FormValue("line")
	}
	if r.FormValue("part") != "" {
		s.show(w, state, "file-live", v)
		return nil
	}
	f, err := s.frame(state, v.Path, a.ID, r)
	if err == nil {
		s.show(w, state, "file-page", filePage{f, v})
	}
	return err
}

// filePage is a file on a page of its own.
type filePage struct {
	frame
	File fileView
}

// transcript is all that an agent printed, as text.
func (s *server) transcript(w http.ResponseWriter, r *http.Request) {
	state, a, err := s.asked(r)
	if err != nil {
		fault(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte(report.Visible(s.printed(state, a, allLines))))
}

const allLines = 1_000_000

// remarks are what the review says of an agent's work that its diff does not.
func (s *server) remarks(w http.ResponseWriter, r *http.Request) {
	state, a, err := s.asked(r)
	var p remarksPage
	if err == nil {
		p.Remarks, err = overview.Hidden(r.Context(), s.Project, state, a)
	}
	if err == nil && r.FormValue("part") == "" {
		p.frame, err = s.frame(state, "What the diff of "+a.Name+" does not show", a.ID, r)
	}
	switch {
	case err != nil:
		fault(w, err)
	case p.Of == "":
		s.show(w, state, "remarks-live", p)
	default:
		s.show(w, state, "remarks-page", p)
	}
}

// remarksPage is what an agent's diff does not say.
type remarksPage struct {
	frame
	Remarks []review.Remark
}

// conflicts are the findings about an agent, each side with its lines.
func (s *server) conflicts(w http.ResponseWriter, r *http.Request) {
	state, a, err := s.asked(r)
	var found []conflict.Finding
	if err == nil && !overview.Ended(state) {
		found, err = s.Findings(r.Context())
	}
	if err != nil {
		fault(w, err)
		return
	}
	p := conflictsPage{Part: r.FormValue("part") != ""}
	for _, f := range found {
		if slices.Contains(f.Agents, a.ID) {
			p.Findings = append(p.Findings, s.sides(r.Context(), state, f))
		}
	}
	if p.Part {
		s.show(w, state, "conflicts-live", p)
		return
	}
	if p.frame, err = s.frame(state, "Conflicts of "+a.Name, a.ID, r); err != nil {
		fault(w, err)
		return
	}
	s.show(w, state, "conflicts-page", p)
}
