package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"delegate/internal/run"
)

// FileMerge is three texts to merge by lines. A side that does not have the file is empty.
type FileMerge struct {
	Base, Ours, Theirs []byte
	// Marker is how many characters a conflict marker has; 0 means git's 7.
	Marker int
	// Names are what the markers call ours, base and theirs, in place of these words.
	Names [3]string
}

// MergeFile merges texts as git merges files, whatever attributes and drivers say. Where both sides
// changed the same lines the result shows all three between markers that name them; conflicts
// counts those places. Binary content is an error. Nothing is written to the repository.
func (r *Repo) MergeFile(ctx context.Context, m FileMerge) (merged []byte, conflicts int, err error) {
	folder, err := os.MkdirTemp("", "delegate-merge-")
	if err != nil {
		return nil, 0, fmt.Errorf("merge texts: %w", err)
	}
	defer os.RemoveAll(folder)
	args := []string{"merge-file", "--stdout", "--zdiff3", "-q"}
	if m.Marker > 0 {
		args = append(args, "--marker-size="+strconv.Itoa(m.Marker))
	}
	var files []string
	for i, side := range []struct {
		name string
		text []byte
	}{{"ours", m.Ours}, {"base", m.Base}, {"theirs", m.Theirs}} {
		path := filepath.Join(folder, side.name)
		if err := os.WriteFile(path, side.text, 0o600); err != nil {
			return nil, 0, fmt.Errorf("merge texts: %w", err)
		}
		files, args = append(files, path), append(args, "-L", cmp.Or(m.Names[i], side.name))
	}
	out, err := r.do(ctx, call{args: append(args, files...)})
	const most = 127 // places; git counts no further, and ends with 255 if it could not merge
	if code := run.ExitCode(err); code >= 0 && code <= most {
		return out, code, nil
	}
	return nil, 0, fmt.Errorf("merge texts: %w", err)
}

// ErrToolLeft says that the person's merge tool ended without a result.
var ErrToolLeft = errors.New("the merge tool ended without a result")

// Editor is the command line of the person's editor by git's own rules: GIT_EDITOR, core.editor,
// VISUAL, EDITOR, or git's default. It is for a shell. An error says that there is none, as on a
// terminal that can do nothing.
func (r *Repo) Editor(ctx context.Context) (string, error) {
	line, err := r.line(ctx, "var", "GIT_EDITOR")
	return line, wrap(err, "find the editor")
}

// Tool is the person's merge tool, merge.tool of the configuration; "" if none is named.
func (r *Repo) Tool(ctx context.Context) (string, error) {
	name, err := r.line(ctx, "config", "--get", "merge.tool")
	if run.ExitCode(err) == 1 {
		return "", nil
	}
	return name, wrap(err, "read merge.tool")
}

// ToolMerge is a clashing file for a merge tool.
type ToolMerge struct {
	Tool   string
	Name   string // of the file, without a folder: tools know languages by it
	Marked []byte // with conflict markers, what the tool begins with
	FileMerge
}

// RunTool has the person merge one file with their tool on this process's terminal, by git's own
// mergetool in a repository that exists only for that, and returns what the tool left. ErrToolLeft
// (wrapped) if the tool or the person gave up.
func (r *Repo) RunTool(ctx context.Context, m ToolMerge) ([]byte, error) {
	dir, err := os.MkdirTemp("", "delegate-mergetool-")
	if err != nil {
		return nil, fmt.Errorf("run merge tool %q: %w", m.Tool, err)
	}
	defer os.RemoveAll(dir)
	m.Name = "merge/" + m.Name // tools would take one that begins with "-" or "+" for an option
	own := &Repo{GitDir: filepath.Join(dir, ".git"), CommonDir: filepath.Join(dir, ".git"), Worktree: dir}
	if err := own.conflicted(ctx, m); err != nil {
		return nil, fmt.Errorf("run merge tool %q: %w", m.Tool, err)
	}
	settings, err := r.toolSettings(ctx)
	if err != nil {
		return nil, err
	}
	c := own.command(call{args: []string{"-c", "core.autocrlf=false", "-c", "core.attributesFile=" + os.DevNull,
		"mergetool", "--no-prompt", "--tool=" + m.Tool, "--", m.Name}, env: settings})
	c.Env = append(c.Env, "LC_ALL="+os.Getenv("LC_ALL")) // the tool speaks the person's language
	if err = run.Foreground(ctx, c); run.ExitCode(err) > 0 {
		err = ErrToolLeft
	}
	if err != nil {
		return nil, fmt.Errorf("run merge tool %q: %w", m.Tool, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, m.Name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("run merge tool %q: %w", m.Tool, ErrToolLeft)
	}
	return data, err
}

// conflicted makes this a repository in which the file is in the middle of a merge.
func (r *Repo) conflicted(ctx context.Context, m ToolMerge) error {
	if _, err := r.do(ctx, call{args: []string{"init", "--quiet"}}); err != nil {
		return err
	}
	var stages strings.Builder
	for number, side := range [][]byte{m.Base, m.Ours, m.Theirs} {
		id, err := r.WriteBlob(ctx, side)
		if err != nil {
			return err
		}
		fmt.Fprintf(&stages, "100644 %s %d\t%s\x00", id, number+1, m.Name)
	}
	_, err := r.do(ctx, call{args: []string{"update-index", "-z", "--index-info"},
		stdin: strings.NewReader(stages.String())})
	if err != nil {
		return err
	}
	file := filepath.Join(r.Worktree, m.Name)
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, m.Marked, 0o600)
}

// toolSettings hands the configuration of merge tools on to another repository.
func (r *Repo) toolSettings(ctx context.Context) ([]string, error) {
	all, err := r.configured(ctx, `^mergetool\.`)
	if err != nil {
		return nil, err
	}
	settings := make([][2]string, len(all))
	for i, entry := range all {
		key, value, valued := strings.Cut(entry, "\n")
		if !valued {
			value = "true"
		}
		settings[i] = [2]string{key, value}
	}
	return settingsEnviron(settings), nil
}
