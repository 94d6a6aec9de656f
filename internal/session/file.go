package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"delegate/internal/atomicfile"
)

// readFile reads what a private file holds; the zero value if there is none.
func readFile[T any](path string) (value T, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return value, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &value)
	}
	if err != nil {
		return value, fmt.Errorf("read %q: %w", path, err)
	}
	return value, nil
}

// writeFile replaces what a private file holds.
func writeFile(path string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return atomicfile.WriteFile(path, data, 0o600)
}

// lockFile keeps others from changing a private file: the supervisor and a person's commands do.
func lockFile(ctx context.Context, path string) (*atomicfile.Guard, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make private folder: %w", err)
	}
	return atomicfile.Lock(ctx, path+".lock")
}

// changeMap changes the map that a private file holds, under its lock. It writes nothing if nothing changed.
func changeMap[V comparable](ctx context.Context, path string, change func(map[string]V) error) error {
	lock, err := lockFile(ctx, path)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	before, err := readFile[map[string]V](path)
	if err != nil {
		return err
	}
	after := map[string]V{}
	maps.Copy(after, before)
	if err := change(after); err != nil || maps.Equal(before, after) {
		return err
	}
	return writeFile(path, after)
}
