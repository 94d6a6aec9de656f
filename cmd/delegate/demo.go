package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// demoFiles are the demonstration's repository and its two scripted agents. Go's files end in .txt here, so that this
// module has no part in them.
//
//go:embed all:demo
var demoFiles embed.FS

// demoCommand is `delegate demo`: the whole main job on a repository that it makes itself.
func (a *app) demoCommand() *cobra.Command {
	folder := ""
	c := command("demo", "create a small repository and go through the whole workflow in it", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			if err := refuseInside(); err != nil {
				return err
			}
			if folder == "" {
				return a.demoCopy(ctx)
			}
			return a.demoRun(ctx, folder)
		})
	c.Flags().StringVar(&folder, "folder", "", "an empty folder that holds a copy of this program")
	if err := c.Flags().MarkHidden("folder"); err != nil {
		panic(err) // the flag is defined one line above
	}
	return c
}

// demoCopy puts a copy of this program beside the repository to be, since the one of `go run` is
// gone afterwards, and goes on as that.
func (a *app) demoCopy(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "delegate-demo-")
	if err != nil {
		return fmt.Errorf("make demonstration folder: %w", err)
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return fmt.Errorf("make demonstration folder: %w", err)
	}
	program := filepath.Join(folder, "delegate")
	if err := copyProgram(run.Program(), program); err != nil {
		return err
	}
	err = run.Foreground(ctx, run.Command{Path: program, Args: []string{"demo", "--folder", folder}})
	return asCode(err)
}

// copyProgram makes a second name of the file where that is possible, which takes no room.
func copyProgram(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy program: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return fmt.Errorf("copy program: %w", err)
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func (e *exitError) Error() string { return fmt.Sprintf("exit status %d", e.code) }

// demonstration is one run of the demo.
type demonstration struct {
	app     *app
	folder  string
	repo    string
	program string
}

func (a *app) demoRun(ctx context.Context, folder string) error {
	d := &demonstration{app: a, folder: folder, repo: filepath.Join(folder, "greeter"),
		program: filepath.Join(folder, "delegate")}
	for _, step := range []func(context.Context) error{d.makeRepository, d.startAgents, d.seeConflict,
		d.mergeWithGit, d.land, d.complete} {
		if err := step(ctx); err != nil {
			return d.printPlaces(err)
		}
	}
	return d.printPlaces(nil)
}

func (d *demonstration) say(format string, args ...any) {
	d.app.printf("\n"+d.app.term.Bold("── "+format)+"\n", args...)
}

// call runs this program as a person would, printing what they would have typed.
func (d *demonstration) call(ctx context.Context, args ...string) error {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if strings.ContainsRune(arg, ' ') {
			words[i] = `"` + arg + `"`
		}
	}
	d.app.printf("$ delegate %s\n", strings.Join(words, " "))
	return asCode(run.Foreground(ctx, run.Command{Path: d.program, Args: args, Dir: d.repo}))
}

func (d *demonstration) makeRepository(ctx context.Context) error {
	d.say("A small repository: %s", d.repo)
	if err := d.writeFiles(); err != nil {
		return fmt.Errorf("write demonstration: %w", err)
	}
	id, err := git.Init(ctx, d.repo, git.Person{Name: "Demo Person", Email: "demo@example.com"}, "Greetings and cards")
	if err != nil {
		return err
	}
	d.app.printf("committed as %.12s: greet/, card/, .delegate.yaml, plan.md\n", id)
	// An edit of the person's own, in a file that no agent touches: it stays as it is all the way.
	return os.WriteFile(filepath.Join(d.repo, "NOTES.md"), []byte("# Notes\n\nMy own uncommitted line.\n"), 0o644)
}

// writeFiles copies what is in demo, with this run's folder for the word FOLDER, and for VERIFY the build of the
// repository where Go is installed.
func (d *demonstration) writeFiles() error {
	verify := ""
	if _, err := run.Which("go", "", os.Getenv("PATH")); err == nil {
		verify = "go build ./..."
	}
	words := strings.NewReplacer("FOLDER", d.folder, "VERIFY", verify)
	return fs.WalkDir(demoFiles, "demo", func(name string, entry fs.DirEntry, err error) error {
		path := filepath.Join(d.folder, filepath.FromSlash(strings.TrimPrefix(name, "demo")))
		if err != nil || entry.IsDir() {
			return errors.Join(err, os.MkdirAll(path, 0o755))
		}
		content, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(strings.TrimSuffix(path, ".txt"), []byte(words.Replace(string(content))), 0o644)
	})
}

func (d *demonstration) startAgents(ctx context.Context) error {
	d.say("The plan, and two agents in their own worktrees")
	p, err := project.Open(ctx, d.repo, d.app.env.options())
	if err != nil {
		return err
	}
	branch, base, err := p.Repo.Head(ctx)
	if err != nil {
		return err
	}
	pl := &draft{app: d.app, p: p, who: control.Control{P: p, Who: "Demo Person"},
		file: filepath.Join(d.repo, "plan.md"), branch: branch, base: base}
	if err := pl.load(ctx); err != nil {
		return err
	}
	if err := pl.checkBase(ctx); err != nil {
		return err
	}
	pl.print(ctx)
	d.app.printf("\n(Your own plan is only started after your yes; the demonstration starts its own.)\n")
	if err := pl.begin(ctx, "delegate demo"); err != nil {
		return err
	}
	return d.app.started(ctx, p)
}

// active is the demonstration's session as it is now.
func (d *demonstration) active(ctx context.Context) (*project.Project, registry.State, error) {
	p, err := project.Open(ctx, d.repo, d.app.env.options())
	if err != nil {
		return nil, registry.State{}, err
	}
	state, err := p.Active(ctx)
	return p, state, err
}

// seeConflict waits until the supervisor has found what the two agents do to each other.
func (d *demonstration) seeConflict(ctx context.Context) error {
	d.say("One renames a function, the other calls it by its old name, and that is found while they write")
	p, state, err := d.active(ctx)
	if err != nil {
		return err
	}
	for range 100 {
		if found, err := session.ReadConflicts(p, state.Session.ID); err != nil || len(found) > 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(300 * time.Millisecond):
		}
	}
	if err := d.call(ctx, "status"); err != nil {
		return err
	}
	d.app.printf("\n")
	var code *exitError
	if err := d.call(ctx, "conflicts"); !errors.As(err, &code) || code.code != exitBlocked {
		return err
	}
	// The second agent, which has waited for this, ends now.
	if err := os.WriteFile(filepath.Join(d.folder, "agents", "seen"), nil, 0o644); err != nil {
		return fmt.Errorf("continue demonstration: %w", err)
	}
	return d.call(ctx, "wait", "--timeout", "60s")
}

// mergeWithGit shows what git alone says of the two.
func (d *demonstration) mergeWithGit(ctx context.Context) error {
	d.say("git merges the two cleanly, into something that does not build")
	p, state, err := d.active(ctx)
	if err != nil || len(state.Agents) < 2 {
		return err
	}
	one, other := state.Agents[0].Head, state.Agents[1].Head
	merged, err := p.Repo.Merge(ctx, one, other)
	if err != nil {
		return err
	}
	d.app.printf("$ git merge-tree %.12s %.12s\n%.12s   (no conflicts: %v)\n", one, other, merged.Tree, merged.Clean)
	return nil
}

func (d *demonstration) land(ctx context.Context) error {
	d.say("Nothing moves on main without your yes: merge the first, send the other back with sequential")
	if err := d.call(ctx, "sync"); err != nil {
		return err
	}
	d.say("The second agent has the new main in its branch and adapts")
	if err := d.call(ctx, "wait", "--timeout", "60s"); err != nil {
		return err
	}
	return d.call(ctx, "sync")
}

func (d *demonstration) complete(ctx context.Context) error {
	_, state, err := d.active(ctx)
	if err != nil {
		return err
	}
	for _, ag := range state.Agents {
		if ag.Status != registry.Merged && ag.Status != registry.Aborted {
			d.say("%s is %s: the session stays open", ag.Name, ag.Status.Word())
			return nil
		}
	}
	d.say("Every agent has ended; the session is closed")
	return d.call(ctx, "sync", "complete")
}

// printPlaces says where everything is, also when a person was needed and none was there.
func (d *demonstration) printPlaces(err error) error {
	a := d.app
	var code *exitError
	if errors.As(err, &code) && code.code == exitPerson {
		d.say("A person is needed here")
		a.printf("Only a person at a terminal can say yes. Type:\n  cd %s\n  %s sync\n  %s sync complete\n", d.repo,
			d.program, d.program)
	}
	d.say("Yours to look at")
	a.printf("repository  %s\nprogram     %s\nregistry    %s\n", d.repo, d.program,
		filepath.Join(d.repo, filepath.FromSlash(project.RegistryPath)))
	a.printf("history     git -C %s log --graph --oneline\n", d.repo)
	return err
}
