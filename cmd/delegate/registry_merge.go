package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/project"
	"delegate/internal/record"
	"delegate/internal/sys/atomicfile"

	"github.com/spf13/cobra"
)

// registryMergeCommand is `delegate registry merge`, and with three files git's merge driver for the registry.
func (a *app) registryMergeCommand() *cobra.Command {
	c := command("merge", "join the records of two branches after a merge conflict",
		func(cmd *cobra.Command, args []string) error {
			if len(args) == 3 {
				return nil
			}
			return cobra.NoArgs(cmd, args)
		},
		func(ctx context.Context, args []string) error {
			if len(args) == 3 {
				return record.MergeFiles(args[0], args[1], args[2])
			}
			if err := refuseInside(); err != nil {
				return err
			}
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			return a.mergeRecord(ctx, p)
		})
	c.Long = "Takes the three versions of the registry from git's index and joins them: all sessions that ended, the " +
		"one that is active, what people wrote,\n" +
		"and the statistics added up. As a merge driver (delegate init sets it) it is given the three files " +
		"by git and nobody types it:\n" +
		"git config merge.delegate.driver 'delegate registry merge %O %A %B'"
	return c
}

// mergeRecord resolves the conflicts of the record's files, and says what is left to type.
func (a *app) mergeRecord(ctx context.Context, p *project.Project) error {
	var done []string
	for _, path := range append([]string{project.RegistryPath}, project.AppendedFiles()...) {
		file := p.Tracked(path)
		base, ours, theirs, found, err := file.Stages(ctx)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		versions := record.Conflict{Base: base, Ours: ours, Theirs: theirs}
		if path == project.RegistryPath {
			aside, err := p.Store.Resolve(ctx, versions)
			if err != nil {
				return err
			}
			a.printf("Joined %s. What was there is in %s.\n", path, aside)
		} else if err := joinAdditions(filepath.Join(p.Main, filepath.FromSlash(path)), versions); err != nil {
			return err
		} else {
			a.printf("Joined %s.\n", path)
		}
		done = append(done, path)
	}
	if len(done) == 0 {
		a.printf("Git has no conflict in the record; there is nothing to join.\n")
		return nil
	}
	a.printf("Next: git add %s, and finish your merge.\n", strings.Join(done, " "))
	return nil
}

func joinAdditions(path string, versions record.Conflict) error {
	additions, ok := versions.Additions()
	if !ok {
		return fmt.Errorf("join %q: one branch changed what the other has above its own entries; fix it by hand", path)
	}
	now, err := os.ReadFile(path)
	if err != nil {
		return errors.Join(errors.New("join the entries of two branches"), err)
	}
	return atomicfile.Replacer{}.Replace(path, now, additions)
}
