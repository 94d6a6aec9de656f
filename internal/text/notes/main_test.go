package notes

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// clock is the time of most entries.
func clock() time.Time { return time.Date(2026, 1, 2, 16, 4, 5, 6, time.FixedZone("", 3600)) }

// paths are a file that is not there yet and its lock.
func paths(t testing.TB) (file, lock string) {
	t.Helper()
	folder := t.TempDir()
	return filepath.Join(folder, "logs", "NOTES.md"), filepath.Join(folder, "private", "notes.lock")
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
