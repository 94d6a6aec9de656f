package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/plan/setup"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"

	"github.com/spf13/cobra"
)

// initCommand is `delegate init`.
func (a *app) initCommand() *cobra.Command {
	onlyPrint, onlyTry, engine := false, false, ""
	c := command("init", "set up a repository: write its configuration, and commands for your agent programs",
		cobra.NoArgs, func(ctx context.Context, _ []string) error {
			if !onlyPrint {
				if err := refuseInside(); err != nil {
					return err
				}
			}
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			if onlyTry {
				return a.tryVerify(ctx, p)
			}
			name, known := setup.EngineNames()[engine]
			if engine != "" && !known {
				return &usageError{fmt.Errorf("%q is no kind of engine; those that there are: %s, %s", engine,
					config.Kubernetes, config.Slurm), "delegate init"}
			}
			found, err := setup.Survey(ctx, p)
			if err != nil {
				return err
			}
			found.Engine = engine
			if onlyPrint {
				if missing := missingText(ctx, found); missing != "" {
					a.note("%s", missing)
				}
				_, err = a.out.Write(found.Configuration())
				return err
			}
			if err := a.offer(ctx, p, found); err != nil || engine == "" {
				return err
			}
			a.afterEngine(engine, name)
			return nil
		})
	c.Long = "Examines the repository and the agent programs of this machine, and offers the files that fit, one\n" +
		"question each: " + config.FileName + " with your agent program, the commands that build and test, and the\n" +
		"ignored files that a worktree needs; /delegate and /sync for the agent programs that it finds; the\n" +
		"tools of delegate mcp for claude. Existing content is never changed.\n" +
		"With --engine it offers what agents' turns on a cluster need instead: the lines of the configuration\n" +
		"and, for kubernetes, a pod, a seccomp profile and a network policy in .delegate/."
	c.Flags().BoolVar(&onlyPrint, "print", false, "print the configuration that fits and write nothing")
	c.Flags().BoolVar(&onlyTry, "try", false,
		"run the verify commands of "+config.FileName+" on the last commit and write nothing")
	c.Flags().StringVar(&engine, "engine", "", "offer what turns on a cluster of this kind need: kubernetes or slurm")
	c.MarkFlagsMutuallyExclusive("print", "try")
	c.MarkFlagsMutuallyExclusive("engine", "try")
	if err := c.RegisterFlagCompletionFunc("engine", fixed(config.Kubernetes, config.Slurm)); err != nil {
		panic(err) // the flag is there and has none
	}
	return c
}

// offer writes what is wanted of what is missing.
func (a *app) offer(ctx context.Context, p *project.Project, found setup.Found) error {
	files, err := found.Files(ctx, p)
	if err != nil {
		return err
	}
	if p.Main != p.Repo.Worktree {
		a.printf("The files go into the main checkout, %s, whose configuration is used.\n", text(p.Main))
	}
	var missing []setup.File
	for _, f := range files {
		present, err := f.Present(p.Main)
		switch {
		case err != nil:
			a.printf("%s: left alone: %s\n", f.Path, text(ui.ErrorText(err)))
		case present == nil, isList(f) && !bytes.Contains(present, f.Content):
			f.Before = present
			missing = append(missing, f)
		default:
			a.kept(p, found, keptFile{f, present})
		}
	}
	if len(missing) == 0 {
		a.printf("Nothing to do.\n")
		return a.offerLinks(ctx)
	}
	if !a.term.Interactive() {
		for _, f := range missing {
			a.preview(f)
		}
		a.printf("\nNothing was written.")
		if missing[0].Path == config.FileName { // a shell would empty one that is there
			a.printf(" The configuration alone, without a question: delegate init --print > %s", config.FileName)
		}
		a.printf("\n")
		return fmt.Errorf("ask about %s: %w", ui.Plural(len(missing), "file"), a.term.Person())
	}
	written, goOn, err := a.askEach(ctx, p, missing)
	if len(written) > 0 {
		a.printf("\nWritten: %s.\n", strings.Join(written, ", "))
	}
	if err != nil {
		return err
	}
	if goOn {
		err = a.offerLinks(ctx)
	}
	if err != nil {
		return err
	}
	if found.Engine == "" {
		a.afterInit(ctx, p)
	}
	a.printTry(ctx, found, written)
	return nil
}

// isList reports whether a file of git's is one to which lines can be added.
func isList(f setup.File) bool { return f.Path == ".gitignore" || f.Path == setup.AttributesFile }

// printTry says how to try a configuration that was written.
func (a *app) printTry(ctx context.Context, found setup.Found, written []string) {
	if !slices.Contains(written, config.FileName) {
		return
	}
	var from []string
	for _, c := range found.Verify {
		from = append(from, c.Why)
	}
	guessed := "check them"
	if len(from) > 0 {
		guessed = "they were guessed from " + strings.Join(slices.Compact(from), ", ") + "; check them"
	}
	a.printf("      delegate init --try    runs the test commands once (%s)\n", text(guessed))
	if missing := missingText(ctx, found); missing != "" {
		a.linef(a.term.Yellow, "%s", missing)
	}
	a.printf("Commit %s to share it with your team.\n", config.FileName)
}

// missingText is which programs of the verify commands this machine lacks, "" for none.
func missingText(ctx context.Context, found setup.Found) string {
	missing := found.Missing(ctx, os.Getenv("PATH"))
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("Not on this machine: %s. Install it, or change verify in %s: until then no plan passes the "+
		"check of its base.", text(strings.Join(missing, "; ")), config.FileName)
}

// offerLinks asks whether git shall find this program, where its folder is one that programs are looked for in.
func (a *app) offerLinks(ctx context.Context) error {
	folder, names := setup.Links(run.Program(), os.Getenv("PATH"))
	if len(names) == 0 || !a.term.Interactive() {
		return nil
	}
	err := a.askYes(ctx, "Link "+strings.Join(names, " and ")+" to this program in "+folder+"?",
		"`git delegate` and `git sync` then work like `delegate` and `delegate sync`", "make no link")
	if errors.Is(err, errDeclined) {
		return nil
	}
	for _, name := range names {
		if err := errors.Join(err, os.Symlink(run.Program(), filepath.Join(folder, name))); err != nil {
			return err
		}
	}
	a.printf("Linked. The name `sync` alone is your system's; a link of that name in a folder of yours, early in PATH,"+
		" hides it: ln -s %s ~/bin/sync\n", run.Program())
	return nil
}

// askEach shows each file and asks, until the person has enough. What was written before an error stays.
func (a *app) askEach(ctx context.Context, p *project.Project, missing []setup.File) (written []string, goOn bool,
	err error) {
	folder, links := setup.Links(run.Program(), os.Getenv("PATH"))
	questions := len(missing) + min(1, len(links))
	if questions > 1 {
		a.printf("At most %s; each adds what it names, and nothing else:\n", ui.Plural(questions, "question"))
		for _, f := range missing {
			a.printf("  %s %s\n", f.Path, a.term.Dim("("+f.What+")"))
		}
		if len(links) > 0 {
			a.printf("  %s %s\n", strings.Join(links, ", "), a.term.Dim("(links to this program in "+folder+")"))
		}
	}
	shown, word := map[string]string{}, ""
	for _, f := range missing { // before the first question, whose answer can be all
		a.showNew(f, shown)
	}
	for i, f := range missing {
		if word != "all" {
			if word, err = a.term.Choose(ctx, "Write "+f.Path+"?", initAnswers(len(missing)-i-1), "no"); err != nil ||
				word == "stop" {
				return written, false, err
			}
		}
		if word == "no" {
			continue
		}
		if err := f.Write(p.Main); err != nil {
			return written, false, err
		}
		written = append(written, f.Path)
		if f.Path == setup.AttributesFile {
			key, value := project.MergeSetting()
			if err := p.Repo.SetConfig(ctx, key, value); err != nil {
				return written, false, err
			}
			a.printf("Set in this clone's git configuration: %s = %s\n", key, value)
		}
	}
	return written, true, nil
}

// showNew shows a file that would be written; one that says what another said, by its kind in shown, only by its name.
func (a *app) showNew(f setup.File, shown map[string]string) {
	like := shown[f.Like]
	if like == "" {
		a.preview(f)
	} else {
		a.printf("\n%s %s\n    the same as %s, in another program's form\n", a.term.Bold(f.Path),
			a.term.Dim("("+f.What+")"), like)
	}
	if f.Like != "" && like == "" {
		shown[f.Like] = f.Path
	}
}

// initAnswers are what can be said of a file that so many come after.
func initAnswers(after int) []ui.Answer {
	answers := []ui.Answer{{Word: "yes", Help: "write it"}, {Word: "no", Help: "leave it out"}}
	if after > 0 {
		answers = append(answers, ui.Answer{Word: "all", Help: "write it, and the files after it"},
			ui.Answer{Word: "stop", Help: "leave it out, and what comes after it"})
	}
	return answers
}

// tryVerify runs the commands that verify on the last commit: those that init found by their files
// alone need not pass here.
func (a *app) tryVerify(ctx context.Context, p *project.Project) error {
	_, base, err := p.Repo.Head(ctx)
	if err != nil {
		return err
	}
	outcome, err := p.Verify(ctx, base)
	if err := errors.Join(err, dropScratch(ctx, p)); err != nil {
		return err
	}
	switch outcome.Result {
	case project.Pass:
		a.linef(a.term.Green, "The verify commands pass (%s).", passedHow(outcome))
	case project.Fail:
		a.printf("%s\n", indent(ui.Clean(project.Tail(outcome.Output, 12))))
		failed := newBaseError(ctx, p, base, outcome)
		failed.tried = true
		return failed
	case project.NoCommands:
		a.printf("Nothing was tested: %s.\n", untested(outcome))
	}
	return nil
}

func (a *app) afterInit(ctx context.Context, p *project.Project) {
	a.printf("Next: delegate doctor\n")
	if _, _, err := p.Repo.Head(ctx); err != nil {
		a.printf("      %s\n", hint(err))
	}
	a.printf("      delegate \"describe the change you want\"\n")
}

// afterEngine says what an engine needs beside the files.
func (a *app) afterEngine(kind, name string) {
	steps := []string{"have delegate, git and the agent program on the nodes, and write login node and options into " +
		config.FileName}
	if kind == config.Kubernetes {
		steps = []string{"put your image, and a Secret with the agent program's login, into .delegate/pod.yaml",
			"on each node: .delegate/seccomp.json as /var/lib/kubelet/seccomp/profiles/delegate.json",
			"kubectl apply -f .delegate/networkpolicy.yaml"}
	}
	lead := "Next:"
	for _, step := range append(steps, "delegate doctor --engine "+name+" --try") {
		a.printf("%-5s %s\n", lead, step)
		lead = ""
	}
}

func (a *app) preview(f setup.File) {
	what := f.What
	if f.Before != nil {
		what = "these lines are added to it; " + what
	}
	a.printf("\n%s %s\n", a.term.Bold(f.Path), a.term.Dim("("+what+")"))
	a.indent(string(f.Content))
	if f.Path == setup.AttributesFile {
		key, value := project.MergeSetting()
		a.printf("  and in this clone's git configuration: %s = %s\n", key, value)
	}
}

func (a *app) indent(lines string) {
	for line := range strings.Lines(lines) {
		a.printf("    %s\n", strings.TrimRight(ui.Clean(line), "\n"))
	}
}

// keptFile is a file with what lies in its place.
type keptFile struct {
	setup.File
	present []byte
}

// kept says that a file stays, and what a person may want to add to it.
func (a *app) kept(p *project.Project, found setup.Found, f keptFile) {
	add := ""
	switch {
	case bytes.Equal(f.present, f.Content), isList(f.File):
		a.printf("%s: there already\n", f.Path)
		return
	case f.Path == config.FileName:
		add = found.Additions(p.Config)
	case f.Path == setup.ServerFile && !setup.HasServer(f.present):
		add = string(f.Content)
	case f.Path != setup.ServerFile:
		a.printf("%s: kept as it is; it differs from what this program writes\n", f.Path)
		return
	}
	if add == "" {
		a.printf("%s: kept as it is\n", f.Path)
		return
	}
	a.printf("%s: kept as it is; you may want to add:\n", f.Path)
	a.indent(add)
}
