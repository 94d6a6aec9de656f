package session

import (
	"context"
	"path/filepath"
	"time"

	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// Review is what a person keeps of their reviews of a session: which files they viewed and which heads they looked at,
// comments that are not sent yet, and those that are. If it is lost, the registry still has what was sent.
type Review struct {
	Viewed   map[string]map[string]string `json:"viewed"` // by agent and path, which version
	Looked   map[string]Look              `json:"looked"` // by agent
	Asked    map[string]Asked             `json:"asked"`  // by agent
	Drafts   []Comment                    `json:"drafts"`
	Sent     []Comment                    `json:"sent"`
	Numbered int                          `json:"numbered"` // comments so far
}

// Look is at which of an agent's turns a person looked, and at which they had before.
type Look struct {
	Attempt int `json:"attempt"`
	Turn    int `json:"turn"`
	Before  int `json:"before"` // 0: none
}

// Asked is the merge with an agent's work in it that a person was last asked about.
type Asked struct {
	Digest string    `json:"digest"`
	Head   string    `json:"head"` // the agent's
	Tip    string    `json:"tip"`  // the commit of the branch that it would be merged into
	At     time.Time `json:"at"`
}

// Comment is what a person says of a line of an agent's work.
type Comment struct {
	Number  int       `json:"number"`
	Agent   string    `json:"agent"`
	Attempt int       `json:"attempt"`
	Turn    int       `json:"turn"` // whose work it is about
	Path    string    `json:"path"`
	Line    int       `json:"line"`
	Removed bool      `json:"removed"` // the line is one of the old version
	Content string    `json:"content"` // id of the version that has the line
	Quote   string    `json:"quote"`   // the line itself
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
}

func reviewFile(p *project.Project, session string) string {
	return filepath.Join(p.AgentState(session, ""), "review.json")
}

// ReadReview is what is kept of a person's reviews.
func ReadReview(p *project.Project, session string) (Review, error) {
	return readFile[Review](reviewFile(p, session))
}

// ChangeReview changes it under its lock, unless change answers with an error.
func ChangeReview(ctx context.Context, p *project.Project, session string, change func(*Review) error) error {
	path := reviewFile(p, session)
	lock, err := lockFile(ctx, path)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	kept, err := readFile[Review](path)
	if err != nil {
		return err
	}
	if err := change(&kept); err != nil {
		return err
	}
	return atomicfile.WriteJSON(path, kept)
}

// View notes that a person has seen a version of a file, or by "" that they have seen none.
func (r *Review) View(agent, path, version string) {
	if r.Viewed == nil {
		r.Viewed = map[string]map[string]string{}
	}
	if r.Viewed[agent] == nil {
		r.Viewed[agent] = map[string]string{}
	}
	if version == "" {
		delete(r.Viewed[agent], path)
		return
	}
	r.Viewed[agent][path] = version
}

// Look notes that a person looks at an agent's work as its last turn left it, and reports whether that is news.
func (r *Review) Look(a registry.Agent) bool {
	last := r.Looked[a.ID]
	if last.Attempt == a.Attempt && last.Turn == a.Turns {
		return false
	}
	now := Look{Attempt: a.Attempt, Turn: a.Turns}
	if last.Attempt == a.Attempt {
		now.Before = last.Turn
	}
	if r.Looked == nil {
		r.Looked = map[string]Look{}
	}
	r.Looked[a.ID] = now
	return true
}

// Ask notes which merge with an agent's work in it a person is asked about.
func (r *Review) Ask(agent string, now Asked) {
	if r.Asked == nil {
		r.Asked = map[string]Asked{}
	}
	r.Asked[agent] = now
}

// DraftsOf are the comments for an agent that are not sent.
func (r *Review) DraftsOf(agent string) []Comment { return of(agent, r.Drafts) }

// SentTo are the comments that an agent has got.
func (r *Review) SentTo(agent string) []Comment { return of(agent, r.Sent) }

func of(agent string, all []Comment) (its []Comment) {
	for _, c := range all {
		if c.Agent == agent {
			its = append(its, c)
		}
	}
	return its
}
