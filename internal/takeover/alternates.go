package takeover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ReadThrough has the agent's objects name a place at which it finds those of the repository, while
// its own lie over them, and answers with that place, an empty folder of the quarantine. Object
// folders that the repository itself borrows from are named as well. What the agent makes of the
// list is its own affair: nobody else reads it.
func (q Quarantine) ReadThrough(objects string) (string, error) {
	through := filepath.Join(q.Folder, "repository")
	if err := os.MkdirAll(through, 0o700); err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	lines := []string{through}
	borrowed, err := os.ReadFile(filepath.Join(objects, "info", "alternates"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("share objects: %w", err)
	}
	for line := range strings.Lines(string(borrowed)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") && !filepath.IsAbs(line) {
			// an absolute one is found through the repository's own list
			lines = append(lines, filepath.Join(objects, line))
		}
	}
	root, err := os.OpenRoot(q.Objects())
	if err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	defer root.Close()
	if info, err := root.Lstat("info"); err == nil && !info.IsDir() {
		if err := root.Remove("info"); err != nil {
			return "", fmt.Errorf("share objects: %w", err)
		}
	}
	if err := root.MkdirAll("info", 0o700); err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	if err := root.RemoveAll("info/alternates"); err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	if err := root.WriteFile("info/alternates", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	return through, nil
}
