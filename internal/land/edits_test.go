package land_test

import (
	"os"
	"path/filepath"
	"time"
)

// racyEdit changes a file so that size and times say it is the one in the index: only the index's
// own time makes git look into it.
func racyEdit(r *rig) {
	r.Helper()
	r.git("config", "core.trustctime", "false")
	r.git("config", "core.checkStat", "minimal")
	path, index := filepath.Join(r.dir, "src/old.txt"), filepath.Join(r.dir, ".git/index")
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	r.ok(os.Chtimes(path, at, at))
	r.git("update-index", "--refresh")
	r.ok(os.WriteFile(path, []byte("new\n"), 0o644))
	r.ok(os.Chtimes(path, at, at))
	r.ok(os.Chtimes(index, at, at))
	if got := r.git("--no-optional-locks", "status", "--porcelain", "src/old.txt"); got != " M src/old.txt" {
		r.Fatalf("git itself does not see the edit: %q", got)
	}
}

// hiddenEdit changes a file so that git sees no edit, by the settings.
func hiddenEdit(r *rig) {
	r.Helper()
	racyEdit(r)
	now := time.Now().Add(time.Minute)
	r.ok(os.Chtimes(filepath.Join(r.dir, ".git/index"), now, now))
	if got := r.git("--no-optional-locks", "status", "--porcelain", "src/old.txt"); got != "" {
		r.Fatalf("git itself sees the edit: %q", got)
	}
}
