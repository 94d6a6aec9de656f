package git_test

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/sys/run"
)

func openBlobs(t *testing.T, r *git.Repo) *git.Blobs {
	t.Helper()
	b := r.OpenBlobs(context.WithoutCancel(t.Context())) // Close comes behind the end of the test's context
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestBlobs(t *testing.T) {
	contents := map[string]string{
		"empty": "", "text": "a\nb\n", "no end": "x", "lines": "\n\n", "zeros": "\x00\x00\n",
		"like an answer": strings.Repeat("12", 20) + " blob 3\nabc\nx missing\n",
		"big":            strings.Repeat("0123456789abcdef", 1<<16),
	}
	for name, options := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, contents, options...)
			blobs, head := openBlobs(t, b.open()), b.Git("rev-parse", "HEAD")
			for name, want := range contents {
				id, size := b.Git("rev-parse", "HEAD:"+name), int64(len(want))
				if data, kind, err := blobs.Read(id, size); err != nil || kind != "blob" || string(data) != want {
					t.Errorf("%q: %d bytes of kind %q, %v", name, len(data), kind, err)
				}
				if _, _, err := blobs.Read(id, size-1); !errors.Is(err, git.ErrTooLarge) {
					t.Errorf("%q with too low a limit: %v", name, err)
				}
			}
			empty, text, lines := b.Git("rev-parse", "HEAD:empty"), b.Git("rev-parse", "HEAD:text"),
				b.Git("rev-parse", "HEAD:lines")
			for most, want := range map[int64][]string{1 << 20: {"", "a\nb\n", "\n\n"}, 5: {"", "a\nb\n"}} {
				ids := []string{empty, text, lines, strings.Repeat("12", len(head)/2), text}
				data, _, err := blobs.ReadAhead(ids, most)
				var got []string
				for _, one := range data {
					got = append(got, string(one))
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%d bytes ahead: %q, %v; want %q", most, got, err, want)
				}
			}
			for _, id := range []string{"x" + head[1:], strings.Repeat("12", len(head)/2), "", " ", "HEAD\n" + head,
				head + " x", "HEAD:no end", "HEAD:nothing", "-x", "a\u00a0b", "\x00", "HEAD\r", "HEAD\t"} {
				_, _, err := blobs.Read(id, 1<<20)
				wantErr(t, err, git.ErrNoObject)
			}
			for _, id := range []string{head, head + "^{tree}", "HEAD:text"} {
				kind := b.Git("cat-file", "-t", id)
				if data, got, err := blobs.Read(id, 1<<20); err != nil || got != kind || len(data) == 0 {
					t.Errorf("%q is %d bytes of kind %q, %v; want a %s", id, len(data), got, err, kind)
				}
			}
		})
	}
}

func TestBlobsFindCommits(t *testing.T) {
	b, heads := quarrel(t)
	b.Git("tag", "-a", "-m", "a tag", "tag", heads[1])
	b.Git("tag", "tree", heads[1]+"^{tree}")
	b.Git("branch", "sp\u00a0ace")
	b.Git("update-ref", "refs/heads/-dash", "main")
	r := b.open()
	blobs := openBlobs(t, r)
	for _, name := range []string{"main", heads[0], heads[0][:12], "tag", "head~1", "refs/heads/head", "HEAD", "tail",
		"tail", "sp\u00a0ace", "@", "main@{2000 years ago}"} {
		want, err := r.Resolve(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		id, data, err := blobs.Commit(name)
		if err != nil || id != want || objectID("commit", data, len(id)) != id {
			t.Errorf("%q is %q, want %q (%v)", name, id, want, err)
		}
	}
	for _, name := range []string{"", "nothing", "tree", "--all", "-q", "-dash", "a b", "a b 5", "commit 5", "main\n",
		"main\nhead", "main\x00", "head:edit", "^head", "head..main", strings.Repeat("12", 20), "main missing"} {
		_, _, err := blobs.Commit(name)
		if wantErr(t, err, git.ErrNoCommit); err == nil || !strings.Contains(err.Error(), strconv.Quote(name)) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Wherever objects lie, all that a commit leads to can be read; the name of an object proves its content.
func TestBlobsOfEverySetup(t *testing.T) {
	for name, setup := range setups() {
		t.Run(name, func(t *testing.T) {
			b, heads := setup(t)
			ids := append(strings.Fields(b.Git("ls-tree", "-r", "-t", "--format=%(objectname)", heads[0])), heads...)
			for place, r := range map[string]*git.Repo{"here": b.open(), "in quarantine": b.quarantine(b.open())} {
				blobs := openBlobs(t, r)
				for _, id := range ids {
					data, kind, err := blobs.Read(id, 1<<20)
					if name == "submodules" && id == strings.Repeat("2", 40) { // a commit of the submodule
						wantErr(t, err, git.ErrNoObject)
					} else if got := objectID(kind, data, len(id)); err != nil || got != id {
						t.Errorf("%s: %s %s has the content of %s, %v", place, kind, id, got, err)
					}
				}
			}
		})
	}
}

// objectID is the name that git gives to content, of 40 or 64 digits.
func objectID(kind string, data []byte, digits int) string {
	whole := append(fmt.Appendf(nil, "%s %d\x00", kind, len(data)), data...)
	if digits == 64 {
		return fmt.Sprintf("%x", sha256.Sum256(whole))
	}
	return fmt.Sprintf("%x", sha1.Sum(whole))
}

// Objects that come later, and one that cannot be read, do not disturb the others.
func TestBlobsOfAChangingRepository(t *testing.T) {
	b := newBox(t, map[string]string{"f": "one\n", "g": "two\n"})
	blobs := openBlobs(t, b.open())
	damaged := b.Git("rev-parse", "HEAD:f")
	path := filepath.Join(b.Dir, ".git", "objects", damaged[:2], damaged[2:])
	b.Remove(filepath.Join(".git", "objects", damaged[:2], damaged[2:]))
	if err := os.WriteFile(path, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Write(map[string]string{"h": "three\n"})
	for range 2 {
		_, _, err := blobs.Read(damaged, 1<<20)
		wantErr(t, err, git.ErrNoObject)
		for content, id := range map[string]string{"two\n": b.Git("rev-parse", "HEAD:g"),
			"three\n": b.Git("hash-object", "-w", "h")} {
			if data, _, err := blobs.Read(id, 1<<20); err != nil || string(data) != content {
				t.Errorf("object %s: %q, %v", id, data, err)
			}
		}
	}
}

func TestBlobsWhenGitDies(t *testing.T) {
	b := newBox(t, map[string]string{"f": "one\n"})
	id := b.Git("rev-parse", "HEAD:f")
	b.Git("repack", "-adq") // or else git is not asked
	blobs := b.open().OpenBlobs(t.Context())
	if _, _, err := blobs.Read(id, 10); err != nil {
		t.Fatal(err)
	}
	for _, p := range run.Descendants(os.Getpid()) {
		if process, err := os.FindProcess(p.PID); err == nil && len(run.Descendants(p.PID)) == 0 {
			_ = process.Kill()
		}
	}
	for range 2 {
		if data, _, err := blobs.Read(id, 10); err != nil || string(data) != "one\n" {
			t.Errorf("another git is asked in its place: %q, %v", data, err)
		}
	}
	if err := blobs.Close(); err != nil {
		t.Error(err)
	}
}

// A git that breaks off or answers something else is not taken for one that lacks an object.
func TestBlobsOfABrokenGit(t *testing.T) {
	b := newBox(t, map[string]string{"f": "one\n"})
	b.Git("repack", "-adq") // else no git is asked
	id, r := b.Git("rev-parse", "HEAD:f"), b.open()
	b.Git("repack", "-adq") // or else git is not asked
	for name, answer := range map[string]string{
		"dies when asked": "kill -9 $$", "breaks off in the head": "printf '%s' $id; exit 1",
		"breaks off in the content": "echo $id blob 4; printf on; exit 1",
		"says something else":       "echo not what was asked for", "has no size": "echo $id blob many",
		"has a size below zero": "echo $id blob -1", "breaks off what is too large": "echo $id blob 99; exit 1",
	} {
		t.Run(name, func(t *testing.T) {
			watchGit(t, "read id; "+answer+"; exit")
			blobs := r.OpenBlobs(t.Context())
			_, _, first := blobs.Read(id, 10)
			_, _, second := blobs.Read(id, 10)
			if first == nil || errors.Is(first, git.ErrNoObject) || errors.Is(first, git.ErrTooLarge) ||
				second == nil || second.Error() != first.Error() {
				t.Errorf("errors %v and %v", first, second)
			}
			if err := blobs.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBlobsEnd(t *testing.T) {
	b := newBox(t, map[string]string{"f": "one\n"})
	ctx, cancel := context.WithCancel(t.Context())
	blobs := b.open().OpenBlobs(ctx)
	cancel()
	for _, name := range []string{"HEAD:f", b.Git("rev-parse", "HEAD:f")} {
		_, _, err := blobs.Read(name, 10)
		wantErr(t, err, context.Canceled)
	}
	if err := blobs.Close(); err != nil {
		t.Error(err)
	}
	blobs = b.open().OpenBlobs(t.Context())
	if err := blobs.Close(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"HEAD:f", b.Git("rev-parse", "HEAD:f")} {
		_, _, err := blobs.Read(name, 10)
		wantErr(t, err, os.ErrClosed)
	}
}
