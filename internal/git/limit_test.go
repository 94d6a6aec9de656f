//go:build linux || darwin

package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"delegate/internal/sys/run"
)

// hang puts a git into the PATH that never answers.
func hang(t *testing.T) *Repo {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\nexec sleep 300\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return &Repo{GitDir: dir, CommonDir: dir, Worktree: dir}
}

// TestEveryGitHasALimit holds that each way of running git has one, and which command it was that took longer.
func TestEveryGitHasALimit(t *testing.T) {
	r := hang(t)
	for name, c := range map[string]struct {
		call call
		want time.Duration
	}{
		"reads":  {call{args: []string{"status"}, reads: true}, readLimit},
		"writes": {call{args: []string{"write-tree"}}, workLimit},
	} {
		if got := r.command(c.call).Limit; got != c.want {
			t.Errorf("git that %s may take %s, want %s", name, got, c.want)
		}
	}
	const limit = 50 * time.Millisecond
	_, err := r.do(t.Context(), call{args: []string{"diff-tree", "-r"}, limit: limit, reads: true})
	wantLate(t, err, "git diff-tree: no answer after 50ms")
	err = r.stream(t.Context(), call{args: []string{"rev-list"}, limit: limit}, func(a *answer) { a.next() })
	wantLate(t, err, "git rev-list: no answer after 50ms")
	blobs := r.OpenBlobs(t.Context())
	blobs.limit = limit
	for range 2 {
		_, err = blobs.read("HEAD", 10)
		wantLate(t, err, "git cat-file: no answer after 50ms")
	}
	if err := blobs.Close(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if _, err := r.do(ctx, call{args: []string{"status"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the caller's own limit", err)
	}
}

func wantLate(t *testing.T, err error, want string) {
	t.Helper()
	var late *run.TimeoutError
	if !errors.As(err, &late) || late.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
