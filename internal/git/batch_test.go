package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/run"
)

// setups are repositories that git stores or reads in different ways, each with heads to merge.
func setups() map[string]func(testing.TB) (*box, []string) {
	copied := func(t testing.TB, how ...string) (*box, []string) {
		from, heads := quarrel(t)
		b := &box{TB: t, dir: filepath.Join(t.TempDir(), "copy")}
		from.git(slices.Concat([]string{"clone", "-q", "--no-single-branch"}, how, []string{"file://" + from.dir, b.dir})...)
		return b, heads
	}
	return map[string]func(testing.TB) (*box, []string){
		"plain":      func(t testing.TB) (*box, []string) { return quarrel(t) },
		"sha256":     func(t testing.TB) (*box, []string) { return quarrel(t, "--object-format=sha256") },
		"submodules": submodules,
		"shallow":    func(t testing.TB) (*box, []string) { return copied(t, "--depth=2") },
		"alternates": func(t testing.TB) (*box, []string) {
			from, heads := quarrel(t)
			b := &box{TB: t, dir: filepath.Join(t.TempDir(), "copy")}
			from.git("clone", "-q", "--shared", from.dir, b.dir)
			return b, heads
		},
		"packed": func(t testing.TB) (*box, []string) {
			b, heads := quarrel(t)
			b.git("gc", "-q")
			return b, heads
		},
		"worktree configuration": func(t testing.TB) (*box, []string) {
			b, heads := quarrel(t)
			b.git("config", "extensions.worktreeConfig", "true")
			b.git("config", "--worktree", "merge.renames", "false")
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
			held := b.mergeAll(b.quarantine(r), all)
			kinds := map[string]int{}
			for i, got := range b.mergeAll(r, all) {
				if !reflect.DeepEqual(got, held[i]) {
					t.Errorf("%v in quarantine:\n got %+v\nwant %+v", all[i], held[i], got)
				}
				want, err := r.Merge(t.Context(), all[i].Ours, all[i].Theirs)
				if err != nil {
					t.Fatal(err)
				}
				want.Messages = slices.DeleteFunc(want.Messages, func(m git.Message) bool { return m.Type == "Auto-merging" })
				if len(want.Messages) == 0 {
					want.Messages = nil
				}
				if got.Err != nil || !reflect.DeepEqual(got.Merged, want) {
					t.Errorf("%v:\n got %+v, %v\nwant %+v", all[i], got.Merged, got.Err, want)
				}
				for _, m := range got.Messages {
					kinds[m.Type]++
				}
			}
			if name == "submodules" {
				if kinds["CONFLICT (submodule not initialized)"] != 6 {
					t.Errorf("messages %v", kinds)
				}
				return
			}
			for _, kind := range []string{"contents", "modify/delete", "file/directory", "binary", "directory rename suggested"} {
				if kinds["CONFLICT ("+kind+")"] == 0 {
					t.Errorf("no conflict of the kind %q among %v", kind, kinds)
				}
			}
		})
	}
}

func TestMergeAllGoesOnBehindABadPair(t *testing.T) {
	b, heads := quarrel(t)
	b.git("checkout", "-q", "--orphan", "alone")
	alone, missing := b.commit("alone"), strings.Repeat("12", 20)
	good := git.Pair{Ours: heads[0], Theirs: heads[1]}
	bad := []git.Pair{{Ours: heads[0], Theirs: alone}, {Ours: missing, Theirs: heads[1]}, {Ours: heads[1], Theirs: missing}, {Ours: heads[0] + "^{tree}", Theirs: heads[1]}}
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
				if !errors.As(got.Err, &exit) || got.Tree != "" {
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
	b.write(map[string]string{".git/info/attributes": "bin filter=evil text=auto\n"})
	if err := os.WriteFile(attributes, []byte("* merge=union\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := pairs(heads)
	want := b.mergeAll(b.open(), all)
	ran := filepath.Join(t.TempDir(), "ran")
	for key, value := range map[string]string{
		"merge.renames": "false", "diff.renames": "false", "merge.directoryRenames": "true", "merge.renameLimit": "1", "diff.renameLimit": "1",
		"merge.renormalize": "true", "filter.evil.clean": "touch " + ran, "filter.evil.smudge": "touch " + ran, "core.attributesFile": attributes,
		"diff.external": "touch " + ran, "merge.verbosity": "5", "merge.ff": "only", "merge.stat": "true",
	} {
		b.git("config", key, value)
	}
	for i, got := range b.mergeAll(b.open(), all) {
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%v:\n got %+v\nwant %+v", all[i], got, want[i])
		}
	}
	for _, driver := range []string{"evil", "a=b", "do.t"} {
		b.git("config", "merge."+driver+".driver", "touch "+ran+"; exit 0")
		b.git("config", "merge.default", driver)
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
	ours, theirs := b.fork(func() { b.write(map[string]string{"f": "ours\n"}) }, func() { b.write(map[string]string{"f": "theirs\n"}) })
	got := b.mergeAll(b.open(), []git.Pair{{Ours: ours, Theirs: theirs}})[0]
	if got.Err != nil || !got.Clean || b.git("cat-file", "blob", got.Tree+":f") != "ours\ntheirs" {
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
			got := b.mergeAll(&git.Repo{GitDir: b.dir + "/.git", CommonDir: b.dir + "/.git", Worktree: b.dir}, all)
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
