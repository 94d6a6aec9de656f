package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/turnsetup"
)

const (
	// requestPatience is how long a job waits for its turn, whose keeper may be on a laptop that sleeps.
	requestPatience = time.Hour
	// ackPatience is how long a turn that is over waits for its work to come home.
	ackPatience = 24 * time.Hour
	// leavePatience is how long it waits for that when the engine told it to end, which kills it soon.
	leavePatience = 10 * time.Second
)

// there is the keeper of a turn where it runs.
type there struct {
	folder  folder
	support sandbox.Support
	signals chan os.Signal
	leaves  bool // the engine told it to end
	request request
	p       *project.Project
	turn    keeper.Turn
}

// runJob is the life of a job: it takes the turn that is sent to it, has it run, and waits until its work came home.
func runJob(ctx context.Context, at folder, mirror string) error {
	if err := at.claim(); err != nil {
		return err
	}
	defer os.RemoveAll(string(at))
	k := &there{folder: at, support: sandbox.Detect(ctx), signals: make(chan os.Signal, 4)}
	signal.Notify(k.signals, os.Interrupt, syscall.SIGTERM)
	node, _ := os.Hostname()
	said := identity{Protocol: protocol, Incarnation: random(), Node: node, Support: k.support,
		Mirror: mirror != "" && isRepository(mirror)}
	if err := atomicfile.WriteJSON(at.file(identityFile), said); err != nil {
		return err
	}
	if !at.await(requestFile, requestPatience, k.signalled) {
		return errors.New("no turn was sent")
	}
	var over end
	if err := k.prepare(ctx, said.Mirror, mirror); err != nil {
		over.Exit = keeper.Exit{Code: -1, Cause: keeper.NotStarted, Error: err.Error(), Ended: time.Now().UTC()}
	} else if over, err = k.work(ctx); err != nil {
		over.Exit.Error = strings.TrimSpace(over.Exit.Error + "\n" + err.Error())
	}
	if err := atomicfile.WriteJSON(at.file(endFile), over); err != nil {
		return err
	}
	if !at.await(ackFile, ackPatience, k.signalled) && over.Head != "" {
		at.await(ackFile, leavePatience, func() bool { return false })
	}
	return nil
}

// signalled says whether the engine told this process to end.
func (k *there) signalled() bool {
	select {
	case <-k.signals:
		k.leaves = true
	default:
	}
	return k.leaves
}

func isRepository(mirror string) bool {
	info, err := os.Stat(filepath.Join(mirror, "objects"))
	return err == nil && info.IsDir()
}

// prepare makes a repository, takes in the commit that the turn starts from, and prepares the turn in it as a
// supervisor does: the same worktree, fence, hooks and configuration, by this machine's own paths.
func (k *there) prepare(ctx context.Context, mirrored bool, mirror string) error {
	if err := atomicfile.ReadJSON(k.folder.file(requestFile), &k.request); err != nil {
		return err
	}
	if err := k.makeRepository(ctx, mirrored, mirror); err != nil {
		return err
	}
	var err error
	if k.p, err = project.Open(ctx, k.folder.file(repoFolder), project.Options{}); err != nil {
		return err
	}
	k.p.Config.WorktreeDir, k.p.Config.Record = k.folder.file(workFolder), config.RecordPrivate
	k.p.Config.Sandbox.Writable = k.p.SharedFolders() // of the person's, those that this place has
	if err := k.awaitBase(ctx); err != nil {
		return err
	}
	f, err := k.setUp(ctx)
	if err != nil {
		return err
	}
	prompt := strings.NewReplacer(k.request.AgentDir, f.Place.AgentDir).Replace(k.request.Prompt)
	a := &k.request.Agent
	in := f.Profile.Invoke(f.Profile.Command, agent.Values{Prompt: prompt, PromptFile: f.Turn.PromptFile(),
		SessionID: random(), Place: f.Place})
	spec := keeper.Spec{Args: in.Args, Stdin: in.Stdin, Conversation: in.Conversation, Dir: a.Worktree,
		Env: f.Place.Environ(f.Profile), Mark: agentdir.Dir(f.Place.AgentDir).Mark(),
		StopGrace: k.p.Config.StopGrace.Value(), Attempt: a.Attempt, Output: f.Profile.Output, Fence: f.Fence}
	if k.turn, err = keeper.Prepare(f.Turn.Dir, prompt, spec); err != nil {
		return err
	}
	if err := k.turn.Start(run.Program(), nil); err != nil {
		return err
	}
	return atomicfile.WriteJSON(k.folder.file(turnFile), running{Turn: f.Turn.Dir, AgentDir: f.Place.AgentDir})
}

// makeRepository makes the repository, which holds the configuration and nothing else until the commit comes.
func (k *there) makeRepository(ctx context.Context, mirrored bool, mirror string) error {
	at := k.folder.file("making")
	if err := os.MkdirAll(at, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(at, config.FileName), k.request.Config, 0o600); err != nil {
		return err
	}
	if _, err := git.Init(ctx, at, k.request.Author, "The configuration"); err != nil {
		return err
	}
	if mirrored {
		list := filepath.Join(at, ".git", "objects", "info", "alternates")
		if err := os.WriteFile(list, []byte(filepath.Join(mirror, "objects")+"\n"), 0o600); err != nil {
			return err
		}
	}
	return os.Rename(at, k.folder.file(repoFolder))
}

// awaitBase waits until the commit that the turn starts from was pushed.
func (k *there) awaitBase(ctx context.Context) error {
	for deadline := time.Now().Add(requestPatience); time.Now().Before(deadline); time.Sleep(tick) {
		at, found, err := k.p.Repo.Ref(ctx, baseRef)
		if err != nil {
			return err
		}
		if found && at == k.request.Agent.Head {
			return nil
		}
		if k.signalled() {
			break
		}
	}
	return fmt.Errorf("the commit %.12s that it starts from was not sent", k.request.Agent.Head)
}

// setUp makes what the turn runs in.
func (k *there) setUp(ctx context.Context) (turnsetup.Setup, error) {
	a, session := &k.request.Agent, k.request.Session
	a.Worktree = k.p.WorkPath(a.Name, a.Attempt)
	f := turnsetup.Setup{Turn: keeper.Turn{Dir: k.p.TurnDir(session.ID, a.ID, a.Turns)}}
	var err error
	if f.Profile, err = agent.Find(k.p.Config, a.Profile); err != nil {
		return f, err
	}
	repo, err := k.p.Unfiltered(ctx)
	if err != nil {
		return f, err
	}
	if err := os.MkdirAll(k.p.WorktreeRoot(), 0o700); err != nil {
		return f, fmt.Errorf("make folder of the worktrees: %w", err)
	}
	checkout, err := takeover.Create(ctx, repo, takeover.Request{Path: a.Worktree, Branch: a.Branch, Commit: a.Head})
	if err != nil {
		return f, err
	}
	if f.Place, err = turnsetup.MakeDirs(ctx, k.p, session, *a, f.Turn); err != nil {
		return f, err
	}
	f.Place.Budget, f.Place.PermissionWait = k.request.Budget, k.request.Wait
	if err := k.equip(ctx, checkout, f); err != nil {
		return f, err
	}
	if err := turnsetup.WriteHooks(ctx, k.p, *a, &f.Place); err != nil {
		return f, err
	}
	if session.Sandbox == "" {
		r := turnsetup.FenceRequest{Project: k.p, Session: session.ID, Agent: *a, Support: k.support}
		if f.Fence, err = turnsetup.FenceTurn(ctx, r, &f.Place); err != nil {
			return f, err
		}
	}
	return f, turnsetup.WriteConfig(ctx, k.p, *a, &f)
}

// equip puts the files that came with the turn into its worktree and runs the setup commands. Every turn has a worktree
// of its own there, so every turn is equipped.
func (k *there) equip(ctx context.Context, checkout *takeover.Checkout, f turnsetup.Setup) error {
	a, session := k.request.Agent, k.request.Session
	if err := k.unpack(ctx, checkout); err != nil {
		return err
	}
	if len(k.p.Config.Setup) == 0 {
		return nil
	}
	in := turnsetup.Setup{Profile: f.Profile, Place: f.Place}
	if session.Sandbox == "" {
		r := turnsetup.FenceRequest{Project: k.p, Session: session.ID, Agent: a, Support: k.support}
		var err error
		if in.Fence, err = turnsetup.FenceSetup(ctx, r, &in.Place); err != nil {
			return err
		}
	}
	log := filepath.Join(k.p.AgentState(session.ID, a.ID), "setup.log")
	err := in.RunCommands(ctx, k.p.Config.Setup, log, func(string, error) {})
	return errors.Join(err, checkout.Repo.RepairPointer()) // with Landlock alone they could write it
}

// unpack copies the files that came with the turn into its worktree, as listed ones are copied here.
func (k *there) unpack(ctx context.Context, checkout *takeover.Checkout) error {
	from, list := k.folder.file("copied"), []string{}
	for _, c := range k.request.Copied {
		if !filepath.IsLocal(c.Path) {
			return fmt.Errorf("copy %q: it leaves the worktree", c.Path)
		}
		to := filepath.Join(from, filepath.FromSlash(c.Path))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(to, c.Data, os.FileMode(c.Mode).Perm()); err != nil {
			return err
		}
		list = append(list, project.Literally(c.Path))
	}
	noted, err := checkout.CopyInto(ctx, from, list)
	if err != nil {
		return err
	}
	return k.p.RememberCopied(k.request.Session.ID, k.request.Agent, noted)
}

// work waits for the end of the turn, does what is asked of it meanwhile, and takes its head.
func (k *there) work(ctx context.Context) (end, error) {
	grace := k.p.Config.StopGrace.Value()
	for {
		state, err := k.turn.State()
		switch {
		case err != nil:
			return end{}, err
		case state == keeper.Lost:
			if err := k.turn.FinalizeLost(grace, time.Now().UTC()); err != nil {
				return end{}, err
			}
		case state == keeper.Ended:
			return k.close(ctx)
		case k.signalled() || k.folder.asked(string(askStop)):
			if err := k.turn.Stop(grace); err != nil {
				return end{}, err
			}
		case k.folder.asked(string(askInterrupt)):
			if _, err := k.turn.Interrupt(); err != nil {
				return end{}, err
			}
		}
		time.Sleep(tick)
	}
}

// close takes the head of a turn that is over.
func (k *there) close(ctx context.Context) (over end, err error) {
	if over.Exit, err = k.turn.Exit(); err != nil {
		return over, err
	}
	turnsetup.Tidy(k.turn)
	snap, err := k.p.TakeHead(ctx, k.request.Session.ID, k.request.Agent, takeover.ForGood)
	if err != nil {
		return over, err
	}
	over.Head, over.Incomplete = snap.Head, snap.Incomplete
	old, _, err := k.p.Repo.Ref(ctx, headRef)
	if err != nil {
		return over, err
	}
	return over, k.p.Repo.UpdateRefs(ctx, "delegate: head", git.RefUpdate{Ref: headRef, Old: old, New: snap.Head})
}
