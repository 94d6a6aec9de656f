package project

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync"

	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/land/approval"
	"delegate/internal/sys/run"
)

// find is the Project of a folder, without its configuration and its record.
func find(ctx context.Context, dir string, o Options) (*Project, error) {
	p := &Project{Now: o.Now, Step: o.Step, Inside: o.Inside, Home: cmp.Or(o.Home, run.AccountHome()),
		failed: &sync.Map{}, tests: &sync.Map{}, dir: dir}
	if before := o.Known; before != nil && before.dir == dir && before.Inside == p.Inside && before.Home == p.Home {
		p.Repo, p.Private, p.support, p.signingKey = before.Repo, before.Private, before.support, before.signingKey
		return p, nil
	}
	repo, err := git.Open(ctx, dir)
	if o.Bare && errors.Is(err, git.ErrBare) {
		repo, err = git.OpenBare(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	p.Repo, p.Private = repo, filepath.Join(repo.CommonDir, "delegate")
	p.support = sync.OnceValues(func() (s sandbox.Support, fresh bool) {
		if o.Inside { // where to try would be an attempt to get out
			return sandbox.Support{Fault: "this is inside of a turn"}, false
		}
		if s, known := sandbox.Recall(p.supportFile()); known {
			return s, false
		}
		return sandbox.Detect(context.WithoutCancel(ctx)), true
	})
	p.signingKey = sync.OnceValue(func() string {
		signing, err := repo.PersonsSetting(context.WithoutCancel(ctx), p.Home, "user.signingkey")
		if err != nil {
			return ""
		}
		return approval.PrivateFile(signing, p.Home)
	})
	return p, nil
}

// Support is what this machine can hold agents and commands with. It is found out once, which takes a process, unless a
// command of a moment ago kept it.
func (p *Project) Support() sandbox.Support {
	s, _ := p.support()
	return s
}

// KeepSupport has the processes that follow find what this one found. Where it cannot be kept, each finds it anew.
func (p *Project) KeepSupport() {
	if s, fresh := p.support(); fresh {
		_ = sandbox.Remember(p.supportFile(), s)
	}
}

func (p *Project) supportFile() string { return filepath.Join(p.Private, "support.json") }
