package page

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/control"
	"delegate/internal/land/journal"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agentdir"
	"delegate/internal/view/status"
	"delegate/registry"
	"delegate/scope"
)

var (
	errNoFile = errors.New("the agent no longer changes this file; reload the page")
	errMoved  = errors.New("the file has changed since the page showed it; reload the page")
	errNoGlob = errors.New("the form has no pattern; type at least one")
	errNoAct  = errors.New("the page has no such action")
	errGone   = errors.New("this no longer waits for an answer; reload the page")
)

// act is what a person does about an agent, with what they typed; it answers what came of it.
type act func(ctx context.Context, a registry.Agent, r *http.Request) (string, error)

// acts are all that this page does: what `delegate review` does, but for what lands, starts or discards.
func (s *server) acts() map[string]act {
	words := func(said string, do func(context.Context, string, string) (registry.Agent, error)) act {
		return func(ctx context.Context, a registry.Agent, r *http.Request) (string, error) {
			_, err := do(ctx, a.ID, r.FormValue("text"))
			return fmt.Sprintf(said, a.Name), err
		}
	}
	c := s.Person
	return map[string]act{
		"send":      words("Sent. %s gets it with its next turn.", c.SendComments),
		"continue":  words("%s continues.", c.Continue),
		"message":   words("%s gets the message with its next turn.", c.Message),
		"now":       words("%s continues with your message.", c.MessageNow),
		"adapt":     words("%s continues; the target branch is merged into its branch.", c.Adapt),
		"interrupt": s.interrupt,
		"extend":    s.extend,
		"retry": func(ctx context.Context, a registry.Agent, _ *http.Request) (string, error) {
			_, err := c.Retry(ctx, a.ID)
			return a.Name + " starts a new attempt; the branch of the last one is kept.", err
		},
		"complete": words("You marked %s as complete.", c.ForceComplete),
		"answer":   s.answer,
		"allow":    s.allow,
		"restore":  s.restore,
		"tell":     s.tell,
		"conflict": s.tellConflict,
		"seen": func(ctx context.Context, _ registry.Agent, r *http.Request) (string, error) {
			said := "You dismissed the conflict; the question before a merge shows it again."
			return said, c.Seen(ctx, r.FormValue("key"))
		},
	}
}

// do carries an act out and leads back to the agent.
func (s *server) do(w http.ResponseWriter, r *http.Request) {
	state, a, err := s.asked(r)
	do, found := s.acts()[r.FormValue("act")]
	switch {
	case err != nil:
	case !found:
		err = errNoAct
	case journal.Unfinished(s.Project):
		err = journal.ErrUnfinished
	}
	said := ""
	if shown := r.PostFormValue("turn"); err == nil && shown != "" {
		err = s.Person.CheckTurn(r.Context(), a.ID, shown)
	}
	if err == nil {
		// what was begun is finished, also for who goes away meanwhile
		said, err = do(context.WithoutCancel(r.Context()), a, r)
	}
	if err != nil {
		said = "Not done: " + state.WithNames(ui.ErrorText(err))
		if words := strings.TrimSpace(r.PostFormValue("text")); words != "" {
			said += "\nYou wrote: " + words // which nothing else has
		}
	} else if unwell := status.Unwell(s.Project, state); len(unwell) > 0 {
		said += " " + unwell[0].Text + ". Type: " + unwell[0].Next
	}
	to := url.Values{"id": {a.ID}, "said": {s.keepSaid(said)}}
	lead(w, "agent", to)
}

// lead leads on to a page beside the one that was asked for; only the gate knows below which path that is.
func lead(w http.ResponseWriter, page string, what url.Values) {
	w.Header().Set("Location", page+"?"+what.Encode())
	w.WriteHeader(http.StatusSeeOther)
}

// keepSaid keeps what an act came to for the page that follows, since an address could say anything.
func (s *server) keepSaid(said string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.said) > mostKnown {
		clear(s.said)
	}
	key := rand.Text()
	s.said[key] = said
	return key
}

func (s *server) takeSaid(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.said[key]
	delete(s.said, key)
	return said
}

func (s *server) interrupt(ctx context.Context, a registry.Agent, _ *http.Request) (string, error) {
	_, stopped, err := s.Person.Interrupt(ctx, a.ID)
	if !stopped {
		return "No turn of " + a.Name + " was running.", err
	}
	return "You stopped the turn of " + a.Name + "; its work is kept, and it waits for you.", err
}

func (s *server) extend(ctx context.Context, a registry.Agent, _ *http.Request) (string, error) {
	_, err := s.Person.Extend(ctx, a.ID, 30*time.Minute)
	return a.Name + " has 30 more minutes.", err
}

// point is what waits about the agent, of a kind and with a key, as it is now.
func (s *server) point(ctx context.Context, a registry.Agent, kind status.PointKind, key string) (status.Point, error) {
	state, err := s.Person.Current(ctx)
	if err != nil {
		return status.Point{}, err
	}
	for _, p := range s.points(state, a) {
		if p.Kind == kind && p.Key == key {
			return p.Point, nil
		}
	}
	return status.Point{}, errGone
}

// answer answers what the agent's program asks in the middle of its turn.
func (s *server) answer(ctx context.Context, a registry.Agent, r *http.Request) (string, error) {
	p, err := s.point(ctx, a, status.AskPoint, r.FormValue("key"))
	if err != nil {
		return "", err
	}
	given, err := answerTo(p.Question, r.PostForm)
	if err != nil {
		return "", err
	}
	return "You answered; " + a.Name + " continues.", s.Person.AnswerQuestion(ctx, a.ID, p.Question, given)
}

// answerTo is what a form says to a question. A question stands in the agent's own folder, so another one may be there
// by now under the same name: the form has to be of this one.
func answerTo(q agentdir.Question, form url.Values) (agentdir.Answer, error) {
	if form.Get("seen") != digestOf(q) {
		return agentdir.Answer{}, errGone
	}
	given := agentdir.Answer{Word: agentdir.Word(form.Get("word")), Text: form.Get("text")}
	allowed := []agentdir.Word{agentdir.Allow, agentdir.AllowTurn, agentdir.Deny}
	if q.Text != "" {
		allowed = []agentdir.Word{agentdir.Said}
		if n, err := strconv.Atoi(form.Get("choice")); err == nil && n >= 0 && n < len(q.Choices) {
			given.Text = q.Choices[n]
		}
	}
	if !slices.Contains(allowed, given.Word) {
		return agentdir.Answer{}, errNoAct
	}
	return given, nil
}

// digestOf tells what a question says from what another one says.
func digestOf(q agentdir.Question) string {
	text := fmt.Appendf(nil, "%q %q %q %q %q", q.Tool, q.Line, q.Outside, q.Text, q.Choices)
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// allow widens an agent's scope by globs, one a line, or by the very paths that it changed outside of it.
func (s *server) allow(ctx context.Context, a registry.Agent, r *http.Request) (string, error) {
	var globs []string
	for glob := range strings.Lines(r.FormValue("text")) {
		if glob = strings.TrimSpace(glob); glob != "" {
			globs = append(globs, glob)
		}
	}
	for _, path := range r.Form["path"] {
		globs = append(globs, scope.Literal(path))
	}
	if len(globs) == 0 {
		return "", errNoGlob
	}
	a, overlaps, err := s.Person.ChangeScope(ctx, a.ID, control.ScopeChange{Allow: globs})
	if err != nil {
		return "", err
	}
	said := a.Name + " may write " + strings.Join(a.Allowed, ", ") + "."
	for _, o := range overlaps {
		said += fmt.Sprintf(" %s may also write %q.", o.Agent, o.Witness)
	}
	return said, nil
}

func (s *server) restore(ctx context.Context, a registry.Agent, r *http.Request) (string, error) {
	_, err := s.Person.PutBack(ctx, a.ID, r.Form["path"])
	return "You restored " + strings.Join(r.Form["path"], ", ") + ".", err
}

// tell has an agent put back itself what it changed outside of its scope.
func (s *server) tell(ctx context.Context, a registry.Agent, r *http.Request) (string, error) {
	p, err := s.point(ctx, a, status.ViolationPoint, "")
	if err == nil {
		_, err = s.Person.TellOutside(ctx, a.ID, p.Outside, r.FormValue("text"))
	}
	return a.Name + " gets the message with its next turn.", err
}

// tellConflict tells an agent about a conflict; one that has to fit what is on the branch is brought that as well.
func (s *server) tellConflict(ctx context.Context, a registry.Agent, r *http.Request) (string, error) {
	p, err := s.point(ctx, a, status.ConflictPoint, r.FormValue("key"))
	if err != nil {
		return "", err
	}
	send := s.Person.Message
	if adapts(p, a) {
		send = s.Person.Adapt
	}
	_, err = send(ctx, a.ID, p.Text+"\n\n"+r.FormValue("text"))
	return a.Name + " gets the message with its next turn.", err
}

// adapts says whether words alone do not resolve a conflict, since what it clashes with is on the branch.
func adapts(p status.Point, a registry.Agent) bool {
	return p.Kind == status.ConflictPoint && p.Blocks && control.GoesOn(a.Status) != ""
}
