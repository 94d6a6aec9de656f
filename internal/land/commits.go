package land

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/land/candidate"
	"delegate/internal/land/journal"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
)

// Commits makes the commits that the target will be moved to, here or in a pull request. They are in no history until
// a reference moves.
func Commits(ctx context.Context, p *project.Project, ok candidate.Approved) ([]journal.Landed, error) {
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
	subject = cmp.Or(ok.Candidate().Message, subject)
	if m.HasParents() && len(parents) > 1 {
		inside, err := p.Repo.IsAncestor(ctx, m.Head, ok.Candidate().Tip)
		if err != nil {
			return "", err
		}
		if inside { // a rolled-back landing brought in again: its head is in the history already
			parents = parents[:1]
		}
	}
	trailers := trailersOf(ok, m)
	message := strings.TrimSpace(ui.Clean(subject)) + "\n\n" + trailers
	if !signed { // gathered on the integration branch: no hook runs and nobody signs
		return p.Repo.CommitTree(ctx, m.Tree, message, parents...)
	}
	message, err := messageBy(ctx, p, ok, m, message)
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
		said = review.AsCode(ui.Clean(project.WithoutTrailers(said)))
		said = cmp.Or(ok.Candidate().Message, strings.TrimSpace(said), project.Subject(m.Agent))
		message, err := messageBy(ctx, p, ok, m, withTrailers(said, trailers))
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
	from := fmt.Sprintf("Delegate-Agent: %s (%s/%s", m.Agent.Name, c.Session.ID, m.Agent.ID)
	if ok.Who() == (git.Person{}) { // nobody has approved what is gathered on the integration branch
		return from + ")\n"
	}
	from += ", digest " + c.Short()
	if ok.Override() {
		from += ", " + project.Overridden
	}
	return fmt.Sprintf("%s)\nApproved-by: %s\n", from, ok.Who())
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
		Digest: c.Digest, Who: ok.Who().Name, Override: ok.Override(), Signed: ok.Signed(),
		Verify: c.Tests.Commands, Message: c.Message,
	}
}

func newLanded(ok candidate.Approved, m candidate.Member, onto, commit string) journal.Landed {
	inserted, deleted := project.Work{Files: m.Changes}.Lines()
	if len(m.Replayed) < 2 {
		onto = "" // the commit's parent says it
	}
	var decided []string
	for _, r := range m.Resolved {
		decided = append(decided, r.Path)
	}
	changed := change.Set{Files: m.Changes}
	return journal.Landed{
		Decided: decided, Agent: m.Agent.ID, Onto: onto, Commit: commit, Head: m.Work.Head,
		Tests: string(ok.Candidate().Tests.Result),
		Files: changed.Paths(), RenamedFrom: changed.RenamedFrom(), Lines: [2]int{inserted, deleted},
	}
}

// environ is the person's environment without what points git or this program elsewhere.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "DELEGATE_")
	})
}

// MessageError says that the commit-msg hook refuses the message of a commit. It is an ErrRefused.
type MessageError struct {
	Agent   string // whose work it is
	Of      candidate.Candidate
	Commits int // how many of them its landing makes, where they are its own
	Err     error
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("%v: the hook %s says no: %v", ErrRefused, candidate.HookMessage, e.Err)
}

func (e *MessageError) Unwrap() error { return ErrRefused }

// Next is how another message is given.
func (e *MessageError) Next() string {
	again := "delegate sync merge "
	switch {
	case e.Commits > 1:
		return "its commits land one by one, with their own messages; to land them as one: landing: {mode: squash}"
	case e.Of.Kind == candidate.Rollback:
		again = "delegate sync rollback "
	case e.Of.To != nil:
		again = "delegate sync pr "
	}
	return "give it another message: " + again + e.Agent + ` --message "…"`
}

// messageBy is the message as the commit-msg hook leaves it. Its refusal is a *MessageError.
func messageBy(ctx context.Context, p *project.Project, ok candidate.Approved, m candidate.Member,
	message string) (string, error) {
	path, err := candidate.Hook(ctx, p, candidate.HookMessage)
	if err != nil || path == "" {
		return message, err
	}
	file := filepath.Join(p.Private, "landing-message")
	if err := atomicfile.WriteFile(file, []byte(message), 0o600); err != nil {
		return "", err
	}
	defer os.Remove(file)
	var exit *run.ExitError
	if err := run.Do(ctx, run.Command{Path: path, Args: []string{file}, Dir: p.Main, Env: environ()}); errors.As(err,
		&exit) {
		return "", &MessageError{m.Agent.ID, ok.Candidate(), len(m.Replayed), exit}
	} else if err != nil {
		return "", fmt.Errorf("run the hook %s: %w", candidate.HookMessage, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read what the hook %s left: %w", candidate.HookMessage, err)
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", fmt.Errorf("%w: the hook %s left an empty message", ErrRefused, candidate.HookMessage)
	}
	return string(data), nil
}

// runAfter runs post-merge in the checkout that was updated. What it says cannot undo the landing,
// so it comes back as a sentence. A hook that came with the landing is what agents wrote, and is
// left to the person.
func runAfter(ctx context.Context, p *project.Project, landed candidate.Candidate, checkout string) string {
	hook, err := candidate.Hook(ctx, p, candidate.HookAfter)
	if err != nil || hook == "" || checkout == "" {
		return ""
	}
	if candidate.BringsHook(p, landed.Changes, hook) {
		return fmt.Sprintf("the hook %s was not run, since this landing changes it; look at it, then: (cd %s && %s 0)",
			candidate.HookAfter, run.Quote(checkout), run.Quote(hook))
	}
	if err := run.Do(ctx, run.Command{Path: hook, Args: []string{"0"}, Dir: checkout, Env: environ()}); err != nil {
		return fmt.Sprintf("the hook %s ended badly: %v", candidate.HookAfter, err)
	}
	return ""
}
