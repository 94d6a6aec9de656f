package land_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/land"
	"delegate/internal/sys/long"
	"delegate/registry"
)

// Whatever the index says, a landing that is finished after a power cut has written its files:
// those that are torn or missing are written again,
// those that a person changed since are left and named.
func TestTornFiles(t *testing.T) {
	t.Parallel()
	text := work()["src/a.txt"]
	for name, test := range map[string]struct {
		torn files
		left []string
	}{
		"empty": {files{"src/a.txt": "", "src/new/n.txt": "", "src/f/x": "", "src/d": "", "src/run.sh": ""},
			nil},
		"half":         {files{"src/a.txt": text[:1000], "src/d": "now a"}, nil},
		"zeros":        {files{"src/a.txt": text[:1000] + strings.Repeat("\x00", 3500)}, nil},
		"missing":      {files{"src/a.txt": "-", "src/new/n.txt": "-", "src/p": "-"}, nil},
		"all the same": {files{}, nil},
		"a person's":   {files{"src/a.txt": text + "mine\n", "src/new/n.txt": ""}, []string{"src/a.txt"}},
		"as before":    {files{"src/a.txt": base()["src/a.txt"]}, []string{"src/a.txt"}},
	} {
		for _, step := range []string{"landing:index", "landing:record"} {
			t.Run(name+" after "+step, func(t *testing.T) {
				t.Parallel()
				long.Except(t, name, "half", "a person's")
				r := begin(t, base())
				r.works("AGT-001", work())
				r.mess(r.dir)
				before, src := r.everything(r.dir), r.src(r.dir)
				ok := r.approve(r.build("AGT-001"))
				r.cut(step, func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
				r.put(r.dir, test.torn)
				if step == "landing:index" && test.left == nil {
					_, err := land.Undo(r.ctx, r.b)
					r.ok(err)
					r.clean(r.dir)
					r.same("the person's work after undo", r.everything(r.dir), before)
					r.same("src after undo", r.src(r.dir), src)
					ok := r.approve(r.build("AGT-001"))
					r.cut(step, func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
					r.put(r.dir, test.torn)
				}
				done, err := land.Continue(r.ctx, r.b)
				r.ok(err)
				if !slices.Equal(done.Left, test.left) {
					t.Errorf("left: %q, want %q", done.Left, test.left)
				}
				for _, path := range test.left {
					r.same(path, r.read(path), test.torn[path])
					r.put(r.dir, files{path: work()[path]})
				}
				r.clean(r.dir)
				r.same("the person's work", r.everything(r.dir), before)
			})
		}
	}
}

// What a power cut took of the repository itself is named, by continue and by undo.
func TestUnreadableAfterPowerCut(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(r *rig, commit string) string{
		"commit": func(r *rig, commit string) string {
			r.ok(os.Chmod(filepath.Join(r.dir, ".git", "objects", commit[:2], commit[2:]), 0o644))
			r.ok(os.Truncate(filepath.Join(r.dir, ".git", "objects", commit[:2], commit[2:]), 0))
			return commit
		},
		"branch": func(r *rig, _ string) string {
			r.ok(os.Truncate(filepath.Join(r.dir, ".git", "refs", "heads", "main"), 0))
			return "refs/heads/main"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, base())
			r.works("AGT-001", work())
			ok, tip := r.approve(r.build("AGT-001")), r.main()
			r.cut("landing:move", func() error { _, err := land.Land(r.ctx, r.b, ok); return err })
			lost := lose(r, r.main())
			_, err := land.Continue(r.ctx, r.b)
			if err == nil || !strings.Contains(err.Error(), lost) {
				t.Errorf("continue does not name %s: %v", lost, err)
			}
			if _, err = land.Undo(r.ctx, r.b); err == nil || !strings.Contains(err.Error(), lost) {
				t.Errorf("undo does not name %s: %v", lost, err)
			}
			if gone := (*land.TargetLostError)(nil); errors.As(err, &gone) != (name == "branch") {
				t.Errorf("undo: %v", err)
			}
			if name == "branch" {
				r.ok(os.Remove(filepath.Join(r.dir, ".git", "refs", "heads", "main")))
			}
			r.gitIn(r.dir, "update-ref", "refs/heads/main", tip)
			if _, err = land.Undo(r.ctx, r.b); err != nil {
				t.Errorf("undo with the branch back: %v", err)
			}
			r.clean(r.dir)
			r.status("AGT-001", registry.Complete)
		})
	}
}
