package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/control/planner"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/text/shorten"
	"delegate/internal/turn/turnsetup"

	"github.com/spf13/cobra"
)

// defaultPlanFile is where `delegate plan` writes.
const defaultPlanFile = "delegate-plan.md"

// planCommand is `delegate plan`: a plan file of a task, and what it would mean. Nothing is started, whatever comes of
// it.
func (a *app) planCommand() *cobra.Command {
	o := startFlags{}
	c := command("plan [TASK]", "write a plan for a task (or for the active one of docs/01_progress.md) and show it; "+
		"starts nothing", cobra.ArbitraryArgs,
		func(ctx context.Context, args []string) error {
			d, err := a.newDraft(ctx, o)
			if err != nil {
				return err
			}
			return errors.Join(d.writePlan(ctx, args), d.dropScratch(ctx))
		})
	o.addTask(c, defaultPlanFile)
	o.addOnto(c)
	c.Flags().BoolVar(&o.noContext, "no-context", false, "accept subtasks without a Context field")
	c.Flags().BoolVar(&o.skipBase, "skip-base-check", false, "do not run the verify commands on the base")
	c.Flags().BoolVar(&o.unfenced, "unfenced", false,
		"let the planner run without a sandbox, with all your rights")
	return c
}

// task is the words of the command line, or else the active task of the progress file.
func (d *draft) task(words []string) (plan.Task, error) {
	if len(words) == 0 {
		return planner.OpenTask(d.p)
	}
	task := strings.TrimSpace(strings.Join(words, " "))
	if task == "" {
		return plan.Task{}, &planner.NoTaskError{Reason: "it is empty"}
	}
	return plan.Task{Title: titleOf(task), Text: task}, nil
}

// titleOf is the first line of a task, shortened at a word.
func titleOf(words string) string {
	line, _, _ := strings.Cut(words, "\n")
	return shorten.Words(project.OneLine(line), 72)
}

// planner is the profile that is asked, "" for none.
func (d *draft) planner() string {
	name := cmp.Or(d.flags.planner, d.p.Config.Planner)
	if name == "none" {
		return ""
	}
	return name
}

// taskToPlan is the task, for a planner that is there, or for none.
func (d *draft) taskToPlan(words []string) (plan.Task, error) {
	task, err := d.task(words)
	if err == nil && d.planner() != "" {
		_, err = planner.Find(d.p, d.planner())
	}
	return task, err
}

// writePlan is the work of `delegate plan`.
func (d *draft) writePlan(ctx context.Context, words []string) error {
	task, err := d.taskToPlan(words)
	if err != nil {
		return err
	}
	if err := d.checkFence(ctx); err != nil && !(isA[*turnsetup.UnfencedError](err) && d.planner() == "") {
		return err
	}
	if err := d.place(ctx, cmp.Or(d.flags.out, defaultPlanFile)); err != nil {
		return err
	}
	if err := d.make(ctx, task); err != nil {
		return err
	}
	err = d.load(ctx)
	if err == nil {
		err = d.checkBase(ctx)
		if errors.As(err, &d.broken) {
			err = nil // shown with the plan
		}
	}
	if err == nil {
		d.print(ctx)
	}
	d.printf("\nWritten to %s; nothing was started. Edit it as you like, then type: %s\n", text(d.file), d.startFrom())
	return err
}

// make writes the first form of the plan to its file: a planner's, or one that the repository suggests.
func (d *draft) make(ctx context.Context, task plan.Task) error {
	fmt.Fprintf(d.err, "Reading the repository at %.12s …\n", d.base)
	facts, err := planner.Facts(ctx, d.p, d.base)
	if err != nil {
		return err
	}
	if d.planner() == "" {
		return d.write(plan.Draft(task, facts, d.options).Format())
	}
	data, err := d.askPlanner(ctx, task, facts)
	if err != nil {
		return err
	}
	return d.write(data)
}

// write puts the plan where it was to go. What somebody saved there since stays, and the plan goes
// to a new file in the private folder.
func (d *draft) write(data []byte) error {
	err := atomicfile.Replacer{}.Replace(d.file, d.found, data)
	if isA[*atomicfile.ChangedError](err) {
		taken := d.file
		if d.file, err = newPlanFile(d.p); err != nil {
			return err
		}
		d.note("%s was written by somebody else meanwhile and is kept; the plan is written to %s",
			text(taken), text(d.file))
		err = atomicfile.Replacer{}.Replace(d.file, nil, data)
	}
	if err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	return nil
}

// takenError says that a file would have been replaced where nobody could be asked.
type takenError struct{ path string }

func (e *takenError) Error() string { return fmt.Sprintf("the file %q exists already", e.path) }

// place decides where the plan is going to be written: the file that the person named, after a
// question if it is there, or a new one in the private folder.
func (d *draft) place(ctx context.Context, out string) (err error) {
	if out == "" {
		d.file, err = newPlanFile(d.p)
		return err
	}
	if d.file, err = filepath.Abs(out); err != nil {
		return fmt.Errorf("find plan file %q: %w", out, err)
	}
	switch info, err := os.Stat(d.file); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at plan file %q: %w", out, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("write plan: %q is no file", out)
	case !d.term.Interactive():
		return &takenError{out}
	}
	if d.found, err = os.ReadFile(d.file); err != nil {
		return fmt.Errorf("look at plan file: %w", err)
	}
	if d.found == nil {
		d.found = []byte{} // empty, and there
	}
	return d.askYes(ctx, fmt.Sprintf("Replace %s?", text(out)), "overwrite it", "leave it as it is")
}

// newPlanFile names a new file in the private folder. None is ever taken away there: a person may have edited it.
func newPlanFile(p *project.Project) (string, error) {
	folder := filepath.Join(p.Private, "plans")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("keep plan: %w", err)
	}
	return filepath.Join(folder, "plan-"+p.Now().UTC().Format("20060102-150405.000")+".md"), nil
}

// startFrom is the command line that starts from the plan's file, or adds it to the session that is active.
func (d *draft) startFrom() string {
	if d.who.Session != "" {
		return "delegate add -f " + typed(d.file)
	}
	if d.flags.onto != "" {
		return "delegate --onto " + typed(d.flags.onto) + " -f " + typed(d.file)
	}
	return "delegate -f " + typed(d.file)
}

// typed is a path as a person types it: from the working folder where it lies in there, in quotes
// where a shell needs them.
func typed(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
	}
	path = text(path)
	if strings.ContainsAny(path, " '\"$&;()*?<>|`\\") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
