package land_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/journal"
	"delegate/internal/land"
	"delegate/registry"
)

// filtered begins with a filter that has to work for *.big, and answers how to have it fail on new content.
func filtered(t *testing.T) (r *rig, fails func(bool)) {
	t.Helper()
	broken := filepath.Join(t.TempDir(), "broken")
	r = begin(t, files{".gitattributes": "*.big filter=store\n", "src/old.big": "old\n", "src/f": "1\n"})
	script := filepath.Join(t.TempDir(), "smudge")
	r.ok(os.WriteFile(script, []byte("#!/bin/sh\ncontent=$(cat)\n"+
		"case $content in new*) test ! -e "+broken+" || { echo no connection to the store >&2; exit 1; };; esac\n"+
		"echo \"$content\"\n"), 0o755))
	r.ok(appendTo(filepath.Join(r.dir, ".git", "config"),
		"[filter \"store\"]\n\trequired\n\tclean = cat\n\tsmudge = "+script+"\n"))
	return r, func(are bool) {
		if are {
			r.ok(os.WriteFile(broken, nil, 0o644))
			return
		}
		r.ok(os.Remove(broken))
	}
}

// A filter that has to work and fails is found before anything is moved.
func TestFilterFails(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]files{
		"src/old.big": {"src/f": "2\n", "src/old.big": "new\n"},
		"src/a.big":   {"src/f": "2\n", "src/a.big": "new\n"},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			r, fails := filtered(t)
			r.works("AGT-001", change)
			fails(true)
			before, tip := r.everything(r.dir), r.main()
			_, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001")))
			if !errors.Is(err, land.ErrRefused) || !strings.Contains(err.Error(), name) ||
				!strings.Contains(err.Error(), "no connection to the store") {
				t.Errorf("landed where a filter fails: %v", err)
			}
			r.same("the checkout", r.everything(r.dir), before)
			if r.main() != tip || journal.Unfinished(r.p) {
				t.Error("something of the landing is left")
			}
			r.status("AGT-001", registry.Complete)
			fails(false)
			r.land("AGT-001")
			r.same(name, r.read(name), "new\n")
			r.clean(r.dir)
		})
	}
}

// A filter that worked when it was tried, and fails when the files are written, leaves nothing behind either.
func TestFilterFailsInTheMiddle(t *testing.T) {
	t.Parallel()
	r, fails := filtered(t)
	r.works("AGT-001", files{"src/f": "2\n", "src/old.big": "new\n", "src/z.big": "new too\n"})
	before, tip := r.everything(r.dir), r.main()
	ok := r.approve(r.build("AGT-001"))
	r.step = func(name string) {
		if name == "landing:restored" {
			fails(true)
		}
	}
	_, err := land.Land(r.ctx, r.b, ok)
	if !errors.Is(err, land.ErrRefused) || !strings.Contains(err.Error(), "no connection to the store") {
		t.Errorf("landed where a filter fails: %v", err)
	}
	r.same("the checkout", r.everything(r.dir), before)
	if r.main() != tip || journal.Unfinished(r.p) {
		t.Error("something of the landing is left")
	}
	r.clean(r.dir)
	r.status("AGT-001", registry.Complete)
	r.step = nil
	fails(false)
	r.land("AGT-001")
	r.same("src/z.big", r.read("src/z.big"), "new too\n")
}
