package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"delegate/internal/audit"
	"delegate/internal/project"
	"delegate/registry"

	"github.com/spf13/cobra"
)

type faultView struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

type checkView struct {
	Path   string      `json:"path"`
	Faults []faultView `json:"faults"`
	// Disagreements are what the registry says and git does not bear out; null unless that was asked for.
	Disagreements []audit.Disagreement `json:"disagreements"`

	conflict bool // git left its markers
}

// registryCheckCommand lists every fault of the registry at once, and with --git every disagreement
// with the repository.
func (a *app) registryCheckCommand() *cobra.Command {
	deep := false
	c := a.jsonFlag(command("check", "list every fault of the registry at once", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			path := p.RegistryFile()
			data, err := os.ReadFile(path)
			missing := errors.Is(err, fs.ErrNotExist)
			if err != nil && !missing {
				return fmt.Errorf("check registry: %w", err)
			}
			v := checkView{Path: path, Faults: []faultView{}}
			if !missing {
				for _, f := range registry.Check(data) {
					v.Faults = append(v.Faults, faultView{f.Line, f.Reason})
					v.conflict = v.conflict || f.Conflict
				}
			}
			if deep && len(v.Faults) == 0 {
				if v.Disagreements, err = a.checkGit(ctx, p); err != nil {
					return err
				}
			}
			if err := a.printCheck(v, missing); err != nil {
				return err
			}
			switch {
			case len(v.Faults) > 0:
				return errUnreadable
			case len(v.Disagreements) > 0:
				return errBlocked
			}
			return nil
		}))
	c.Long = "Lists every fault of the registry's file at once (exit code 6). With --git the record is held against " +
		"the repository as well: each MERGED\n" +
		"is in its target, each recorded head and all that it holds can be read, branches and worktrees are there, " +
		"nothing is half done, and no work\n" +
		"is kept that no registry names. Where they disagree it says what to type for each (exit code 3). It changes " +
		"nothing."
	c.Flags().BoolVar(&deep, "git", false, "hold the record against git, all of it")
	return c
}

func (a *app) checkGit(ctx context.Context, p *project.Project) ([]audit.Disagreement, error) {
	state, err := p.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	a.state = state
	found, err := audit.CheckRecord(ctx, p, state)
	return append([]audit.Disagreement{}, found...), err
}

func (a *app) printCheck(v checkView, missing bool) error {
	if a.json {
		return a.printJSON(v)
	}
	switch {
	case missing:
		a.printf("There is no registry yet (%s).\n", v.Path)
	case len(v.Faults) == 0:
		a.printf("%s has no faults.\n", v.Path)
	}
	for _, f := range v.Faults {
		a.printf("%s:%d: %s\n", v.Path, f.Line, text(f.Reason))
	}
	switch {
	case v.conflict:
		a.printf("Join the two versions between which git could not decide: delegate registry merge\n")
	case len(v.Faults) > 0:
		a.printf("Mend it in an editor, or see what the last version that was written would bring back: delegate " +
			"registry restore\n")
	}
	if v.Disagreements != nil && len(v.Disagreements) == 0 {
		a.printf("Git has everything that it names.\n")
	}
	a.printDisagreements(v.Disagreements)
	return nil
}
