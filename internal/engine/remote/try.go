package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"delegate/internal/engine"
	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/keeper"
)

// Trial is what a job tells that was submitted to be asked, and of which no turn comes.
type Trial struct {
	Node    string
	Support sandbox.Support // what the kernel there can hold agents with
	// Mirrored says that the mirror is there, and Tips are the commits that its references name.
	Mirrored bool
	Tips     []string
	// Submitted, Running and Answered are how long it took until the engine had the job, until that ran, and until the
	// program there was heard.
	Submitted, Running, Answered time.Duration
	run                          func(ctx context.Context, args ...string) ([]byte, error)
}

// tryPatience is how long a job that is only tried waits for room, where the configuration does not say that.
const tryPatience = 2 * time.Minute

// Try submits a job as a turn's is, lets look say what more it asks there, and takes the job away.
func Try(ctx context.Context, p *project.Project, e config.Engine, look func(context.Context, Trial)) error {
	dir, err := os.MkdirTemp("", "delegate-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f := &follower{turn: keeper.Turn{Dir: dir}, signals: make(chan os.Signal, 4), engine: engine.Open(e),
		identifyFor: identifyPatience}
	f.where.On = e.Name
	f.settings = settings{Engine: e, QueueTimeout: cmp.Or(e.QueueTimeout.Value(), tryPatience), Main: p.Main}
	f.settings.Request.Agent.Name = "doctor"
	signal.Notify(f.signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(f.signals)
	ctx = context.WithoutCancel(ctx) // the job is taken away also where nobody wants to know any more
	defer func() {
		if f.job.ID != "" {
			f.cancel(ctx)
		}
	}()
	t := Trial{run: func(ctx context.Context, args ...string) ([]byte, error) {
		return f.answer(ctx, nil, append([]string{e.Program}, args...)...)
	}}
	begun := time.Now()
	for _, step := range []struct {
		do   func(context.Context) error
		took *time.Duration
	}{{f.submit, &t.Submitted}, {f.awaitRoom, &t.Running}, {f.identify, &t.Answered}} {
		if err := step.do(ctx); err != nil {
			return err
		}
		*step.took = time.Since(begun)
	}
	t.Node, t.Support, t.Mirrored = cmp.Or(f.where.Node, f.there.Node), f.there.Support, f.there.Mirror
	if t.Mirrored {
		t.Tips, err = f.tips(ctx)
	}
	look(ctx, t)
	return err
}

// Ask has this program there run one of its commands, and reads the JSON that it answers with.
func (t Trial) Ask(ctx context.Context, into any, args ...string) error {
	said, err := t.run(ctx, append(args, "--json")...)
	if err == nil {
		err = json.Unmarshal(said, into)
	}
	if err != nil {
		return fmt.Errorf("delegate %s on %s: %w", strings.Join(args, " "), t.Node, err)
	}
	return nil
}

// tips asks what the mirror has.
func (f *follower) tips(ctx context.Context) (tips []string, err error) {
	said, err := f.answer(ctx, nil, f.settings.Engine.Program, jobVerb, "tips", f.job.Folder, f.settings.Engine.Mirror)
	for line := range strings.Lines(string(said)) {
		if tip := strings.TrimSpace(line); isCommit.MatchString(tip) {
			tips = append(tips, tip)
		}
	}
	return tips, err
}

// mostTips is how many commits of a mirror are told: enough for what it is for, and less than one answer may have.
const mostTips = mostSaid / 128

// showTips prints the commits of a mirror.
func showTips(ctx context.Context, mirror string) error {
	tips, err := git.Tips(ctx, mirror)
	fmt.Println(strings.Join(tips[:min(len(tips), mostTips)], "\n"))
	return err
}

// Unclaimed are those of an engine's jobs that this repository submitted, and of which it has no turn under way.
func Unclaimed(p *project.Project, jobs []engine.Named) (left []engine.Named, err error) {
	files, err := filepath.Glob(filepath.Join(p.Private, "sessions", "*", "*", "turn-*", jobFile))
	if err != nil {
		return nil, err
	}
	claimed := map[string]bool{}
	for _, file := range files {
		var j job
		t := keeper.Turn{Dir: filepath.Dir(file)}
		if _, err := t.Exit(); err == nil || atomicfile.ReadJSON(file, &j) != nil {
			continue
		}
		claimed[j.Name] = true
	}
	for _, j := range jobs {
		if isOf(p.Main, j.Name) && !claimed[j.Name] {
			left = append(left, j)
		}
	}
	return left, nil
}
