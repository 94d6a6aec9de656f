package candidate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"
)

// Destination is where a candidate goes out as pull requests. The digest covers it.
type Destination struct {
	Upstream git.Upstream // where the target lives in the remote
	Address  string       // of the remote, without a login
	Requests []Outgoing   // what is pushed, those that others are based on first
	// Known is what this machine last saw of the target there. The candidate is built on that.
	Known string
}

// Outgoing is one pull request that a candidate becomes.
type Outgoing struct {
	Agents []string // whose work it has, beyond what its base has
	Branch string   // on the remote
	Base   string   // the branch there that it is to be merged into
	Old    string   // the commit that was pushed last, "" for a new request
	URL    string   // of the open request, "" for a new one
	Update bool     // the request is open
}

// IsUpdate reports whether every request is there already.
func (d Destination) IsUpdate() bool {
	return !slices.ContainsFunc(d.Requests, func(r Outgoing) bool { return !r.Update })
}

// AheadError says that the target has commits which its remote has not: they would go out with a pull request, and
// nobody has said yes to that.
type AheadError struct {
	Target   string
	Upstream git.Upstream
	Commits  int
}

func (e *AheadError) Error() string {
	verb := "commits"
	if e.Commits == 1 {
		verb = "commit"
	}
	return fmt.Sprintf("%s has %d %s that %s does not have", e.Target, e.Commits, verb, e.Upstream)
}

// BehindError says that others merged work of the session in the target's remote, and the target here does not have it:
// nothing was compared and tested with it that would land now.
type BehindError struct{ session.Unpulled }

func (e *BehindError) Error() string { return "nothing is merged now: " + e.Unpulled.String() }

// UpToDate is a *BehindError unless the target here has all that is known to be merged in its remote.
func (b *Builder) UpToDate(ctx context.Context, state registry.State) error {
	tip, err := b.Project.Target(ctx, *state.Session)
	if err != nil {
		return err
	}
	missing, err := session.FindUnpulled(ctx, b.Project, state, tip)
	if err == nil && !missing.None() {
		err = &BehindError{missing}
	}
	return err
}

// BuildFor makes the candidate of pull requests: Build on the target as its remote has it. *AheadError if the target
// has commits of its own here.
func (b *Builder) BuildFor(ctx context.Context, state registry.State, to Destination, ids ...string) (Candidate,
	error) {
	return b.beside(ctx, state)(b.forRequest(ctx, state, to, ids))
}

func (b *Builder) forRequest(ctx context.Context, state registry.State, to Destination, ids []string) (Candidate,
	error) {
	mode := config.LandByPullRequest
	if b.Project.Config.Landing.Mode == config.LandByRebase {
		mode = config.LandByRebase
	}
	c := Candidate{Kind: Landing, Session: *state.Session, ModeName: mode, Tip: to.Known, To: &to,
		Target: "refs/heads/" + state.Session.Target}
	here, err := b.Project.Target(ctx, c.Session)
	if err != nil {
		return Candidate{}, err
	}
	ahead := 0
	if err := b.Project.Repo.Beyond(ctx, []string{here}, []string{to.Known}, func(string) { ahead++ }); err != nil {
		return Candidate{}, err
	}
	if ahead > 0 {
		return Candidate{}, &AheadError{Target: c.TargetName(), Upstream: to.Upstream, Commits: ahead}
	}
	return b.build(ctx, state, c, ids)
}

// TextOf is the title of a pull request of some of the candidate's agents, and what is said of their work: the first
// words of their commits, and the rest.
func (c Candidate) TextOf(ids []string) (title string, parts []string) {
	var titles []string
	for _, m := range c.Members {
		if slices.Contains(ids, m.Agent.ID) {
			message, _ := c.Mode().Commit(m, m.Base)
			subject, rest, _ := strings.Cut(message, "\n")
			titles, parts = append(titles, project.OneLine(subject)), append(parts, strings.TrimSpace(rest))
		}
	}
	return strings.Join(titles, "; "), parts
}
