// Package survey reads what a repository says about a split of work, at one commit:
// which files there are and which of them are tests, what they define and which of them need which,
// and what history changes together.
//
// It reads git's objects and never the checkout, so that no filter runs, and it reads within
// bounds; what it leaves out is named.
package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"delegate/conflict"
	"delegate/conflict/code"
	"delegate/conflict/source"
	"delegate/internal/git"
	"delegate/internal/plan"
	"delegate/internal/suite"
)

// The bounds of a survey.
const (
	mostFiles    = 5000     // source files that are read
	mostBytes    = 24 << 20 // of all of them; a byte that is not Go's counts slowdown times
	slowdown     = 3
	largestFile  = 512 << 10 // bytes of one; larger ones are made by programs
	mostCommits  = 1000      // of history, the newest
	mostTogether = 30        // files of one commit; one that changes more says nothing about any two of them
	mostPairs    = 20_000    // pairs that are kept
	leastSeen    = 2         // commits before a pair is one
)

// Request says what to read.
type Request struct {
	// Base is the commit.
	Base string
	// Within says of which files the code and the history are wanted; nil is for all.
	Within func(path string) bool
}

// Read surveys the repository. What the configuration says is left for the caller to fill in.
// What cannot be read of the code or the history makes a gap; the error is about the list of files.
func Read(ctx context.Context, repo *git.Repo, r Request) (plan.Facts, error) {
	entries, err := repo.Entries(ctx, r.Base)
	if err != nil {
		return plan.Facts{}, err
	}
	var f plan.Facts
	for _, e := range entries {
		f.Files = append(f.Files, e.Path)
		if suite.IsTest(e.Path) {
			f.Tests = append(f.Tests, e.Path)
		}
	}
	if r.Within == nil {
		r.Within = func(string) bool { return true }
	}
	if err := readCode(ctx, repo, r.Base, &f, wanted(entries, r.Within)); err != nil {
		f.Gaps = append(f.Gaps, fmt.Sprintf("the code was not read to its end: %v", err))
	}
	if err := readHistory(ctx, repo, &f, r); err != nil {
		f.Gaps = append(f.Gaps, fmt.Sprintf("the history was not read: %v", err))
	}
	return f, context.Cause(ctx)
}

// wanted are the source files to read, and every go.mod: those come first, tests last.
func wanted(entries []git.Entry, within func(string) bool) []git.Entry {
	rank := func(e git.Entry) int {
		switch {
		case path.Base(e.Path) == "go.mod":
			return 0
		case suite.IsTest(e.Path):
			return 2
		}
		return 1
	}
	var all []git.Entry
	for _, e := range entries {
		if e.Mode&0o170000 != 0o100000 || isOthersCode(e.Path) {
			continue
		}
		if _, how := source.LanguageOf(e.Path); path.Base(e.Path) == "go.mod" ||
			how == code.Readable && within(e.Path) {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b git.Entry) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// isOthersCode reports files that others wrote or programs made, which nobody is sent to change.
func isOthersCode(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		switch part {
		case "vendor", "node_modules", "third_party", "testdata", "dist", ".yarn":
			return true
		}
	}
	return strings.HasSuffix(name, ".min.js") || strings.HasSuffix(name, ".pb.go")
}

// contents gathers what the files say.
type contents struct {
	web     conflict.UseGraph
	modules map[string]string // the names of Go's modules by the folders of their go.mod
	read    int
	bytes   int
}

func readCode(ctx context.Context, repo *git.Repo, base string, f *plan.Facts, files []git.Entry) error {
	if len(files) == 0 {
		return nil
	}
	away, err := repo.MissingObjects(ctx, base) // reading one would fetch it
	if err != nil {
		return err
	}
	blobs := repo.OpenBlobs(ctx)
	defer blobs.Close()
	c, left, absent := contents{modules: map[string]string{}}, 0, 0
	for _, e := range files {
		if away[e.ID] {
			absent++
			continue
		}
		if c.read >= mostFiles || c.bytes >= mostBytes {
			left++
			continue
		}
		data, kind, err := blobs.Read(e.ID, largestFile)
		if errors.Is(err, git.ErrTooLarge) || errors.Is(err, git.ErrNoObject) || err == nil && kind != "blob" {
			left++
			continue
		}
		if err != nil {
			return err
		}
		c.add(f, e.Path, data)
	}
	if absent > 0 {
		f.Gaps = append(f.Gaps, fmt.Sprintf(
			"the code of %d of %d source files is not in this clone, and was not fetched", absent, len(files)))
	}
	if left > 0 {
		f.Gaps = append(f.Gaps, fmt.Sprintf("the code of %d of %d source files was not read, to be done in time", left,
			len(files)))
	}
	for _, l := range c.web.Links() {
		f.Links = append(f.Links, plan.Link(l))
	}
	slices.SortStableFunc(f.Symbols, func(a, b plan.Symbol) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return nil
}

func (c *contents) add(f *plan.Facts, name string, data []byte) {
	if path.Base(name) == "go.mod" {
		if m, err := source.ParseManifest("go.mod", data); err == nil {
			c.modules[path.Dir(name)] = m.Name
		}
		return
	}
	c.read, c.bytes = c.read+1, c.bytes+len(data)
	if path.Ext(name) != ".go" {
		c.bytes += (slowdown - 1) * len(data)
	}
	parsed, ok := source.Parse(name, data)
	if !ok {
		return
	}
	c.web.Add(name, parsed, c.importPath(path.Dir(name)))
	for _, d := range parsed.Definitions {
		if !d.Test && d.Kind != code.Local && d.Kind != code.Module && d.Kind != code.Field {
			f.Symbols = append(f.Symbols, plan.Symbol{Name: d.Key(), Path: name, Line: d.Line})
		}
	}
}

// importPath is what Go imports a folder by, "" if no go.mod says it.
func (c *contents) importPath(folder string) string {
	for dir := folder; ; dir = path.Dir(dir) {
		if module := c.modules[dir]; module != "" {
			return path.Join(module, strings.TrimPrefix(strings.TrimPrefix(folder, dir), "/"))
		}
		if dir == "." || dir == "/" {
			return ""
		}
	}
}
