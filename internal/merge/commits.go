package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/config"
	"delegate/internal/git"
)

// landed is what a landing makes of one member.
type landed struct {
	Agent  string   `json:"agent"`
	Onto   string   `json:"onto"` // what lies below its commits, "" where that is the commit's first parent
	Commit string   `json:"commit"`
	Head   string   `json:"head"`
	Tests  string   `json:"tests"`
	Files  []string `json:"files"` // what it changed, for the record
	Lines  [2]int   `json:"lines"` // inserted and deleted
}

// replayed is one commit of an agent on top of what lies below it.
type replayed struct{ Commit, Tree string }

// replay puts the member's own commits on top of what lies below it, one by one. It answers none where that fails,
// or where it does not make the tree that merging makes: then the work lands as one commit.
func (b *Builder) replay(ctx context.Context, m Member) ([]replayed, error) {
	if m.grounded() || len(m.Resolved) > 0 {
		return nil, nil
	}
	commits, err := b.p.Repo.OwnCommits(ctx, m.Onto, m.Theirs)
	if err != nil {
		return nil, err
	}
	at := m.Onto
	var all []replayed
	for _, commit := range commits {
		merged, err := b.p.Repo.Pick(ctx, commit, at)
		if errors.Is(err, git.ErrNotPicked) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !merged.Clean {
			return nil, nil
		}
		if at, err = b.p.Repo.CommitTreeLike(ctx, merged.Tree, "Replayed\n", at); err != nil {
			return nil, err
		}
		all = append(all, replayed{commit, merged.Tree})
	}
	if len(all) == 0 || all[len(all)-1].Tree != m.Tree {
		return nil, nil
	}
	return all, nil
}

// commits makes the commits that the target will be moved to. They are in no history until the reference moves.
func (b *Builder) commits(ctx context.Context, ok Approved) ([]landed, error) {
	at := ok.candidate.Tip
	var all []landed
	for _, m := range ok.candidate.Members {
		commit, err := b.commitOf(ctx, ok, m, at)
		if err != nil {
			return nil, err
		}
		all = append(all, newLanded(ok, m, at, commit))
		at = commit
	}
	return all, nil
}

func (b *Builder) commitOf(ctx context.Context, ok Approved, m Member, at string) (string, error) {
	c := ok.candidate
	if c.Kind == Landing && len(m.replayed) > 0 && ok.who != (git.Person{}) {
		return b.replayOn(ctx, ok, m, at)
	}
	subject := fmt.Sprintf("Merge %s: %s", m.Agent.ID, oneLine(m.Agent.Subtask))
	parents := []string{at, m.Theirs}
	switch {
	case c.Kind == Rollback:
		subject = fmt.Sprintf("Roll back %s: %s\n\nThis takes back the landing %s.", m.Agent.ID,
			oneLine(m.Agent.Subtask), m.Agent.MergeCommit)
		parents = parents[:1]
	case c.Mode != config.LandByMerge:
		subject = fmt.Sprintf("%s\n\n%s", oneLine(m.Agent.Subtask), strings.TrimSpace(m.Agent.Description))
		parents = parents[:1]
	case m.grounded():
		inside, err := b.p.Repo.IsAncestor(ctx, m.Theirs, c.Tip)
		if err != nil {
			return "", err
		}
		if inside { // a rolled-back landing brought in again: its head is in the history already
			parents = parents[:1]
		}
	}
	trailers := ok.trailers(m)
	message := strings.TrimSpace(subject) + "\n\n" + trailers
	if ok.who == (git.Person{}) { // gathered on the integration branch: no hook runs and nobody signs
		return b.p.Repo.CommitTree(ctx, m.Tree, message, parents...)
	}
	message, err := b.messageBy(ctx, message)
	if err != nil {
		return "", err
	}
	return b.p.Repo.Commit(ctx, git.NewCommit{Tree: m.Tree, Message: withTrailers(message, trailers), Parents: parents})
}

// replayOn makes the agent's own commits anew on top of what lies below: their words and authors,
// with the trailers of the landing.
func (b *Builder) replayOn(ctx context.Context, ok Approved, m Member, at string) (string, error) {
	for _, r := range m.replayed {
		said, err := b.p.Repo.Message(ctx, r.Commit)
		if err != nil {
			return "", err
		}
		trailers := ok.trailers(m)
		message, err := b.messageBy(ctx, withTrailers(said, trailers))
		if err != nil {
			return "", err
		}
		if at, err = b.p.Repo.Commit(ctx,
			git.NewCommit{Tree: r.Tree, Message: withTrailers(message, trailers), Parents: []string{at},
				AuthorOf: r.Commit}); err != nil {
			return "", err
		}
	}
	return at, nil
}

// trailers say under a commit who landed what, by git's own form.
func (ok Approved) trailers(m Member) string {
	c := ok.candidate
	text := fmt.Sprintf("Delegate-Session: %s\nDelegate-Agent: %s\nDelegate-Subtask: %s\n", c.Session.ID, m.Agent.ID,
		oneLine(m.Agent.Subtask))
	if ok.who != (git.Person{}) { // nobody has approved what is gathered on the integration branch
		text += fmt.Sprintf("Delegate-Digest: %s\nApproved-by: %s\n", c.Digest, ok.who)
	}
	for _, r := range m.Resolved {
		text += fmt.Sprintf("Delegate-Resolved: %s\n", oneLine(r.String()))
	}
	if ok.override {
		text += "Delegate-Override: failing tests\n"
	}
	return text
}

// withTrailers adds those trailers that a message lacks, into the block of them that it may end with.
func withTrailers(message, trailers string) string {
	message = strings.TrimRight(message, "\n")
	last := message[strings.LastIndex(message, "\n\n")+1:]
	isTrailer := func(line string) bool {
		name, _, found := strings.Cut(line, ": ")
		return found && name != "" && !strings.ContainsAny(name, " \t")
	}
	lines := strings.Split(strings.TrimSpace(last), "\n")
	block := strings.Contains(message, "\n\n") && !slices.ContainsFunc(lines, func(l string) bool {
		return !isTrailer(l)
	})
	var missing string
	for line := range strings.Lines(trailers) {
		if !slices.Contains(strings.Split(message, "\n"), strings.TrimSuffix(line, "\n")) {
			missing += line
		}
	}
	switch {
	case missing == "":
		return message + "\n"
	case block:
		return message + "\n" + missing
	}
	return message + "\n\n" + missing
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
