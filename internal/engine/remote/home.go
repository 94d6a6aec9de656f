package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/engine"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/shorten"
	"delegate/internal/turn/keeper"
)

// remote is what git here calls the repository there: the program that carries its streams knows which one it is.
const remote = "ssh://there/turn"

// carried is a checkout whose git reaches the repository there.
func (f *follower) carried(repo *git.Repo) *git.Repo {
	return repo.Carried(run.Program(), jobVerb, "ssh", f.turn.Dir)
}

// again does what passes the streams until it went well, while the job runs. An engine that does not answer is waited
// for.
func (f *follower) again(ctx context.Context, do func() error) error {
	begun := time.Now()
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		err := do()
		if err == nil || isRefused(err) || time.Since(begun) > f.passFor ||
			!f.stopping.IsZero() && time.Since(f.stopping) > stopPatience {
			return err
		}
		f.unreached(err)
		answers, over := f.stillRuns(ctx)
		if over != nil {
			return over
		}
		f.pause(wait)
		if !answers {
			begun = time.Now()
		}
	}
}

// isRefused says that an error is about what would come home, and not about its way.
func isRefused(err error) bool {
	var unsound *git.TakeOverError
	var behind *takeover.BehindError
	return errors.As(err, &unsound) || errors.As(err, &behind) || errors.Is(err, errNoCommit) ||
		errors.Is(err, errTooMuch)
}

var (
	errNoCommit = errors.New("is no commit")
	errTooMuch  = errors.New("more comes from there than limits.work_size allows")
)

// send gives the job its turn, and the commit that it starts from.
func (f *follower) send(ctx context.Context) error {
	if f.job.Sent {
		return nil
	}
	p, err := project.Open(ctx, f.settings.Main, project.Options{})
	if err != nil {
		return err
	}
	data, err := json.Marshal(f.settings.Request)
	if err != nil {
		return err
	}
	if err := f.again(ctx, func() error { _, err := f.ask(ctx, data, "start"); return err }); err != nil {
		return fmt.Errorf("send the turn to %s: %w", f.where.On, err)
	}
	a := f.settings.Request.Agent
	repo := p.Repo
	if !f.there.Mirror {
		if repo, err = repo.Cut(ctx, filepath.Join(f.turn.Dir, cutFile), a.Base, a.Head); err != nil {
			return err
		}
	}
	if err := f.again(ctx, func() error {
		return f.carried(repo).Push(ctx, git.Push{Remote: remote, Ref: baseRef, Unleased: true, Commit: a.Head})
	}); err != nil {
		return fmt.Errorf("send its commit to %s: %w", f.where.On, err)
	}
	f.job.Sent = true
	return f.noteJob()
}

// isCommit is the form of a commit's name.
var isCommit = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// bringHome brings the work of a turn that is over into the repository, and answers with the end.
func (f *follower) bringHome(ctx context.Context, last end) keeper.Exit {
	exit := checked(last.Exit)
	if last.Head != "" {
		if err := f.fetchHome(ctx, last.Head); err != nil {
			if early, ok := errors.AsType[*over](err); ok {
				return early.Exit
			}
			return f.notHome(err)
		}
	}
	f.home = true
	exit = f.takenAway(ctx, exit)
	if last.Incomplete != "" && exit.Error == "" {
		exit.Error = "files are missing from its work: " + bounded(last.Incomplete)
	}
	return exit
}

// notHome is the end of a turn whose work did not come home. What was only not reached must not be taken away.
func (f *follower) notHome(err error) keeper.Exit {
	exit := keeper.Exit{Code: -1, Cause: keeper.Stopped, Error: "its work did not come home: " + err.Error()}
	if f.home = isRefused(err); !f.home {
		exit.Error += "; its job " + f.job.ID + " holds it for a day"
	}
	return exit
}

// takenAway is the end of a turn with what the engine says of it, where it was stopped and nobody here wanted that:
// the engine tells a program to end before it takes its node or its job away, and some say why when it has ended.
func (f *follower) takenAway(ctx context.Context, exit keeper.Exit) keeper.Exit {
	if exit.Cause != keeper.Stopped || !f.stopping.IsZero() {
		return exit
	}
	_, _ = f.ask(ctx, nil, "ack") // so that it does end
	j, err := f.engine.Look(ctx, f.job.ID)
	for n := 0; n < 20 && (err != nil || j.Phase == engine.Running && !j.LostNode); n++ {
		time.Sleep(firstPause)
		j, err = f.engine.Look(ctx, f.job.ID)
	}
	switch {
	case err != nil:
	case j.LostNode:
		exit.Cause, exit.Error = keeper.NodeLost, j.Words
	case j.Phase != engine.Running:
		exit.Error = "its job is over: " + j.Words
	}
	return exit
}

// fetchHome takes the head over that the turn came to.
func (f *follower) fetchHome(ctx context.Context, head string) error {
	if !isCommit.MatchString(head) {
		return fmt.Errorf("%.80q %w", head, errNoCommit)
	}
	p, err := project.Open(ctx, f.settings.Main, project.Options{})
	if err != nil {
		return err
	}
	a := f.settings.Request.Agent
	kept := ""
	err = f.again(ctx, func() error {
		kept, err = p.ComeHome(ctx, f.settings.Request.Session.ID, a, head, func(held *git.Repo) error {
			return f.fetch(ctx, f.carried(held), a.Head)
		})
		return f.doubted(p, err)
	})
	if err != nil && kept != "" {
		return fmt.Errorf("it is kept as %s: %w", kept, err)
	}
	return err
}

// fetch brings the objects of the head. That more came than may is no failure of the way.
func (f *follower) fetch(ctx context.Context, held *git.Repo, base string) error {
	note := filepath.Join(f.turn.Dir, tooMuchFile)
	if err := os.Remove(note); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	err := held.FetchObjects(ctx, remote, headRef, base)
	if _, noted := os.Stat(note); err != nil && noted == nil {
		return errTooMuch
	}
	return err
}

// doubted is an error of what was to come home. That objects are not sound is not believed of a disk that has no room
// for them: git does not tell the one from the other, and what is believed is taken away there.
func (f *follower) doubted(p *project.Project, err error) error {
	var unsound *git.TakeOverError
	if !errors.As(err, &unsound) {
		return err
	}
	if free, freeErr := atomicfile.Free(p.Repo.CommonDir); freeErr == nil && free < f.settings.mostHome() {
		return fmt.Errorf("the disk of %s has only %s free: %s", p.Repo.CommonDir, config.Size(free), unsound.Detail)
	}
	return err
}

// checked is an end that comes from there, as far as it can be one.
func checked(x keeper.Exit) keeper.Exit {
	switch x.Cause {
	case keeper.ByItself, keeper.Interrupted, keeper.Stopped, keeper.NotStarted, keeper.Restarted:
	default:
		x.Cause = keeper.Stopped
	}
	x.Code = min(max(x.Code, -1), 255)
	x.Error, x.Signal = bounded(x.Error), bounded(x.Signal)
	x.Ended = time.Now().UTC()
	return x
}

// bounded is at most 2000 bytes of words that come from there, as text.
func bounded(words string) string {
	words = strings.ToValidUTF8(shorten.Prefix(words, 2000), "?")
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' {
			return -1
		}
		return c
	}, words))
}
