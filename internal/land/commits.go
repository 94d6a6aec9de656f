package land

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/candidate"
	"delegate/internal/git"
	"delegate/internal/journal"
	"delegate/internal/project"
)

// commits makes the commits that the target will be moved to. They are in no history until the reference moves.
func commits(ctx context.Context, p *project.Project, ok candidate.Approved) ([]journal.Landed, error) {
	at := ok.Candidate().Tip
	var all []journal.Landed
	for _, m := range ok.Candidate().Members {
		commit, err := commitOf(ctx, p, ok, m, at)
		if err != nil {
			return nil, err
		}
		all = append(all, newLanded(ok, m, at, commit))
		at = commit
	}
	return all, nil
}

// commitOf makes the commits of one member on top of onto and answers with the last.
func commitOf(ctx context.Context, p *project.Project, ok candidate.Approved, m candidate.Member, onto string) (string,
	error) {
	signed := ok.Who() != (git.Person{})
	if len(m.Replayed) > 0 && signed {
		return replayOn(ctx, p, ok, m, onto)
	}
	subject, parents := ok.Candidate().Mode().Commit(m, onto)
	if m.Grounded() && len(parents) > 1 {
		inside, err := p.Repo.IsAncestor(ctx, m.Theirs, ok.Candidate().Tip)
		if err != nil {
			return "", err
		}
		if inside { // a rolled-back landing brought in again: its head is in the history already
			parents = parents[:1]
		}
	}
	trailers := trailersOf(ok, m)
	message := strings.TrimSpace(subject) + "\n\n" + trailers
	if !signed { // gathered on the integration branch: no hook runs and nobody signs
		return p.Repo.CommitTree(ctx, m.Tree, message, parents...)
	}
	message, err := messageBy(ctx, p, message)
	if err != nil {
		return "", err
	}
	return p.Repo.Commit(ctx, git.NewCommit{Tree: m.Tree, Message: withTrailers(message, trailers), Parents: parents})
}

// replayOn makes the agent's own commits anew on top of what lies below: their words and authors,
// with the trailers of the landing.
func replayOn(ctx context.Context, p *project.Project, ok candidate.Approved, m candidate.Member, at string) (string,
	error) {
	trailers := trailersOf(ok, m)
	for _, r := range m.Replayed {
		said, err := p.Repo.Message(ctx, r.Commit)
		if err != nil {
			return "", err
		}
		message, err := messageBy(ctx, p, withTrailers(said, trailers))
		if err != nil {
			return "", err
		}
		if at, err = p.Repo.Commit(ctx,
			git.NewCommit{Tree: r.Tree, Message: withTrailers(message, trailers), Parents: []string{at},
				AuthorOf: r.Commit}); err != nil {
			return "", err
		}
	}
	return at, nil
}

// trailersOf say under a commit who landed what, by git's own form.
func trailersOf(ok candidate.Approved, m candidate.Member) string {
	c := ok.Candidate()
	text := fmt.Sprintf("Delegate-Session: %s\nDelegate-Agent: %s\nDelegate-Subtask: %s\n", c.Session.ID, m.Agent.ID,
		project.OneLine(m.Agent.Subtask))
	if ok.Who() != (git.Person{}) { // nobody has approved what is gathered on the integration branch
		text += fmt.Sprintf("Delegate-Digest: %s\nApproved-by: %s\n", c.Digest, ok.Who())
	}
	for _, r := range m.Resolved {
		text += fmt.Sprintf("Delegate-Resolved: %s\n", project.OneLine(r.String()))
	}
	if ok.Override() {
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

func newJournal(ok candidate.Approved, made []journal.Landed) journal.Landing {
	c := ok.Candidate()
	return journal.Landing{
		Kind: string(c.Kind), Session: c.Session.ID, Agents: made, Target: c.Target, Old: c.Tip,
		New:    made[len(made)-1].Commit,
		Digest: c.Digest, Who: ok.Who().Name, Override: ok.Override(),
	}
}

func newLanded(ok candidate.Approved, m candidate.Member, onto, commit string) journal.Landed {
	inserted, deleted := project.Work{Files: m.Changes}.Lines()
	if len(m.Replayed) < 2 {
		onto = "" // the commit's parent says it
	}
	return journal.Landed{
		Agent: m.Agent.ID, Onto: onto, Commit: commit, Head: m.Work.Head,
		Tests: testsWord(ok.Candidate(), ok.Override()),
		Files: change.Set{Files: m.Changes}.Paths(), Lines: [2]int{inserted, deleted},
	}
}

func testsWord(c candidate.Candidate, override bool) string {
	if override && c.Failing() {
		return string(project.Fail)
	}
	return string(c.Tests.Result)
}
