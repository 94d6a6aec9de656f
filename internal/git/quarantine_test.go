package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/sys/run"
)

// Everything that git can write in a quarantine is readable there and only there.
func TestQuarantine(t *testing.T) {
	for _, name := range []string{"plain", "co:lon", "semi;colon", "\"quoted\"", "back\\slash", "line\nbreak", "#hash",
		"tail\n"} {
		t.Run(name, func(t *testing.T) {
			b := newBoxAt(t, filepath.Join(t.TempDir(), name), map[string]string{"f": long})
			ours := b.branch("ours", "main", map[string]string{"f": "one\n" + long[2:]})
			b.Git("checkout", "-q", "main")
			b.Write(map[string]string{"f": long + "ten\n", "new": "n\n"})
			before, r := b.objects(), b.open()
			folder := filepath.Join(t.TempDir(), name, "held")
			held, err := r.Quarantine(folder)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := held.Snapshot(t.Context(), filepath.Join(t.TempDir(), "index"), "main", nil)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := held.CommitTree(t.Context(), tree, "snapshot", b.Git("rev-parse", "main"))
			if err != nil {
				t.Fatal(err)
			}
			merged := b.mergeAll(held, []git.Pair{{Ours: ours, Theirs: theirs}})[0]
			if merged.Err != nil || !merged.Clean {
				t.Fatalf("merge %+v", merged)
			}
			files := b.changesAll(held.At(r.GitDir, ""),
				[]git.Span{{Base: b.Git("rev-parse", ours+"^{tree}"), Head: merged.Tree}})[0]
			if got, err := held.Blob(t.Context(), find(t, files, "f").NewID); err != nil ||
				string(got) != "one\n"+long[2:]+"ten\n" {
				t.Errorf("merged file %q, %v", got, err)
			}
			equal(t, "objects of the repository", b.objects(), before)
			if _, err := r.Files(t.Context(), merged.Tree); err == nil {
				t.Error("the repository has an object of the quarantine")
			}
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
			b.Git("fsck", "--strict")
		})
	}
}

func TestQuarantineMovesNoReference(t *testing.T) {
	b, heads := quarrel(t)
	before := b.Git("for-each-ref")
	held := b.quarantine(b.open())
	if err := held.UpdateRefs(t.Context(), "test",
		git.RefUpdate{Ref: "refs/heads/another", New: heads[0]}); err == nil {
		t.Error("a quarantine made a reference")
	}
	if after := b.Git("for-each-ref"); after != before {
		t.Errorf("references\n%s\nwere\n%s", after, before)
	}
}

func TestQuarantineCannotBeMade(t *testing.T) {
	b := newBox(t, map[string]string{"f": "a file\n"})
	if _, err := b.open().Quarantine(filepath.Join(b.Dir, "f")); err == nil {
		t.Error("made a quarantine inside a file")
	}
}

// partial is a clone of the box without the content of files, whose source notes every fetch in the
// file that is answered.
func (b *box) partial() (*box, string) {
	b.Helper()
	b.Git("config", "uploadpack.allowFilter", "true")
	b.Git("config", "uploadpack.allowAnySHA1InWant", "true")
	clone := &box{gittest.In(b.TB, filepath.Join(b.TempDir(), "partial"))}
	b.Git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+b.Dir, clone.Dir)
	fetched := filepath.Join(b.TempDir(), "fetched")
	clone.Git("config", "remote.origin.uploadpack", "touch "+fetched+"; git-upload-pack")
	return clone, fetched
}

// Either of two settings keeps git from fetching; older gits know only one of them.
func TestQuarantineOfAPartialCloneFetchesNothing(t *testing.T) {
	for _, without := range []string{"GIT_ALLOW_PROTOCOL", "GIT_NO_LAZY_FETCH"} {
		t.Run("without "+without, func(t *testing.T) {
			watchGit(t, "unset "+without)
			partialClone(t)
		})
	}
}

// What a partial clone lacks stays missing, and spoils only what needs it.
func partialClone(t *testing.T) {
	origin, heads := quarrel(t)
	b, fetched := origin.partial()
	before := b.objects()
	held := b.quarantine(b.open())
	lacking := git.Pair{Ours: heads[0], Theirs: heads[1]} // both sides changed one file
	whole := git.Pair{Ours: heads[4], Theirs: heads[7]}
	for i, got := range b.mergeAll(held, []git.Pair{lacking, whole, lacking, lacking, whole}) {
		var exit *run.ExitError
		if i%3 == 1 && (got.Err != nil || !got.Clean) || i%3 != 1 && (!errors.As(got.Err, &exit) || got.Tree != "") {
			t.Errorf("pair %d: %+v", i, got)
		}
	}
	trees := origin.trees(heads)
	if got := b.changesAll(held, []git.Span{{Base: trees[7], Head: trees[4]}})[0]; len(got) != 2 {
		t.Errorf("changes %+v", got)
	}
	if got, err := held.ChangesAll(t.Context(), []git.Span{{Base: trees[7], Head: trees[6]}}); err == nil {
		t.Errorf("renames were found without the files: %+v", got)
	}
	if got := b.changesAll(held, []git.Span{{Base: trees[3], Head: trees[3]}})[0]; len(got) != 0 {
		t.Errorf("changes %+v", got)
	}
	blobs := openBlobs(t, held)
	for _, path := range []string{"edit", "gone"} {
		_, _, err := blobs.Read(origin.Git("rev-parse", heads[0]+":"+path), 1<<20)
		wantErr(t, err, git.ErrNoObject)
		if data, kind, err := blobs.Read(heads[0]+"^{tree}", 1<<20); err != nil || kind != "tree" || len(data) == 0 {
			t.Errorf("behind a missing object: %q, %v", kind, err)
		}
	}
	equal(t, "objects of the clone", b.objects(), before)
	if _, err := os.Lstat(fetched); err == nil {
		t.Error("something was fetched")
	}
	if _, err := b.open().Blob(t.Context(), origin.Git("rev-parse", heads[0]+":edit")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(fetched); err != nil {
		t.Error("a fetch is not noticed by this test")
	}
}

// Looking asks for nothing that the clone knows of and lacks, and so does a snapshot of a checkout
// that leaves such files out.
func TestAPartialCloneIsNotFetchedToBeLookedAt(t *testing.T) {
	origin := newBox(t, map[string]string{"in/f": "1\n", "out/g": "2\n"})
	b, fetched := origin.partial()
	b.Git("sparse-checkout", "set", "--no-cone", "/in/")
	b.Git("checkout", "-q", "main")
	if err := os.Remove(fetched); err != nil { // what the checkout shows
		t.Fatal(err)
	}
	r, lacks := b.open(), origin.Git("rev-parse", "HEAD:out/g")
	head, unknown := b.Git("rev-parse", "HEAD"), strings.Repeat("1", 40)
	lacking, err := r.Missing(t.Context(), []string{lacks, head, unknown})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "lacking", lacking, []string{lacks, unknown})
	b.Write(map[string]string{"in/f": "changed\n"})
	tree := b.whole(r.Snapshot(t.Context(), filepath.Join(t.TempDir(), "index"), "HEAD", nil))
	equal(t, "files of the snapshot", b.listing(tree), []string{"100644 in/f", "100644 out/g"})
	if tree, err = r.EditTree(t.Context(), tree, []git.Entry{{Path: "in/f"}}); err != nil {
		t.Fatal(err)
	}
	equal(t, "files of the edited tree", b.listing(tree), []string{"100644 out/g"})
	if _, err := os.Lstat(fetched); err == nil {
		t.Error("something was fetched")
	}
}
