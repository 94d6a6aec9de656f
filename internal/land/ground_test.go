package land_test

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/control"
	"delegate/internal/sys/long"
	"delegate/registry"
)

// What history alone would make git's merge get wrong: work that was taken back and mended, and
// work on top of what landed as other commits.
func TestModesGround(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"rebase", "merge", "squash"}[:long.Or(3, 1)] {
		t.Run("mended after a rollback, "+mode, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			r.configure("landing:\n  mode: " + mode + "\n")
			r.works("AGT-001", files{"src/new.txt": "first\n", "src/other.txt": "other\n"})
			r.land("AGT-001")
			r.rollBack("AGT-001")
			r.again("AGT-001", files{"src/new.txt": "second\n"})
			r.land("AGT-001")
			if got := r.read("src/new.txt") + r.read("src/other.txt"); got != "second\nother\n" {
				t.Errorf("landed %q", got)
			}
		})
		t.Run("on top of another, "+mode, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base(), nil, []int{1})
			r.configure("landing:\n  mode: " + mode + "\n")
			first := r.works("AGT-001", files{"src/new.txt": "one\ntwo\nthree\n"})
			second := r.spawn("AGT-002")
			r.gitIn(second.Worktree, "reset", "-q", "--hard", first.Head)
			r.update(func(tx *registry.Tx) error {
				return tx.Edit(second.ID, func(a *registry.Agent) { a.Base = first.Head })
			})
			r.put(second.Worktree, files{"src/new.txt": "one\nTWO\nthree\n"})
			r.complete(second.ID)
			r.commit(files{"README.md": "moved\n"})
			r.land("AGT-001")
			r.land("AGT-002")
			if got := r.read("src/new.txt"); got != "one\nTWO\nthree\n" {
				t.Errorf("landed %q", got)
			}
		})
		t.Run("adapted after a rollback, "+mode, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			r.configure("landing:\n  mode: " + mode + "\n")
			a := r.works("AGT-001", files{"src/new.txt": "first\n"})
			r.land("AGT-001")
			r.rollBack("AGT-001")
			r.commit(files{"README.md": "moved\n"})
			_, err := control.Control{P: r.p, Who: "Pat"}.Adapt(r.ctx, "AGT-001", "rework it")
			r.ok(err)
			if data, err := os.ReadFile(filepath.Join(a.Worktree, "src/new.txt")); err != nil ||
				string(data) != "first\n" {
				t.Fatalf("its own work is gone from its worktree: %q, %v", data, err)
			}
			r.put(a.Worktree, files{"src/new.txt": "reworked\n"})
			r.complete("AGT-001")
			c := r.build("AGT-001")
			if got := len(c.Changes); got != 1 {
				t.Errorf("%d files land: %+v", got, c.Changes)
			}
			r.land("AGT-001")
			if got := r.read("src/new.txt"); got != "reworked\n" {
				t.Errorf("landed %q", got)
			}
		})
	}
}
