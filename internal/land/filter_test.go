package land_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/land"
	"delegate/internal/land/checkout"
	"delegate/internal/land/journal"
	"delegate/registry"
)

// filtered is a session whose files *.big go through a filter that is required. down has it fail on files that hold
// the pattern, as a program that does without the network, or does not.
func filtered(t *testing.T) (r *rig, down func(pattern string)) {
	t.Helper()
	all := base()
	all[".gitattributes"] = "*.big filter=store\n"
	all["src/a.big"], all["src/b.big"] = "old a\n", "old b\n"
	r = begin(t, all)
	program := filepath.Join(r.dir, ".git", "store")
	r.put(r.dir, files{".git/store": `text=$(cat)
if test -e "$0.down" && printf '%s' "$text" | grep -qf "$0.down"; then
	echo "no network for $1" >&2
	exit 1
fi
printf '%s\n' "$text"
`})
	r.git("config", "filter.store.clean", "cat")
	r.git("config", "filter.store.smudge", "sh '"+program+"' %f")
	r.git("config", "filter.store.required", "true")
	changed := work()
	changed["src/a.big"], changed["src/b.big"] = "new a\n", "new b\n"
	r.works("AGT-001", changed)
	return r, func(pattern string) {
		if pattern == "" {
			r.put(r.dir, files{".git/store.down": "-"})
			return
		}
		r.put(r.dir, files{".git/store.down": pattern + "\n"})
	}
}

// What a filter could not write is found before the target moves, and it lands when the filter works again.
func TestRefusedWhereAFilterFails(t *testing.T) {
	t.Parallel()
	r, down := filtered(t)
	r.mess(r.dir)
	before, src, tip := r.everything(r.dir), r.src(r.dir), r.main()
	moved := false
	r.step = func(name string) { moved = moved || name == "landing:move" }
	down("new b")
	_, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001")))
	as[*git.FilterError](t, err)
	if !errors.Is(err, land.ErrRefused) || moved {
		t.Errorf("moved %t, error %v", moved, err)
	}
	for _, want := range []string{"src/b.big", "store", "no network for src/b.big"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %q: %v", want, err)
		}
	}
	r.same("the person's work", r.everything(r.dir), before)
	r.same("src", r.src(r.dir), src)
	if r.main() != tip || journal.Unfinished(r.p) {
		t.Error("something was changed")
	}
	r.status("AGT-001", registry.Complete)
	down("")
	r.land("AGT-001")
	r.clean(r.dir)
	r.same("b.big", r.read("src/b.big"), "new b\n")
}

// A filter that fails only after that leaves nothing half done: the files are as they were.
func TestFilterFailsInTheMiddle(t *testing.T) {
	t.Parallel()
	r, down := filtered(t)
	r.mess(r.dir)
	before, src, tip := r.everything(r.dir), r.src(r.dir), r.main()
	r.step = func(name string) {
		if name == "landing:move" {
			down("new b")
		}
	}
	_, err := land.Land(r.ctx, r.b, r.approve(r.build("AGT-001")))
	if !errors.Is(err, land.ErrRefused) || !strings.Contains(err.Error(), "no network for src/b.big") {
		t.Errorf("land: %v", err)
	}
	r.same("the person's work", r.everything(r.dir), before)
	r.same("src", r.src(r.dir), src)
	if r.main() != tip {
		t.Errorf("main is at %s", r.main())
	}
	r.clean(r.dir)
	r.status("AGT-001", registry.Complete)
}

// Files of before that the filter does not write either are named, and all others are back.
func TestFilterFailsAtTheWayBack(t *testing.T) {
	t.Parallel()
	r, down := filtered(t)
	src, tip := r.src(r.dir), r.main()
	ok := r.approve(r.build("AGT-001"))
	r.half(files{"src/a.txt": work()["src/a.txt"][:1000], "src/old.txt": "-", "src/a.big": "-", "src/b.big": "-"})
	down("new b\nold a")
	if _, err := land.Continue(r.ctx, r.b); err == nil {
		t.Error("finished although the filter fails")
	}
	_, err := land.Undo(r.ctx, r.b)
	unwritten := as[*checkout.UnwrittenError](t, err)
	if got := strings.Join(unwritten.Paths, " "); got != "src/a.big" {
		t.Errorf("not written: %q", got)
	}
	if journal.Unfinished(r.p) || r.main() != tip {
		t.Errorf("half done, main at %s", r.main())
	}
	if got := r.git("status", "--porcelain", "--", "src"); got != " D src/a.big" {
		t.Errorf("status of src: %q", got)
	}
	down("")
	r.git("restore", "--", "src/a.big")
	r.same("src", r.src(r.dir), src)
	r.clean(r.dir)
	r.status("AGT-001", registry.Complete)
	_, err = land.Land(r.ctx, r.b, ok)
	r.ok(err)
	r.clean(r.dir)
}

// A filter that git needs to look at files that nobody changes, and that is missing, is found before the target moves.
func TestRefusedWhereAFilterIsMissing(t *testing.T) {
	t.Parallel()
	all := base()
	all["src/.gitattributes"], all["src/old.big"] = "*.big filter=store\n", "old\n"
	r := begin(t, all)
	r.works("AGT-001", files{"src/new.txt": "new\n"})
	r.git("config", "filter.store.clean", "no-such-program")
	r.git("config", "filter.store.required", "true")
	ok := r.approve(r.build("AGT-001"))
	r.put(r.dir, files{"src/old.big": "-"})
	r.put(r.dir, files{"src/old.big": "old\n"}) // by its times git has to look again
	before, tip := r.src(r.dir), r.main()
	moved := false
	r.step = func(name string) { moved = moved || name == "landing:move" }
	_, err := land.Land(r.ctx, r.b, ok)
	if !errors.Is(err, land.ErrRefused) || moved || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("moved %t, error %v", moved, err)
	}
	r.same("src", r.src(r.dir), before)
	if r.main() != tip || journal.Unfinished(r.p) {
		t.Error("something was changed")
	}
	r.git("config", "--unset", "filter.store.required")
	_, err = land.Land(r.ctx, r.b, ok)
	r.ok(err)
}
