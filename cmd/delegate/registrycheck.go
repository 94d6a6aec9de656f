package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
}

// registryCheck lists every fault of the registry at once.
func (a *app) registryCheck() *cobra.Command {
	return a.jsonFlag(command("check", "list every fault of the registry at once", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		p, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		path := filepath.Join(p.Main, filepath.FromSlash(project.RegistryPath))
		data, err := os.ReadFile(path)
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return fmt.Errorf("check registry: %w", err)
		}
		v := checkView{Path: path, Faults: []faultView{}}
		if !missing {
			for _, f := range registry.Check(data) {
				v.Faults = append(v.Faults, faultView{f.Line, f.Reason})
			}
		}
		if err := a.printCheck(v, missing); err != nil {
			return err
		}
		if len(v.Faults) > 0 {
			return errUnreadable
		}
		return nil
	}))
}

// errUnreadable ends a check whose output has named the faults.
var errUnreadable = errors.New("the registry has faults")

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
	return nil
}
