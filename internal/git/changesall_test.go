package git_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"delegate/change"
	"delegate/internal/git"
)

// spans are all ordered pairs of the heads, equal ones too.
func spans(heads []string) []git.Span {
	var all []git.Span
	for _, base := range heads {
		for _, head := range heads {
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
			heads = append(heads[:3], heads[2]+"^{tree}", heads[3])
			all := spans(heads)
			if name != "plain" {
				all = all[:2*len(heads)]
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
	first := b.git("rev-parse", "HEAD")
	tree := b.git("rev-parse", "HEAD^{tree}")
	odd := []string{tree + " " + tree + "\n", ":100644 100644 " + tree + " " + tree + " M", "\n" + tree, ":", "\xff\n:"}
	files := map[string]string{}
	for i, name := range odd {
		files[name] = strings.Repeat(name, i+1)
	}
	second := b.branch("odd", first, files)
	third := b.branch("again", second, map[string]string{odd[0]: "", odd[1]: "", "moved": files[odd[1]], odd[1] + "\n" + tree: files[odd[0]]})
	got := b.changesAll(b.open(), []git.Span{{Base: first, Head: second}, {Base: second, Head: second}, {Base: second, Head: third}, {Base: tree, Head: tree}, {Base: third, Head: first}})
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
	all := spans(heads)
	want := b.changesAll(b.open(), all)
	b.write(map[string]string{".gitattributes": "* diff=evil\n"})
	ran := filepath.Join(t.TempDir(), "ran")
	for key, value := range map[string]string{
		"diff.external": "touch " + ran, "diff.evil.command": "touch " + ran, "diff.evil.textconv": "touch " + ran, "diff.renames": "false", "diff.renameLimit": "1",
		"diff.ignoreSubmodules": "all", "diff.relative": "true", "diff.orderFile": ran, "color.ui": "always", "core.quotePath": "true", "core.abbrev": "4",
	} {
		b.git("config", key, value)
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
	blob := b.git("rev-parse", heads[0]+":edit")
	for _, name := range []string{strings.Repeat("12", 20), "", "--stdin", "nothing", blob, heads[0] + "\n"} {
		_, err := b.open().ChangesAll(t.Context(), []git.Span{{Base: heads[0], Head: heads[1]}, {Base: heads[0], Head: name}})
		wantErr(t, err, git.ErrNoCommit)
	}
	if got, err := b.open().ChangesAll(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no spans: %v, %v", got, err)
	}
	// A folder that is gone is found only while the trees are compared.
	folder := b.git("rev-parse", heads[4]+":dir")
	if err := os.Remove(filepath.Join(b.dir, ".git", "objects", folder[:2], folder[2:])); err != nil {
		t.Fatal(err)
	}
	if got, err := b.open().ChangesAll(t.Context(), []git.Span{{Base: heads[0], Head: heads[4]}}); err == nil {
		t.Errorf("without a folder's object: %+v", got)
	}
}

func TestResolveAll(t *testing.T) {
	b, heads := quarrel(t)
	b.git("tag", "-a", "-m", "a tag", "tag", heads[1])
	b.git("tag", "tree", heads[1]+"^{tree}")
	b.git("branch", "sp\u00a0ace")
	b.git("update-ref", "refs/heads/-dash", "main")
	r := b.open()
	good := []string{"main", heads[0], heads[0][:12], "tag", "head~1", "refs/heads/head", "HEAD", "tail", "tail", "sp\u00a0ace", "@"}
	got, err := r.ResolveAll(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range good {
		if want, err := r.Resolve(t.Context(), name); err != nil || got[i] != want {
			t.Errorf("%q is %q, want %q (%v)", name, got[i], want, err)
		}
	}
	for _, name := range []string{"", "nothing", "tree", "--all", "-q", "-dash", "a b", "main\n", "main\nhead", "main\x00", "head:edit", "^head", "head..main", strings.Repeat("12", 20), "main missing"} {
		got, err := r.ResolveAll(t.Context(), []string{"main", name, "head"})
		wantErr(t, err, git.ErrNoCommit)
		if got != nil || err == nil || !strings.Contains(err.Error(), strconv.Quote(name)) {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	if got, err := r.ResolveAll(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no names: %q, %v", got, err)
	}
}

// However many there are, the number of processes stays the same.
func TestProcessesOfBatches(t *testing.T) {
	b, heads := quarrel(t)
	noted := watchGit(t, "")
	r := b.open()
	equal(t, "processes of Open", noted(), []string{"rev-parse"})
	b.mergeAll(r, pairs(heads))
	equal(t, "processes of MergeAll", noted(), []string{"config", "merge-tree"})
	b.changesAll(r, spans(heads))
	equal(t, "processes of ChangesAll", noted(), []string{"cat-file", "diff-tree"})
	if _, err := r.MergeBases(t.Context(), heads); err != nil {
		t.Fatal(err)
	}
	equal(t, "processes of MergeBases", noted(), []string{"cat-file", "merge-base", "rev-list"})
	if _, err := r.ResolveAll(t.Context(), heads); err != nil {
		t.Fatal(err)
	}
	equal(t, "processes of ResolveAll", noted(), []string{"cat-file"})
}
