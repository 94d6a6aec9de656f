package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/view/overview"
	"delegate/internal/view/report"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// pageOptions say which page is written, and where to.
type pageOptions struct {
	output string
	force  bool
}

// toOutput is the file name that stands for standard output.
const toOutput = "-"

// reportCommand is `delegate report [DEL-…]`: a session as one HTML file.
func (a *app) reportCommand() *cobra.Command {
	o := pageOptions{}
	c := a.jsonFlag(command("report [DEL-…]", "write a session as one HTML file, for reviews in a browser",
		cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
			if a.json && o.output == toOutput {
				return &usageError{fmt.Errorf("both the page and --json want standard output: name a file with -o"),
					"delegate report"}
			}
			if len(args) > 0 {
				a.of = args[0]
			}
			p, state, err := a.session(ctx)
			if err != nil {
				return err
			}
			// also the events that have moved to the archive
			if state, err = p.Store.History(ctx, state.Session.ID); err != nil {
				return err
			}
			return a.writePageOf(ctx, p, state, o)
		}))
	c.Long = "Writes one HTML file of a session, the active one or else the last that ended: plan, agents,\n" +
		"timeline, decisions and who made them, conflicts, tests, violations and diffs. It contains no\n" +
		"scripts, loads nothing and can be sent to others. It shows what the agents changed and printed, so\n" +
		"read it first. Nothing else is changed."
	c.Flags().StringVarP(&o.output, "output", "o", "",
		"the file to write (default: report-DEL-….html in .git/delegate; - is standard output)")
	c.Flags().BoolVar(&o.force, "force", false, "replace the file if it exists")
	return c
}

type pageView struct {
	Session string   `json:"session"`
	Path    string   `json:"path"`
	Bytes   int      `json:"bytes"`
	Gaps    []string `json:"gaps"` // what could not be read
}

func (a *app) writePageOf(ctx context.Context, p *project.Project, state registry.State, o pageOptions) error {
	named := o.output != ""
	if !named { // nothing that git sees
		o.output, o.force = filepath.Join(p.Private, "report-"+state.Session.ID+".html"), true
	}
	if _, err := os.Lstat(o.output); err == nil && !o.force && o.output != toOutput {
		return &fileThereError{o.output} // before the work, for a quick answer
	}
	data, err := overview.Page(ctx, p, state)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.Write(&page, data); err != nil {
		return err
	}
	if o.output == toOutput {
		_, err := a.out.Write(page.Bytes())
		return err
	}
	if err := o.save(page.Bytes()); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(pageView{state.Session.ID, o.output, page.Len(), append([]string{}, data.Gaps...)})
	}
	a.printf("%s: %d KiB, %s\n", o.output, (page.Len()+1023)/1024, state.Session.ID)
	for _, gap := range data.Gaps {
		a.printf("  missing: %s\n", text(gap))
	}
	return nil
}

// save writes the page whole or not at all. Without --force it never replaces a file, nor follows a link.
func (o pageOptions) save(page []byte) error {
	if o.force {
		return atomicfile.WriteFile(o.output, page, 0o644)
	}
	file, err := os.OpenFile(o.output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return &fileThereError{o.output}
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	_, err = file.Write(page)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write report: %w", errors.Join(err, os.Remove(o.output)))
	}
	return nil
}

// fileThereError refuses to write over a file.
type fileThereError struct{ path string }

func (e *fileThereError) Error() string {
	return fmt.Sprintf("write report: %q is there already; name another file with -o, or replace it with --force",
		e.path)
}
