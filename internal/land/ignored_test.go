package land_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/tidy/cleanup"
)

// TestIgnored holds that a person is told of ignored files that are lost with a worktree, and of no others.
func TestIgnored(t *testing.T) {
	t.Parallel()
	all := base()
	all[".gitignore"] = "bin/\nout/\n.env\n.env.local\n.env.own\n"
	r := begin(t, all)
	a := r.works("AGT-001", work())
	r.put(r.dir, files{".env": "KEY=1\n", ".env.local": "KEY=1\n"})
	r.put(a.Worktree, files{".env": "KEY=1\n", ".env.local": "KEY=2\n", ".env.own": "", "out/deep/file": ""})
	r.ok(os.MkdirAll(filepath.Join(a.Worktree, "bin", "empty"), 0o755))
	paths, err := cleanup.Ignored(r.ctx, r.p, a)
	r.ok(err)
	r.same("what is lost", strings.Join(paths, " "), ".env.local .env.own out/")
}
