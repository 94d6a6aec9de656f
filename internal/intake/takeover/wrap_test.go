package takeover_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const limit = 20 * time.Second

// wrapGit puts a git before the real one that first does what the shell lines say, in which $sub is
// the subcommand, until it is disarmed.
func wrapGit(t testing.TB, lines string) (disarm func()) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir, before := t.TempDir(), os.Getenv("PATH")
	script := fmt.Sprintf(`#!/bin/sh
sub=
skip=
for word; do
	if test -n "$skip"; then skip=; continue; fi
	case $word in -c) skip=1;; -*) ;; *) sub=$word; break;; esac
done
%s
exec '%s' "$@"
`, lines, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+before)
	return func() { t.Setenv("PATH", before) }
}
