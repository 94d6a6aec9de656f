package git_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/sys/run"
)

// setups are repositories that git stores or reads in different ways, each with heads to merge.
func setups() map[string]func(testing.TB) (*box, []string) {
	copied := func(t testing.TB, how ...string) (*box, []string) {
		from, heads := quarrel(t)
		b := &box{gittest.In(t, filepath.Join(t.TempDir(), "copy"))}
		from.Git(slices.Concat([]string{"clone", "-q", "--no-single-branch"}, how,
			[]string{"file://" + from.Dir, b.Dir})...)
		return b, heads
	}
	return map[string]func(testing.TB) (*box, []string){
		"plain":      func(t testing.TB) (*box, []string) { return quarrel(t) },
		"sha256":     func(t testing.TB) (*box, []string) { return quarrel(t, "--object-format=sha256") },
		"submodules": submodules,
		"shallow":    func(t testing.TB) (*box, []string) { return copied(t, "--depth=2") },
		"alternates": func(t testing.TB) (*box, []string) {
			from, heads := quarrel(t)
			b := &box{gittest.In(t, filepath.Join(t.TempDir(), "copy"))}
			from.Git("clone", "-q", "--shared", from.Dir, b.Dir)
			return b, heads
		},
		"packed": func(t testing.TB) (*box, []string) {
			b, heads := quarrel(t)
			b.Git("gc", "-q")
			return b, heads
		},
		"worktree configuration": func(t testing.TB) (*box, []string) {
			b, heads := quarrel(t)
			b.Git("config", "extensions.worktreeConfig", "true")
			b.Git("config", "--worktree", "merge.renames", "false")
			return b, heads
		},
	}
}

func TestMergeAllIsMergeOfEach(t *testing.T) {
	for name, setup := range setups() {
		t.Run(name, func(t *testing.T) {
			b, heads := setup(t)
			r := b.open()
			all := pairs(heads)
			if name != "plain" && name != "submodules" { // the other setups differ in how objects are found
				all = all[:3*len(heads)]
			}
			held := b.mergeAll(b.quarantine(r), all)
			kinds := map[string]int{}
			for i, got := range b.mergeAll(r, all) {
				if !reflect.DeepEqual(got, held[i]) {
					t.Errorf("%v in quarantine:\n got %+v\nwant %+v", all[i], held[i], got)
				}
				if got.Err != nil {
					t.Errorf("%v: %v", all[i], got.Err)
				}
				if want := b.mergeAlone(r, all[i]); !reflect.DeepEqual(got.Merged, want) {
					t.Errorf("%v:\n got %+v\nwant %+v", all[i], got.Merged, want)
				}
				for _, m := range got.Messages {
					kinds[m.Type]++
				}
			}
			want := []string{"contents"}
			switch name {
			case "plain":
				want = []string{"contents", "modify/delete", "file/directory", "binary", "directory rename suggested"}
			case "submodules":
				want = []string{"submodule not initialized"}
			}
			for _, kind := range want {
				if kinds["CONFLICT ("+kind+")"] == 0 {
					t.Errorf("no conflict of the kind %q among %v", kind, kinds)
				}
			}
		})
	}
}

// mergeAlone is what MergeAll should say of the pair.
func (b *box) mergeAlone(r *git.Repo, p git.Pair) git.Merged {
	b.Helper()
	m, err := r.Merge(b.Context(), p.Ours, p.Theirs)
	if err != nil {
		b.Fatal(err)
	}
	m.Messages = slices.DeleteFunc(m.Messages, func(m git.Message) bool { return m.Type == "Auto-merging" })
	if len(m.Messages) == 0 {
		m.Messages = nil
	}
	return m
}

func TestMergeAllGoesOnBehindABadPair(t *testing.T) {
	b, heads := quarrel(t)
	b.Git("checkout", "-q", "--orphan", "alone")
	alone, missing := b.Commit("alone"), strings.Repeat("12", 20)
	good := git.Pair{Ours: heads[0], Theirs: heads[1]}
	bad := []git.Pair{{Ours: heads[0], Theirs: alone}, {Ours: missing, Theirs: heads[1]},
		{Ours: heads[1], Theirs: missing}, {Ours: heads[0] + "^{tree}", Theirs: heads[1]}}
	want := b.mergeAll(b.open(), []git.Pair{good})[0]
	for name, all := range map[string][]git.Pair{
		"first": append(slices.Clone(bad), good, good), "last": append([]git.Pair{good, good}, bad...),
		"between": {good, bad[0], good, bad[1], bad[2], good, bad[3], good}, "nothing": {}, "only": bad[:1],
	} {
		for i, got := range b.mergeAll(b.open(), all) {
			switch p := all[i]; {
			case p == good:
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: pair %d: %+v", name, i, got)
				}
			case p == bad[0]:
				wantErr(t, got.Err, git.ErrNoMergeBase)
			default:
				var exit *run.ExitError
				if !errors.As(got.Err, &exit) || exit.Name != "git merge-tree" || got.Tree != "" {
					t.Errorf("%s: pair %d: %+v", name, i, got)
				}
			}
		}
	}
}

func TestMergeAllRefusesWhatIsNoCommitName(t *testing.T) {
	b, heads := quarrel(t)
	for _, name := range []string{"", " ", "a b", heads[0] + "\n" + heads[1], "--help", "tab\t", "nul\x00"} {
		for _, p := range []git.Pair{{Ours: name, Theirs: heads[0]}, {Ours: heads[0], Theirs: name}} {
			_, err := b.open().MergeAll(t.Context(), []git.Pair{{Ours: heads[0], Theirs: heads[1]}, p})
			wantErr(t, err, git.ErrNoCommit)
		}
	}
}

// What a person has configured decides nothing, and no program of theirs is run.
func TestMergeAllIgnoresTheConfiguration(t *testing.T) {
	b, heads := quarrel(t)
	attributes := filepath.Join(t.TempDir(), "attributes")
	b.Write(map[string]string{".git/info/attributes": "bin filter=evil text=auto\n"})
	if err := os.WriteFile(attributes, []byte("* merge=union\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := pairs(heads)
	want := b.mergeAll(b.open(), all)
	ran := filepath.Join(t.TempDir(), "ran")
	for key, value := range map[string]string{
		"merge.renames": "false", "diff.renames": "false", "merge.directoryRenames": "true", "merge.renameLimit": "1",
		"diff.renameLimit":  "1",
		"merge.renormalize": "true", "filter.evil.clean": "touch " + ran, "filter.evil.smudge": "touch " + ran,
		"core.attributesFile": attributes,
		"diff.external":       "touch " + ran, "merge.verbosity": "5", "merge.ff": "only", "merge.stat": "true",
	} {
		b.Git("config", key, value)
	}
	for i, got := range b.mergeAll(b.open(), all) {
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%v:\n got %+v\nwant %+v", all[i], got, want[i])
		}
	}
	for _, driver := range []string{"evil", "a=b", "do.t"} {
		b.Git("config", "merge."+driver+".driver", "touch "+ran+"; exit 0")
		b.Git("config", "merge.default", driver)
		if got := b.mergeAll(b.open(), all[:1])[0]; got.Clean || got.Err != nil {
			t.Errorf("with the driver %q: %+v", driver, got)
		}
	}
	if _, err := os.Lstat(ran); err == nil {
		t.Error("a program of the configuration was run")
	}
}

// The drivers that git itself has are no programs: a file that asks for one gets it.
func TestMergeAllUsesBuiltInDrivers(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n", "g": "1\n", ".gitattributes": "f merge=union\n"})
	ours, theirs := b.fork(func() {
		b.Write(map[string]string{"f": "ours\n"})
	}, func() { b.Write(map[string]string{"f": "theirs\n"}) })
	got := b.mergeAll(b.open(), []git.Pair{{Ours: ours, Theirs: theirs}})[0]
	if got.Err != nil || !got.Clean || b.Git("cat-file", "blob", got.Tree+":f") != "ours\ntheirs" {
		t.Errorf("merge by union: %+v", got)
	}
}

func TestMergeAllWithOtherGits(t *testing.T) {
	b, heads := quarrel(t)
	all := pairs(heads)
	want := b.mergeAll(b.open(), all)
	for name, c := range map[string]struct {
		lines  string
		merges int
	}{
		"as it is":                   {"", 1},
		"one that knows no batch":    {`case "$*" in *--stdin) exit 129;; esac`, 1 + len(all)},
		"one that loses its answers": {`case "$*" in *merge-tree*--stdin) kill -9 $$;; esac`, 2 * len(all)},
	} {
		t.Run(name, func(t *testing.T) {
			noted := watchGit(t, c.lines)
			got := b.mergeAll(&git.Repo{GitDir: b.Dir + "/.git", CommonDir: b.Dir + "/.git", Worktree: b.Dir}, all)
			merges := 0
			for _, sub := range noted() {
				if sub == "merge-tree" {
					merges++
				}
			}
			if merges != c.merges {
				t.Errorf("%d processes merged, want %d", merges, c.merges)
			}
			for i := range got {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Errorf("%v:\n got %+v\nwant %+v", all[i], got[i], want[i])
				}
			}
		})
	}
}

// A git that ends well without an answer for all is not believed.
func TestBatchesOfAShortAnswer(t *testing.T) {
	b, heads := quarrel(t)
	r, trees := b.open(), b.trees(heads)
	watchGit(t, `case "$*" in *tree*--stdin) exit 0;; esac`)
	if got, err := r.MergeAll(t.Context(), pairs(heads)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("outcomes %+v, %v", got, err)
	}
	if got, err := r.ChangesAll(t.Context(), spans(trees)); !errors.Is(err, io.EOF) {
		t.Errorf("changes %+v, %v", got, err)
	}
}

func TestMergeAllEndsWithItsContext(t *testing.T) {
	b, heads := quarrel(t)
	r := b.open()
	for name, line := range map[string]string{"in the batch": `case "$*" in *--stdin) exec sleep 300;; esac`,
		"at a single pair": `case "$*" in *--stdin) exit 1;; *merge-tree*) exec sleep 300;; esac`} {
		t.Run(name, func(t *testing.T) {
			watchGit(t, line)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			got, err := r.MergeAll(ctx, pairs(heads)[:1])
			if wantErr(t, err, context.DeadlineExceeded); got != nil {
				t.Errorf("outcomes %+v", got)
			}
		})
	}
}

// BenchmarkMergeAll merges all 28 pairs of 8 branches over 1000 files, of which each branch changes a tenth.
func BenchmarkMergeAll(b *testing.B) {
	box, all := manyBranches(b)
	r := box.open()
	b.Run("batch", func(b *testing.B) {
		for b.Loop() {
			box.mergeAll(box.quarantine(r), all)
		}
	})
	b.Run("one process each", func(b *testing.B) {
		for b.Loop() {
			held := box.quarantine(r)
			for _, p := range all {
				if _, err := held.Merge(b.Context(), p.Ours, p.Theirs); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func manyBranches(tb testing.TB) (*box, []git.Pair) {
	files := map[string]string{}
	name := func(i int) string { return fmt.Sprintf("dir%02d/file%03d", i%40, i) }
	for i := range 1000 {
		files[name(i)] = strings.Repeat(fmt.Sprintf("line of %d\n", i), 60)
	}
	b := newBox(tb, files)
	b.Git("gc", "-q")
	var heads []string
	for n := range 8 {
		changed := map[string]string{}
		for i := n; i < 1000; i += 10 + n%2 {
			changed[name(i)] = strings.Repeat("\n", n) + files[name(i)] + fmt.Sprintf("by %d\n", n)
		}
		heads = append(heads, b.branch(fmt.Sprint("b", n), "main", changed))
	}
	var all []git.Pair
	for i, ours := range heads {
		for _, theirs := range heads[i+1:] {
			all = append(all, git.Pair{Ours: ours, Theirs: theirs})
		}
	}
	return b, all
}
