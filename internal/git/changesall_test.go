package git_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"delegate/change"
	"delegate/internal/git"
)

// trees are those of the commits.
func (b *box) trees(commits []string) []string {
	b.Helper()
	var all []string
	for _, commit := range commits {
		all = append(all, b.Git("rev-parse", commit+"^{tree}"))
	}
	return all
}

// spans are all ordered pairs of the trees, equal ones too.
func spans(trees []string) []git.Span {
	var all []git.Span
	for _, base := range trees {
		for _, head := range trees {
			all = append(all, git.Span{Base: base, Head: head})
		}
	}
	return all
}

func (b *box) changesAll(r *git.Repo, all []git.Span) [][]change.File {
	b.Helper()
	files, err := r.ChangesAll(b.Context(), all)
	if err != nil {
		b.Fatal(err)
	}
	if len(files) != len(all) {
		b.Fatalf("%d lists for %d spans", len(files), len(all))
	}
	return files
}

func TestChangesAllIsChangesOfEach(t *testing.T) {
	for name, setup := range setups() {
		t.Run(name, func(t *testing.T) {
			b, heads := setup(t)
			r := b.open()
			all := spans(b.trees(heads[:4]))
			if name != "plain" {
				all = all[:9]
			}
			held := b.changesAll(b.quarantine(r), all)
			for i, got := range b.changesAll(r, all) {
				if !reflect.DeepEqual(got, held[i]) {
					t.Errorf("%v in quarantine:\n got %+v\nwant %+v", all[i], held[i], got)
				}
				want, err := r.Changes(t.Context(), all[i].Base, all[i].Head, git.DetectRenames)
				if err != nil {
					t.Fatal(err)
				}
				for n := range want {
					want[n].Insertions, want[n].Deletions, want[n].Binary = 0, 0, false
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%v:\n got %+v\nwant %+v", all[i], got, want)
				}
			}
		})
	}
}

// A path may look like what stands between the answers.
func TestChangesAllWithPathsLikeAnswers(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	tree := b.Git("rev-parse", "HEAD^{tree}")
	odd := []string{tree + " " + tree + "\n", ":100644 100644 " + tree + " " + tree + " M", "\n" + tree, ":", "\xff\n:"}
	files := map[string]string{}
	for i, name := range odd {
		files[name] = strings.Repeat(name, i+1)
	}
	second := b.branch("odd", "main", files)
	third := b.branch("again", second, map[string]string{odd[0]: "", odd[1]: "", "moved": files[odd[1]],
		odd[1] + "\n" + tree: files[odd[0]]})
	all := b.trees([]string{second, third})
	got := b.changesAll(b.open(), []git.Span{{Base: tree, Head: all[0]}, {Base: all[0], Head: all[0]},
		{Base: all[0], Head: all[1]}, {Base: tree, Head: tree}, {Base: all[1], Head: tree}})
	for i, want := range []int{5, 0, 2, 0, 5} {
		if len(got[i]) != want {
			t.Errorf("span %d: %+v, want %d changes", i, got[i], want)
		}
	}
	if f := find(t, got[2], "moved"); f.OldPath != odd[1] || f.Kind != change.Renamed {
		t.Errorf("move of %q: %+v", odd[1], f)
	}
}

func TestChangesAllIgnoresTheConfiguration(t *testing.T) {
	b, heads := quarrel(t)
	all := spans(b.trees(heads))
	want := b.changesAll(b.open(), all)
	b.Write(map[string]string{".gitattributes": "* diff=evil\n"})
	ran := filepath.Join(t.TempDir(), "ran")
	for key, value := range map[string]string{
		"diff.external": "touch " + ran, "diff.evil.command": "touch " + ran, "diff.evil.textconv": "touch " + ran,
		"diff.renames": "false", "diff.renameLimit": "1",
		"diff.ignoreSubmodules": "all", "diff.relative": "true", "diff.orderFile": ran, "color.ui": "always",
		"core.quotePath": "true", "core.abbrev": "4",
	} {
		b.Git("config", key, value)
	}
	for i, got := range b.changesAll(b.open(), all) {
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%v:\n got %+v\nwant %+v", all[i], got, want[i])
		}
	}
	if _, err := os.Lstat(ran); err == nil {
		t.Error("a program of the configuration was run")
	}
}

func TestChangesAllWithoutATree(t *testing.T) {
	b, heads := quarrel(t)
	trees := b.trees(heads)
	blob := b.Git("rev-parse", heads[0]+":edit")
	for _, name := range []string{strings.Repeat("12", 20), "", "--stdin", "nothing", blob,
		trees[0] + "\n" + trees[1]} {
		got, err := b.open().ChangesAll(t.Context(),
			[]git.Span{{Base: trees[0], Head: trees[1]}, {Base: trees[0], Head: name},
				{Base: trees[0], Head: trees[2]}})
		if err == nil || got != nil {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
	if got, err := b.open().ChangesAll(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no spans: %v, %v", got, err)
	}
	// A folder that is gone is found only while the trees are compared.
	folder := b.Git("rev-parse", heads[4]+":dir")
	if err := os.Remove(filepath.Join(b.Dir, ".git", "objects", folder[:2], folder[2:])); err != nil {
		t.Fatal(err)
	}
	if got, err := b.open().ChangesAll(t.Context(), []git.Span{{Base: trees[0], Head: trees[4]}}); err == nil {
		t.Errorf("without a folder's object: %+v", got)
	}
}

// However many there are, the number of processes stays the same.
func TestProcessesOfBatches(t *testing.T) {
	b, heads := quarrel(t)
	noted := watchGit(t, "")
	r := b.open()
	equal(t, "processes of Open", noted(), []string{"config"})
	b.mergeAll(r, pairs(heads))
	equal(t, "processes of MergeAll", noted(), []string{"merge-tree"})
	all := spans(b.trees(heads))
	noted()
	b.changesAll(r, all)
	equal(t, "processes of ChangesAll", noted(), []string{"diff-tree"})
	held := b.quarantine(r)
	noted()
	b.changesAll(held, all)
	equal(t, "processes of ChangesAll in a quarantine", noted(), []string{"diff-tree"})
	if _, err := b.open().MergeBases(t.Context(), heads); err != nil {
		t.Fatal(err)
	}
	equal(t, "processes of MergeBases", noted(), []string{"config", "merge-base", "rev-list"})
}

// What one process says of many spans is the same as what each is told by itself.
func TestChangesEachIsChangesOfEach(t *testing.T) {
	for name, setup := range setups() {
		t.Run(name, func(t *testing.T) {
			b, heads := setup(t)
			all := spans(heads[:4])
			if name != "plain" {
				all = all[:6]
			}
			log, r := watchGit(t, ""), b.open()
			lists, err := r.ChangesEach(t.Context(), all)
			if err != nil {
				t.Fatal(err)
			}
			if asked := log(); strings.Count(strings.Join(asked, " "), "diff-tree") != 1 {
				t.Errorf("git was asked %q", asked)
			}
			for i, s := range all {
				want, err := r.Changes(t.Context(), s.Base, s.Head, git.DetectRenames)
				if err != nil || !reflect.DeepEqual(lists[i], want) {
					t.Errorf("%v:\n got %+v\nwant %+v, %v", s, lists[i], want, err)
				}
				raw, err := r.Changes(t.Context(), s.Base, s.Head, git.RawEntries)
				unpaired := git.Unpaired(want)
				for n := range unpaired {
					unpaired[n].Insertions, unpaired[n].Deletions, unpaired[n].Binary = 0, 0, false
				}
				if err != nil || !slices.Equal(unpaired, raw) {
					t.Errorf("%v:\n got %+v\nwant %+v, %v", s, unpaired, raw, err)
				}
			}
		})
	}
}
