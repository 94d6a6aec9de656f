package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"delegate/internal/intake/takeover"
)

// A worktree that is removed while it is looked at is one that is gone: what is known of its work counts.
func TestTakeHeadOfWhatVanishes(t *testing.T) {
	b := newBox(t, nil)
	p := b.project()
	a, w := b.agent(p, "src/**")
	w.Write(map[string]string{"src/a": "1"})
	snap, err := p.TakeHead(t.Context(), session, a, takeover.ForGood)
	if err != nil {
		t.Fatal(err)
	}
	a.Head = snap.Head
	w.Write(map[string]string{"src/a": "2"})
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	script := "#!/bin/sh\nrm -rf '" + a.Worktree + "'\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(folder, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	if again, err := p.TakeHead(t.Context(), session, a, takeover.ForGood); err != nil || again.Head != snap.Head {
		t.Errorf("head %+v, %v; want the known one", again, err)
	}
	if _, err := os.Stat(a.Worktree); err == nil {
		t.Error("the worktree is there")
	}
}
