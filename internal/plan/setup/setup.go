// Package setup says what a repository needs to delegate work in it: the configuration that fits what lies there,
// and the files by which agent programs learn to call this program.
//
// It owns the decisions what of an ignored file a new worktree needs, which command installs what a lock file names,
// and in which words and at which paths each agent program takes its own commands.
// It looks and makes texts; only Write changes anything, one file at a time that is not there yet.
package setup

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/fence/sandbox"
	"delegate/internal/land/suite"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/program"
)

// mostEntries bounds how many files are counted: a size is for a decision, and half a million files decide it.
const mostEntries = 500_000

// Size is how much a file or folder takes, as far as it was counted.
type Size struct {
	Bytes int64 `json:"bytes"`
	Files int   `json:"files"`
	More  bool  `json:"more"` // there is more that was not counted
}

func (s Size) plus(o Size) Size { return Size{s.Bytes + o.Bytes, s.Files + o.Files, s.More || o.More} }

// String is for people: "212 MB, 31000 files".
func (s Size) String() string {
	text := Bytes(s.Bytes)
	if s.Files > 1 {
		text += fmt.Sprintf(", %d files", s.Files)
	}
	if s.More {
		text = "more than " + text
	}
	return text
}

// Bytes writes a number of bytes for people, in powers of a thousand.
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	value, unit := float64(n)/1000, 0
	units := []string{"kB", "MB", "GB", "TB", "PB", "EB"}
	for value >= 999.5 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %s", value, units[unit])
	}
	return fmt.Sprintf("%.0f %s", value, units[unit])
}

// Measure adds up the files at and below a path. It follows no link, and what cannot be read counts as More.
// The error is that ctx ended.
func Measure(ctx context.Context, path string) (Size, error) {
	var s Size
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			s.More = true
			return nil
		}
		if s.Files >= mostEntries {
			s.More = true
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			s.Bytes, s.Files = s.Bytes+info.Size(), s.Files+1
		}
		return nil
	})
	return s, err
}

// Survey looks at a repository's main checkout, whose configuration counts.
func Survey(ctx context.Context, p *project.Project) (Found, error) {
	main, err := p.Repo.OpenWorktree(p.Main)
	if err != nil {
		return Found{}, err
	}
	ignored, err := main.Ignored(ctx)
	if err != nil {
		return Found{}, err
	}
	included, err := p.Included(ctx)
	if err != nil {
		return Found{}, err
	}
	ignored = slices.DeleteFunc(ignored, func(entry string) bool { // what is copied anyway
		return slices.ContainsFunc(included, func(path string) bool {
			return path == entry || strings.HasSuffix(entry, "/") && strings.HasPrefix(path, entry)
		})
	})
	r := Request{Root: p.Main, Ignored: ignored, Own: insideMain(p), Holds: sandbox.Detect(ctx).Namespaces}
	for _, name := range program.Names() {
		profile, err := agent.Find(p.Config, name)
		if err != nil || len(profile.Command) == 0 {
			continue // the configuration takes it away
		}
		if _, err := run.Which(profile.Command[0], p.Main, os.Getenv("PATH")); err == nil {
			r.Programs = append(r.Programs, name)
		}
	}
	if len(r.Programs) > 0 {
		if profile, err := agent.Find(p.Config, r.Programs[0]); err == nil {
			r.Hosts = profile.Hosts()
		}
	}
	return look(ctx, r)
}

// insideMain is the folder of the worktrees from the root of the main checkout, "" where it lies elsewhere.
func insideMain(p *project.Project) string {
	relative, err := filepath.Rel(p.Main, p.WorktreeRoot())
	if err != nil || relative == "." || !filepath.IsLocal(relative) {
		return ""
	}
	return filepath.ToSlash(relative)
}

// AttributesFile is where git looks up which driver merges a file.
const AttributesFile = ".gitattributes"

// Files are all files that fit a repository, whether they are there or not; where an engine is asked for, those that it
// needs.
func (f Found) Files(ctx context.Context, p *project.Project) ([]File, error) {
	files := []File{{Path: config.FileName, Content: f.Configuration(),
		What: "how work on this repository is delegated"}}
	if f.Engine != "" {
		return append(files, engineFiles(f.Engine)...), nil
	}
	if own := insideMain(p); own != "" {
		main, err := p.Repo.OpenWorktree(p.Main)
		if err != nil {
			return nil, err
		}
		ignored, err := main.IgnoredFolders(ctx, []string{own})
		if err != nil {
			return nil, err
		}
		if len(ignored) == 0 {
			files = append(files, File{Path: ".gitignore", Content: []byte("/" + own + "/\n"),
				What: "keeps the agents' worktrees out of git status"})
		}
	}
	for _, name := range f.Programs {
		files = append(files, CommandFiles(name)...)
	}
	files = append(files, serverFiles(f.Programs)...)
	if p.Config.Record == config.RecordPrivate {
		return files, nil
	}
	return append(files, File{Path: AttributesFile, Content: []byte(project.MergeAttributes()),
		What: "has git join the records of two branches, by a merge driver in this clone's configuration"}), nil
}

// Request says where to look, and what others found out already.
type Request struct {
	Root     string   // the checkout that holds the configuration, absolute
	Ignored  []string // what git ignores in it, wholly ignored folders with a slash at their end
	Programs []string // profiles of the installed agent programs, the preferred one first
	Holds    bool     // this machine can keep files and hosts from agents
	Hosts    []string // that the preferred program needs; none where nobody knows them
	Own      string   // folder of the worktrees below Root, with slashes; "" where they lie elsewhere
}

// Found is what was seen of a repository and its machine.
type Found struct {
	Programs []string
	Verify   []suite.Command
	Copy     []Item // what a worktree needs and git does not have
	Spare    []Item // what would save it time alone
	Setup    []Step
	Holds    bool     // this machine can keep files and hosts from agents
	Hosts    []string // that the preferred program needs
	Engine   string   // the kind of an engine that is asked for, "" for none
}

// Item is an ignored file or folder, or a pattern for several of one name.
type Item struct {
	Path  string // from the root, with slashes; a glob if Count is more than one
	Count int    // how many files and folders it stands for
	Size  Size
}

// Step is a command that installs what a lock file names.
type Step struct {
	Line string
	Lock string // the lock file, from the root
}

// look finds out how the repository is tested, what its worktrees need, and what of that is not
// installed. It changes nothing. Errors say that the checkout could not be read, or that ctx ended.
func look(ctx context.Context, r Request) (Found, error) {
	tree := os.DirFS(r.Root)
	found := Found{Programs: r.Programs, Holds: r.Holds, Hosts: r.Hosts}
	var err error
	if found.Verify, err = suite.Detect(tree); err != nil {
		return Found{}, fmt.Errorf("look how %q is tested: %w", r.Root, err)
	}
	if found.Copy, found.Spare, err = items(ctx, r, tree); err != nil {
		return Found{}, fmt.Errorf("look what worktrees of %q need: %w", r.Root, err)
	}
	if found.Setup, err = steps(tree); err != nil {
		return Found{}, fmt.Errorf("look for lock files in %q: %w", r.Root, err)
	}
	return found, nil
}

// has says whether the tree has one of the names.
func has(tree fs.FS, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := fs.Stat(tree, name)
		return err == nil
	})
}
