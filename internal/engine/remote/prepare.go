package remote

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/turnsetup"
	"delegate/registry"
)

// Turn is a turn that is to run on an engine.
type Turn struct {
	Session registry.Session
	Agent   registry.Agent // as it is in this turn
	Setup   turnsetup.Setup
	Prompt  string
	Spec    keeper.Spec // what the supervisor says of every turn
}

// Engine is the engine of that name in the configuration.
func Engine(p *project.Project, name string) (config.Engine, error) {
	e, known := p.Config.Engines[name]
	if !known {
		return e, fmt.Errorf("no engine is called %q (engines in %s): it has %s", name, config.FileName,
			strings.Join(p.Config.Places(), ", "))
	}
	if e.Template != "" && !filepath.IsAbs(e.Template) {
		e.Template = filepath.Join(p.Main, e.Template)
	}
	return e, nil
}

// Prepare writes the folder of a turn that runs on an engine. What it runs in is made there, from what is written here.
func Prepare(ctx context.Context, p *project.Project, t Turn) error {
	e, err := Engine(p, t.Agent.On)
	if err != nil {
		return err
	}
	l := settings{Engine: e, QueueTimeout: e.QueueTimeout.Value(), Main: p.Main,
		MostOutput: int64(p.Config.Limits.WorkSize),
		Request: request{Session: t.Session, Agent: t.Agent, Prompt: t.Prompt, AgentDir: t.Setup.Place.AgentDir,
			Budget: t.Setup.Place.Budget, Wait: t.Setup.Place.PermissionWait}}
	if l.Request.Config, err = os.ReadFile(filepath.Join(p.Main, config.FileName)); err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	if l.Request.Author, err = p.Repo.Author(ctx); err != nil {
		return err
	}
	if l.Request.Copied, err = copies(ctx, p, t.Agent, e); err != nil {
		return err
	}
	if err := os.MkdirAll(t.Setup.Turn.Dir, 0o700); err != nil {
		return fmt.Errorf("prepare turn: %w", err)
	}
	if err := atomicfile.WriteJSON(filepath.Join(t.Setup.Turn.Dir, settingsFile), l); err != nil {
		return err
	}
	t.Spec.On, t.Spec.Mark = t.Agent.On, agentdir.Dir(t.Setup.Place.AgentDir).Mark()
	t.Spec.Attempt, t.Spec.Output = t.Agent.Attempt, t.Setup.Profile.Output
	if err := t.Setup.Turn.KeepWhere(keeper.Where{On: t.Agent.On, Queued: time.Now().UTC()}); err != nil {
		return err
	}
	_, err = keeper.Prepare(t.Setup.Turn.Dir, t.Prompt, t.Spec)
	return err
}

// mostCopied is how many bytes of files that git does not track go with a turn.
const mostCopied = 64 << 20

// copies are the files that git does not track and that the person wants there.
func copies(ctx context.Context, p *project.Project, a registry.Agent, e config.Engine) (all []copied, err error) {
	if !e.CopyFar {
		return nil, nil
	}
	list, err := p.CopyList(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	checkout, err := takeover.Open(p.Repo, a.Worktree, a.Branch)
	if err != nil {
		return nil, err
	}
	at, err := os.MkdirTemp(p.Private, "copies-")
	if err != nil {
		return nil, fmt.Errorf("copy files for %s: %w", a.On, err)
	}
	defer os.RemoveAll(at)
	if err := checkout.CopyTo(at, p.Main, list); err != nil {
		return nil, err
	}
	left := int64(mostCopied)
	err = filepath.WalkDir(at, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(at, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if left -= info.Size(); left < 0 {
			return fmt.Errorf("more than %d MiB of files that git does not track are to go there (copy, copy_far)",
				mostCopied>>20)
		}
		data, err := os.ReadFile(path)
		all = append(all, copied{Path: filepath.ToSlash(name), Mode: uint32(info.Mode().Perm()), Data: data})
		return err
	})
	return all, err
}
