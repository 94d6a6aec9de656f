package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"delegate/internal/sys/run"
)

// Pair is two commits to merge.
type Pair struct{ Ours, Theirs string }

// Outcome is the merge of one pair, or why it could not be made: ErrNoMergeBase (wrapped) if the two share no history,
// a *run.ExitError (wrapped) with git's words if an object is missing.
type Outcome struct {
	Merged
	Err error
}

// routine is the type of a message that says nothing but that git looked into a file.
const routine = "Auto-merging"

// MergeAll is Merge for many pairs of commits in one process, in their order, without messages of
// the type "Auto-merging". A pair that git gives up on costs a few processes more: git then ends,
// and goes on behind it with another. git 2.38, which knows no batch, takes a process for each
// pair.
func (r *Repo) MergeAll(ctx context.Context, pairs []Pair) ([]Outcome, error) {
	for _, p := range pairs {
		if !isWord(p.Ours) || !isWord(p.Theirs) {
			return nil, fmt.Errorf("merge %q and %q: %w", p.Ours, p.Theirs, ErrNoCommit)
		}
	}
	if len(pairs) == 0 {
		return nil, nil
	}
	env, err := r.mergeEnviron(ctx)
	if err != nil {
		return nil, err
	}
	all, knowsBatch := make([]Outcome, 0, len(pairs)), true
	for len(all) < len(pairs) {
		if knowsBatch {
			var exit *run.ExitError
			answered, err := r.mergeBatch(ctx, pairs[len(all):], env)
			if all = append(all, answered...); len(all) == len(pairs) {
				break
			}
			if !errors.As(err, &exit) {
				return nil, fmt.Errorf("merge %d pairs, %d done: %w", len(pairs), len(all), err)
			}
			knowsBatch = exit.Code != usageError
		}
		p := pairs[len(all)]
		merged, err := r.mergeOne(ctx, p, routine, env)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		all = append(all, Outcome{Merged: merged, Err: err})
	}
	return all, nil
}

// usageError is the status of a git that does not know an option.
const usageError = 129

// mergeBatch merges pairs until one of them ends git. It returns the answers until then and, if
// they are not all, how git ended.
func (r *Repo) mergeBatch(ctx context.Context, pairs []Pair, env []string) ([]Outcome, error) {
	var input strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&input, "%s %s\n", p.Ours, p.Theirs)
	}
	all := make([]Outcome, 0, len(pairs))
	c := call{args: mergeArgs("--stdin"), stdin: strings.NewReader(input.String()), env: env}
	err := r.stream(ctx, c, func(a *answer) {
		for range pairs {
			if merged := a.outcome(); a.err == nil {
				all = append(all, Outcome{Merged: merged})
			}
		}
	})
	return all, err
}

// outcome reads `0|1 NUL` and the merge that it is the status of.
func (a *answer) outcome() Merged {
	status := a.next()
	if status != "0" && status != "1" {
		a.odd("git merge-tree status", status)
	}
	m, ended := a.merged(routine)
	if m.Clean = status == "1"; !ended {
		a.err = cmp.Or(a.err, io.ErrUnexpectedEOF)
	}
	return m
}

// Message is what git says of one path or several: its stable type, such as `CONFLICT (contents)`, and a sentence.
type Message struct {
	Paths []string
	Type  string
	Text  string
}

// Merged is git's own three-way merge of two commits, made without a checkout.
// The tree of a conflicted merge holds files with conflict markers.
type Merged struct {
	Tree     string
	Clean    bool
	Stages   []Stage
	Messages []Message
}

// Merge merges theirs into ours and writes the tree's objects; no reference and no file of a checkout changes.
// Merge drivers of the configuration are not run: a file that names one conflicts, for a person to decide.
// Attributes count only if they are the repository's own, and no filter is run to even out line endings.
// ErrNoMergeBase (wrapped) if the two share no history.
func (r *Repo) Merge(ctx context.Context, ours, theirs string) (Merged, error) {
	env, err := r.mergeEnviron(ctx)
	if err != nil {
		return Merged{}, err
	}
	if m, found := findFact[Merged](r, "merge", ours, theirs); found && r.isMade(ctx, m.Tree) {
		return m, nil
	}
	m, err := r.mergeOne(ctx, Pair{Ours: ours, Theirs: theirs}, "", env)
	if err == nil {
		r.keepFact(m, "merge", ours, theirs)
	}
	return m, err
}

// mergeArgs is the merge of two commits, the same whatever the configuration says.
func mergeArgs(how ...string) []string {
	args := []string{"-c", "merge.renames=true", "-c", "merge.directoryRenames=conflict", "-c",
		"merge.renameLimit=" + renameLimit,
		"-c", "merge.renormalize=false", "-c", "core.attributesFile=" + os.DevNull, "merge-tree", "--write-tree", "-z",
		"--messages"}
	return append(args, how...)
}

// mergeEnviron replaces the command of every configured merge driver by one that reports a
// conflict, and shuts out the system's attributes.
func (r *Repo) mergeEnviron(ctx context.Context) ([]string, error) {
	env, err := r.disarm(ctx, `^merge\..*\.driver$`, "false")
	return append(env, "GIT_ATTR_NOSYSTEM=1"), err
}

// mergeOne merges one pair in a process of its own. Messages of the type leave are left out.
func (r *Repo) mergeOne(ctx context.Context, p Pair, leave string, env []string) (Merged, error) {
	out, err := r.do(ctx, call{args: mergeArgs("--end-of-options", p.Ours, p.Theirs), env: env})
	code := run.ExitCode(err)
	if code == 0 || code == 1 && len(out) > 0 { // without an answer 1 says that one of them is no commit
		a := &answer{Reader: bufio.NewReader(bytes.NewReader(out))}
		m, _ := a.merged(leave)
		m.Clean = code == 0
		return m, a.err
	}
	if code > 1 {
		if _, baseErr := r.MergeBase(ctx, p.Ours, p.Theirs); errors.Is(baseErr, ErrNoMergeBase) {
			return Merged{}, baseErr
		}
	}
	return Merged{}, fmt.Errorf("merge %.12s and %.12s: %w", p.Ours, p.Theirs, err)
}

// merged reads `TREE NUL (mode id stage TAB path NUL)* NUL (count NUL path… NUL type NUL text
// NUL)*` and the field that ends it in a batch, or says that it is not there. That is empty, or advice in free words if
// submodules conflict. Messages of the type leave are left out.
func (a *answer) merged(leave string) (m Merged, ended bool) {
	if m.Tree = a.next(); a.err == nil && !isFullID(m.Tree) {
		a.err = odd([]string{"merge-tree"}, m.Tree)
	}
	for record := a.next(); record != ""; record = a.next() {
		stage, ok := parseStage(record)
		if !ok {
			a.odd("git merge-tree stages: record", record)
		}
		m.Stages = append(m.Stages, stage)
	}
	for a.more() {
		count, err := strconv.Atoi(a.next())
		if err != nil {
			return m, true
		}
		if message := a.message(count); message.Type != leave {
			m.Messages = append(m.Messages, message)
		}
	}
	return m, false
}

// message reads what follows the number of its paths.
func (a *answer) message(count int) (m Message) {
	for i := 0; i < count && a.err == nil; i++ {
		m.Paths = append(m.Paths, a.next())
	}
	m.Type, m.Text = a.next(), strings.TrimSpace(a.next())
	return m
}

// FileMerge is three texts to merge by lines. A side that does not have the file is empty.
type FileMerge struct {
	Sides [3][]byte // base, ours, theirs
	// Marker is how many characters a conflict marker has; 0 means git's 7.
	Marker int
	// Union takes the lines of both sides where they conflict, ours first.
	Union bool
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
	if m.Union {
		args[2] = "--union"
	}
	if m.Marker > 0 {
		args = append(args, "--marker-size="+strconv.Itoa(m.Marker))
	}
	var files []string
	for i, side := range []string{"ours", "base", "theirs"} {
		path := filepath.Join(folder, side)
		if err := os.WriteFile(path, m.Sides[[]int{1, 0, 2}[i]], 0o600); err != nil {
			return nil, 0, fmt.Errorf("merge texts: %w", err)
		}
		files, args = append(files, path), append(args, "-L", cmp.Or(m.Names[i], side))
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

// Pager is the command line of the person's pager, by git's own rules: GIT_PAGER, core.pager, PAGER, less.
func (r *Repo) Pager(ctx context.Context) (string, error) {
	line, err := r.line(ctx, "var", "GIT_PAGER")
	return line, wrap(err, "ask git for the pager")
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
	Name   string    // of the file, without a folder: tools know languages by it
	Marked []byte    // with conflict markers, what the tool begins with
	Sides  [3][]byte // base, ours, theirs
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
	for number, side := range m.Sides {
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
	all, err := r.matching(ctx, `^mergetool\.`)
	if err != nil {
		return nil, err
	}
	settings := make([][2]string, len(all))
	for i, s := range all {
		settings[i] = [2]string{s.key, s.value}
		if s.bare {
			settings[i][1] = "true"
		}
	}
	return settingsEnviron(settings), nil
}
