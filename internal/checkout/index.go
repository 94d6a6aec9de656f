package checkout

import (
	"context"
	"fmt"
	"io"
	"os"

	"delegate/internal/atomicfile"
)

// copyIndex makes the copy with the real index's time: by that time git knows which entries it must
// not trust the file times of. A newer copy would take an edit made in the second of the last `git
// add` for no edit, and overwrite it.
func (m *Move) copyIndex(ctx context.Context) error {
	m.place.Drop() // a killed git leaves its lock beside the copy
	real, err := os.Open(m.index)
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	defer real.Close()
	info, err := real.Stat()
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	data, err := io.ReadAll(real)
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	if err := os.WriteFile(m.copy, data, 0o600); err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	if err := os.Chtimes(m.copy, info.ModTime(), info.ModTime()); err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	return m.repo.RefreshIndex(ctx, m.copy)
}

// putIndex replaces the real index by the copy, in one rename, once the files that it speaks of are on the disk.
// Who may read it stays as it was.
func (m *Move) putIndex() error {
	if err := atomicfile.SyncAll(m.repo.Worktree, m.paths()...); err != nil {
		return err
	}
	info, err := os.Stat(m.index)
	if err != nil {
		return fmt.Errorf("put index in place: %w", err)
	}
	if err := os.Chmod(m.copy, info.Mode().Perm()); err != nil {
		return fmt.Errorf("put index in place: %w", err)
	}
	return atomicfile.Place(m.copy, m.index)
}
