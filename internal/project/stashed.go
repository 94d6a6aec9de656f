package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/git"
	"delegate/internal/project/config"
	"delegate/internal/record"
	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// Files beside the registry are written where the stash that holds it does not find them in its way when it is popped:
// in the private folder. Each begins as the stash has it, which is kept beside it as its base; once no stash holds the
// registry any more, what was added comes back.
const (
	baseSuffix = ".base"
	backSuffix = ".back" // of one that comes back just now
)

func (p *Project) asideFile(names ...string) string {
	return filepath.Join(append([]string{p.Private, "stashed"}, names...)...)
}

// RecordFile is where a file beside the registry is, for those who read it.
func (p *Project) RecordFile(names ...string) string {
	if aside := p.asideFile(names...); exists(aside) {
		return aside
	}
	return filepath.Join(append([]string{p.RecordDir()}, names...)...)
}

// PlaceRecordFile makes sure that a file beside the registry can be written without being in the way of a stash. It is
// where RecordFile says then.
func (p *Project) PlaceRecordFile(ctx context.Context, names ...string) error {
	if p.Config.Record == config.RecordPrivate {
		return nil
	}
	stashed, err := p.Store.Stashed(ctx)
	aside := p.asideFile(names...)
	switch {
	case err != nil:
		return err
	case !stashed && !exists(p.asideFile()):
		return nil
	case !stashed: // under the lock, where nobody else brings it back
		_, err := p.Store.Update(ctx, func(*registry.Tx) error { return nil })
		return err
	case exists(aside):
		return nil
	}
	held, err := p.Tracked(p.RecordPath(names...)).InStashes(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(aside), 0o700); err != nil {
		return fmt.Errorf("keep %q out of a stash's way: %w", aside, err)
	}
	base := []byte{}
	if len(held) > 0 {
		base = held[0]
	}
	if err := atomicfile.WriteFile(aside+baseSuffix, base, 0o600); err != nil {
		return err
	}
	return atomicfile.WriteFile(aside, base, 0o600)
}

// bringBack puts files beside the registry back that were kept elsewhere while a stash held it.
func (p *Project) bringBack(ctx context.Context) error {
	root := p.asideFile()
	if !exists(root) {
		return nil
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, baseSuffix) {
			return err
		}
		name, claimed := strings.CutSuffix(path, backSuffix)
		if !claimed { // whoever writes it now makes it anew
			if err := os.Rename(path, path+backSuffix); err != nil {
				return fmt.Errorf("bring back %q: %w", path, err)
			}
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if err := p.bringBackOne(ctx, relative); err != nil {
			return err
		}
		for _, done := range []string{name + baseSuffix, name + backSuffix} {
			if err := os.Remove(done); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("bring back %q: %w", path, err)
			}
		}
		return nil
	})
}

// bringBackOne joins what was written elsewhere with what lies beside the registry now. Of an agent's own files the
// newer counts, in those of all sessions no line is lost.
func (p *Project) bringBackOne(ctx context.Context, name string) error {
	ours, err := os.ReadFile(p.asideFile(name) + backSuffix)
	if err != nil {
		return fmt.Errorf("bring back %q: %w", name, err)
	}
	base, err := os.ReadFile(p.asideFile(name) + baseSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("bring back %q: %w", name, err)
	}
	path := filepath.Join(p.RecordDir(), name)
	theirs, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("bring back %q: %w", name, err)
	}
	ofAll := filepath.Dir(name) == "."
	switch {
	case bytes.Equal(theirs, ours):
		return nil
	case ofAll && theirs != nil && !bytes.Equal(theirs, base):
		joined, ok := record.Conflict{Base: base, Ours: ours, Theirs: theirs}.Additions()
		if !ok {
			joined, _, err = p.Repo.MergeFile(ctx, git.FileMerge{Sides: [3][]byte{base, ours, theirs}, Union: true})
		}
		if ours = joined; err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("bring back %q: %w", name, err)
	}
	return atomicfile.Replacer{}.Replace(path, theirs, ours)
}
