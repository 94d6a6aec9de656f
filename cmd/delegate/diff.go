package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"delegate/change"
	"delegate/internal/git/objects"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/view/overview"

	"github.com/spf13/cobra"
)

// diffCommand is `delegate diff AGT`: what the agent changed since its fork point, committed or not.
func (a *app) diffCommand() *cobra.Command {
	stat := false
	c := a.jsonFlag(command("diff [AGENT]", "show what an agent changed, as a patch", cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error {
			p, files, err := a.changesOf(ctx, args)
			switch {
			case err != nil:
				return err
			case a.json:
				return a.printJSON(map[string][]fileView{"files": viewFiles(files)})
			case stat:
				a.printFiles(files)
				return nil
			}
			return a.printDiff(ctx, p, files)
		}))
	c.Flags().BoolVar(&stat, "stat", false, "only the files and their line counts")
	return a.ofSession(c)
}

type fileView struct {
	Path       string `json:"path"`
	OldPath    string `json:"old_path"` // of a rename
	Action     string `json:"action"`
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"`
	Binary     bool   `json:"binary"`
}

func viewFiles(files []change.File) []fileView {
	v := []fileView{}
	for _, f := range files {
		v = append(v, fileView{f.Path, f.OldPath, string(f.Kind), f.Insertions, f.Deletions, f.Binary})
	}
	return v
}

// changesOf looks up an agent's changes, and says what could not be read of them. One that was never started has none.
func (a *app) changesOf(ctx context.Context, args []string) (*project.Project, []change.File, error) {
	p, state, ag, err := a.oneAgentOf(ctx, "diff", args)
	if err != nil {
		return nil, nil, err
	}
	changed, err := overview.Changed(ctx, p, state, ag)
	if changed.Incomplete != "" {
		a.note("%s", text(changed.Incomplete))
	}
	return p, changed.Files, err
}

// printFiles lists changed files: what happened to each, how many lines came and went, and where it is.
func (a *app) printFiles(files []change.File) {
	var rows [][]string
	width := a.term.Width()
	for _, f := range files {
		row := []string{"", string(f.Kind), counts(f), bar(a.term.Style, f), name(f) + modeNote(f)}
		if width > 0 && width < narrow { // no room for bars
			row = slices.Delete(row, 3, 4)
		}
		rows = append(rows, row)
	}
	ui.CutLast(rows, width)
	ui.Table(a.out, nil, rows, 0)
	if added, removed := lines(files); len(files) > 1 {
		a.printf("  %s, +%d −%d\n", ui.Plural(len(files), "file"), added, removed)
	}
}

func lines(files []change.File) (added, removed int) {
	for _, f := range files {
		added, removed = added+f.Insertions, removed+f.Deletions
	}
	return added, removed
}

// name is the file's path, with where it came from.
func name(f change.File) string {
	if f.OldPath != "" {
		return pathText(f.OldPath) + " → " + pathText(f.Path)
	}
	return pathText(f.Path)
}

// pathText is a path for people: in quotes, with its letters as escapes, where one of them cannot be seen.
func pathText(path string) string {
	seen := utf8.ValidString(path) && path == strings.TrimSpace(path) && !strings.Contains(path, "  ") &&
		!strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) })
	if seen {
		return path
	}
	return strconv.Quote(path)
}

func pathTexts(paths []string) []string {
	shown := make([]string, len(paths))
	for i, path := range paths {
		shown[i] = pathText(path)
	}
	return shown
}

func counts(f change.File) string {
	if f.Binary {
		return "binary"
	}
	return fmt.Sprintf("+%d −%d", f.Insertions, f.Deletions)
}

// modeNote says what a change of the mode means to a person.
func modeNote(f change.File) string {
	switch {
	case f.NewMode == change.ModeExecutable && f.OldMode != change.ModeExecutable:
		return " (executable)"
	case f.OldMode == change.ModeExecutable && f.NewMode == change.ModeFile:
		return " (no longer executable)"
	case f.NewMode == change.ModeSymlink:
		return " (link)"
	case f.NewMode == change.ModeSubmodule:
		return " (submodule)"
	}
	return ""
}

// barWidth is how many signs a bar has at most.
const barWidth = 10

// bar draws how much of a file came and went: a sign for each line where there is room, else their shares.
func bar(style ui.Style, f change.File) string {
	plus, minus := f.Insertions, f.Deletions
	if all := plus + minus; all > barWidth {
		share := (plus*barWidth + all/2) / all
		if plus > 0 {
			share = max(share, 1)
		}
		if minus > 0 {
			share = min(share, barWidth-1)
		}
		plus, minus = share, barWidth-share
	}
	return style.Green(strings.Repeat("+", plus)) + style.Red(strings.Repeat("−", minus))
}

// narrow is below how many columns a terminal has no room for what only decorates.
const narrow = 80

// printDiff writes the files' patches, at a terminal through the person's pager.
// At a terminal with colours each file has a heading, and the words that differ in a line are
// marked; everywhere else it is a patch that git applies.
func (a *app) printDiff(ctx context.Context, p *project.Project, files []change.File) error {
	patch, err := a.patchOf(ctx, p, files)
	if err != nil {
		return err
	}
	return a.page(ctx, p.Repo, patch)
}

// patchOf is the files' patches, as printDiff writes them.
func (a *app) patchOf(ctx context.Context, p *project.Project, files []change.File) ([]byte, error) {
	objects := objects.New(p.Repo)
	defer objects.Close()
	options := change.DiffOptions{}
	switch {
	case a.term.Color():
		options.Color = change.Colored
	case a.term.Interactive():
		options.Color = change.Visible
	}
	var patch bytes.Buffer
	for i, f := range files {
		if options.Color == change.Colored {
			fmt.Fprintf(&patch, "%s\n", a.heading(f, i+1, len(files)))
		}
		old, err := overview.Side(ctx, objects, f.OldMode, f.OldID)
		if err != nil {
			return nil, err
		}
		now, err := overview.Side(ctx, objects, f.NewMode, f.NewID)
		if err != nil {
			return nil, err
		}
		if err := change.Diff(&patch, f, old, now, options); err != nil {
			return nil, err
		}
	}
	return patch.Bytes(), nil
}

// heading is the line over a file's patch.
func (a *app) heading(f change.File, n, of int) string {
	style, before := a.term.Style, ""
	if n > 1 {
		before = "\n"
	}
	line := fmt.Sprintf("━━ %d/%d  %s  %s", n, of, f.Kind, name(f)+modeNote(f))
	return before + style.Bold(line) + "  " + counts(f) + "  " + bar(style, f)
}
