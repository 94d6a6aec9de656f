package git_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
)

// branch commits files on a new branch that starts from the given commit; a text of "" removes the
// file or folder first.
func (b *box) branch(name, from string, files map[string]string) string {
	b.Helper()
	b.Git("checkout", "-q", "-f", "-b", name, from)
	kept := maps.Clone(files)
	for path, text := range files {
		if text == "" {
			b.Remove(path)
			delete(kept, path)
		}
	}
	b.Write(kept)
	return b.Commit(name)
}

const (
	oddFile = "ta\tb\nnl \"q\" \xff\xfe"
	long    = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
)

// quarrel makes branches that merge with one another in every way that git tells apart, and answers with their heads.
func quarrel(t testing.TB, options ...string) (*box, []string) {
	t.Helper()
	b := newBox(t, map[string]string{
		oddFile: long, "edit": long, "gone": "to be\nremoved\nby one\n", "dir/one": "one\n1\n", "dir/two": "two\n2\n",
		"bin": "\x00a", "type": "t\n", "sub/x": "x\n",
	}, options...)
	base := b.Git("rev-parse", "HEAD")
	heads := []string{
		b.branch("head", base, map[string]string{oddFile: "one\n" + long[2:], "edit": "one\n" + long[2:],
			"new": "mine\n"}),
		b.branch("same", base, map[string]string{oddFile: "eins\n" + long[2:], "new": "yours\n"}),
		b.branch("tail", base, map[string]string{"edit": long + "10\n", "gone": ""}),
		b.branch("moves", base, map[string]string{"dir/one": "", "dir/two": "", "moved/one": "one\n1\n",
			"moved/two": "two\n2\n", "gone": "to be\nremoved\nby no one\n"}),
		b.branch("adds", base, map[string]string{"dir/three": "3\n", "bin": "\x00b"}),
		b.branch("types", base, map[string]string{"bin": "\x00c", "type": "", "type/inside": "i\n", "sub/x": "",
			"x": "x\n"}),
		b.branch("renames", base, map[string]string{"edit": "", "edited": long + "x\n", oddFile: "",
			"odd": long + "y\nz\n", "sub/x": "y\n", "type": "u\n"}),
		base,
	}
	b.Git("checkout", "-q", "-f", "main")
	return b, heads
}

// quarrelling with submodules: git adds advice to the answer of every pair.
func submodules(t testing.TB) (*box, []string) {
	t.Helper()
	b := newBox(t, map[string]string{"f": long})
	link := func(name, from, id string) string {
		b.Git("checkout", "-q", "-f", "-b", name, from)
		b.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat(id, 40)+",sub\n1\x80")
		b.Git("commit", "-q", "-m", name)
		return b.Git("rev-parse", "HEAD")
	}
	base := link("base", "main", "1")
	return b, []string{link("two", base, "2"), link("three", base, "3"), link("four", base, "4"), base}
}

// pairs are all ordered pairs of different heads.
func pairs(heads []string) []git.Pair {
	var all []git.Pair
	for _, ours := range heads {
		for _, theirs := range heads {
			if ours != theirs {
				all = append(all, git.Pair{Ours: ours, Theirs: theirs})
			}
		}
	}
	return all
}

func (b *box) mergeAll(r *git.Repo, all []git.Pair) []git.Outcome {
	b.Helper()
	outcomes, err := r.MergeAll(b.Context(), all)
	if err != nil {
		b.Fatal(err)
	}
	if len(outcomes) != len(all) {
		b.Fatalf("%d outcomes for %d pairs", len(outcomes), len(all))
	}
	return outcomes
}

func (b *box) quarantine(r *git.Repo) *git.Repo {
	b.Helper()
	held, err := r.Quarantine(filepath.Join(b.TempDir(), "held"))
	if err != nil {
		b.Fatal(err)
	}
	return held
}

// objects are the files of the repository's object storage.
func (b *box) objects() []string {
	b.Helper()
	found, err := filepath.Glob(filepath.Join(b.Dir, ".git", "objects", "*", "*"))
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(found)
	return found
}

// watchGit puts a git before the real one that notes its subcommand and then does what the shell lines say,
// in which $sub is the subcommand. The answer gives what was noted since the last time.
func watchGit(t testing.TB, lines string) func() []string {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := fmt.Sprintf(`#!/bin/sh
sub=
skip=
for word; do
	if test -n "$skip"; then skip=; continue; fi
	case $word in -c) skip=1;; -*) ;; *) sub=$word; break;; esac
done
echo "$sub" >>'%s/log'
%s
exec '%s' "$@"
`, dir, lines, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() []string {
		log := filepath.Join(dir, "log")
		data, err := os.ReadFile(log)
		if err == nil {
			err = os.Remove(log)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // without any process there is no list
			t.Fatal(err)
		}
		return strings.Fields(string(data))
	}
}
