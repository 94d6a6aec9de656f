package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"delegate/internal/project"
	"delegate/internal/record/audit"
	"delegate/internal/text/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

type faultView struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

type decisionsView struct {
	Path    string `json:"path"`
	Entries int    `json:"entries"`
	Last    string `json:"last"` // the SHA-256 of the last entry, "" where there is none
}

type checkView struct {
	Path   string      `json:"path"`
	Faults []faultView `json:"faults"`
	// Disagreements are what the registry says and git, a signature or the decision log does not bear out; without
	// --git git is not asked, and it is null where nothing is wrong with the others.
	Disagreements []audit.Disagreement `json:"disagreements"`
	// Decisions is the decision log, null where the registry has faults.
	Decisions *decisionsView `json:"decisions"`

	conflict bool // git left its markers
}

// registryCheckCommand lists every fault of the registry at once, and with --git every disagreement
// with the repository.
func (a *app) registryCheckCommand() *cobra.Command {
	deep := false
	c := a.jsonFlag(command("check", "list all faults of the registry at once", cobra.NoArgs,
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
			if len(v.Faults) == 0 {
				if err := a.checkFacts(ctx, p, &v, deep); err != nil {
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
	c.Long = "Lists every fault of the registry file at once (exit code 6), each signed approval whose signature\n" +
		"is missing or invalid, each decision that differs from the private decision log, and a file that\n" +
		"differs from the last one written (exit code 3).\n" +
		"With --git the record is also checked against the repository: each MERGED agent is in its branch,\n" +
		"each recorded head and its contents can be read, branches and worktrees exist, nothing is half done,\n" +
		"and no work is kept that no registry names. For each difference it prints how to fix it (exit code\n" +
		"3). It changes nothing."
	c.Flags().BoolVar(&deep, "git", false, "check the whole record against git")
	return c
}

// checkFacts holds the record against signatures and the decision log, and against git where that was asked for.
func (a *app) checkFacts(ctx context.Context, p *project.Project, v *checkView, deep bool) error {
	state, err := p.Store.View(ctx)
	if err != nil {
		return err
	}
	a.state = state
	if !state.Stashed {
		for _, notice := range state.Notices {
			v.Disagreements = append(v.Disagreements, audit.Disagreement{Kind: audit.FileDiffers, Text: notice,
				Next: []string{"delegate registry restore"}})
		}
	}
	if deep {
		found, err := audit.CheckRecord(ctx, p, state)
		if err != nil {
			return err
		}
		v.Disagreements = append(append([]audit.Disagreement{}, v.Disagreements...), found...)
	}
	unsigned, err := audit.CheckSigned(ctx, p, state)
	if err != nil {
		return err
	}
	log, differ, err := audit.CheckDecisions(ctx, p)
	v.Disagreements = append(append(v.Disagreements, unsigned...), differ...)
	v.Decisions = &decisionsView{log.Path, log.Entries, log.Last}
	return err
}

func (a *app) printCheck(v checkView, missing bool) error {
	if a.json {
		return a.printJSON(v)
	}
	switch {
	case len(v.Disagreements) > 0 && v.Disagreements[0].Kind == audit.FileDiffers:
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
		a.printf("Fix it in an editor, or see what the last version that was written would bring back: delegate " +
			"registry restore\n")
	}
	if v.Disagreements != nil && len(v.Disagreements) == 0 {
		a.printf("Git has everything that it names.\n")
	}
	// the differences from the log are the last
	at := slices.IndexFunc(v.Disagreements, func(d audit.Disagreement) bool { return d.Kind == audit.DecisionDiffers })
	if at < 0 {
		at = len(v.Disagreements)
	}
	a.printDisagreements(v.Disagreements[:at])
	for i, d := range v.Disagreements[at:] {
		if i == 0 {
			a.printf("\nThe registry and the decision log differ:\n")
		}
		a.printPoint(a.term.Red(a.named(d.Text)), d.Next...)
	}
	if v.Decisions != nil && v.Decisions.Entries > 0 {
		a.printf("The decision log has %s; the last one is sha256:%s\n", ui.Plural(v.Decisions.Entries, "line"),
			v.Decisions.Last)
	}
	return nil
}
