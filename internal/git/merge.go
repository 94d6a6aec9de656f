package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"delegate/internal/run"
)

// Stage is one side of a conflicted file: 1 base, 2 ours, 3 theirs.
type Stage struct {
	Mode   uint32
	ID     string
	Number int
	Path   string
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
// ErrNoMergeBase (wrapped) if the two share no history.
func (r *Repo) Merge(ctx context.Context, ours, theirs string) (Merged, error) {
	disarmed, err := r.disarmDrivers(ctx)
	if err != nil {
		return Merged{}, err
	}
	args := []string{"-c", "merge.renames=true", "-c", "merge.directoryRenames=conflict", "-c", "merge.renameLimit=7000",
		"merge-tree", "--write-tree", "-z", "--messages", ours, theirs}
	out, err := r.do(ctx, call{args: args, env: disarmed})
	switch code := run.ExitCode(err); {
	case code == 0 || code == 1:
		return parseMerged(out, code == 0)
	case code > 1:
		if _, baseErr := r.MergeBase(ctx, ours, theirs); baseErr != nil {
			return Merged{}, baseErr
		}
	}
	return Merged{}, fmt.Errorf("merge %.12s and %.12s: %w", ours, theirs, err)
}

// disarmDrivers replaces the command of every configured merge driver by one that reports a conflict.
// It answers with environment entries: unlike the option -c they carry a driver's name that holds an equals sign.
func (r *Repo) disarmDrivers(ctx context.Context) ([]string, error) {
	out, err := r.read(ctx, "config", "-z", "--name-only", "--get-regexp", `^merge\..*\.driver$`)
	if err != nil && run.ExitCode(err) != 1 {
		return nil, fmt.Errorf("list merge drivers: %w", err)
	}
	names := fields(out)
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(names))}
	for i, name := range names {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, name), fmt.Sprintf("GIT_CONFIG_VALUE_%d=false", i))
	}
	return env, nil
}

// parseMerged reads `TREE NUL (mode id stage TAB path NUL)* NUL (count NUL path… NUL type NUL text NUL)*`.
func parseMerged(out []byte, clean bool) (Merged, error) {
	all := strings.Split(string(out), "\x00")
	m := Merged{Tree: all[0], Clean: clean}
	i := 1
	for ; i < len(all) && all[i] != ""; i++ {
		meta, path, found := strings.Cut(all[i], "\t")
		parts := strings.Fields(meta)
		if !found || len(parts) != 3 {
			return Merged{}, fmt.Errorf("git merge-tree record %q", all[i])
		}
		mode, modeErr := strconv.ParseUint(parts[0], 8, 32)
		stage, stageErr := strconv.Atoi(parts[2])
		if modeErr != nil || stageErr != nil {
			return Merged{}, fmt.Errorf("git merge-tree record %q", all[i])
		}
		m.Stages = append(m.Stages, Stage{Mode: uint32(mode), ID: parts[1], Number: stage, Path: path})
	}
	for i++; i < len(all) && all[i] != ""; {
		count, err := strconv.Atoi(all[i])
		if err != nil {
			break // advice in free words, which git puts behind the records when submodules conflict
		}
		if i+count+2 >= len(all) {
			return Merged{}, fmt.Errorf("git merge-tree message %q", all[i])
		}
		paths := all[i+1 : i+1+count]
		m.Messages = append(m.Messages, Message{Paths: paths, Type: all[i+1+count], Text: strings.TrimSpace(all[i+2+count])})
		i += count + 3
	}
	return m, nil
}
