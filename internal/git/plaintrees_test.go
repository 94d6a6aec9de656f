package git_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/change"
	"delegate/internal/git"
	more "delegate/internal/long"
)

// TestTreesAreReadAsGitReadsThem merges and compares commits with random changes, and holds each merge and each list
// against git's own. Most of what only adds and edits takes no process.
func TestTreesAreReadAsGitReadsThem(t *testing.T) {
	b := newBox(t, map[string]string{"a/x": fiveLines, "a/y": "y\n", "b/c/z": "z\n", "b.txt": "b\n", "d": "no end",
		"bin": "\x00a", "empty": ""})
	first := b.Git("rev-parse", "HEAD")
	random := rand.New(rand.NewPCG(1, 2))
	merges, lists := 0, 0
	for round := range more.Or(40, 12) {
		var sides [2]string
		base := b.change(random, first, round%3)
		for i := range sides {
			sides[i] = b.change(random, base, round%3)
		}
		ran := watchGit(t, "")
		merged, err := b.open().Merge(t.Context(), sides[0], sides[1])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(ran(), "merge-tree") {
			merges++
		}
		want, _, _ := strings.Cut(b.merged(sides[0], sides[1]), "\n")
		if merged.Tree != want {
			t.Errorf("round %d: merged %s, git merges %s\n%s", round, merged.Tree, want, b.Git("diff", "--raw",
				merged.Tree, want))
		}
		for _, to := range []string{sides[0], merged.Tree} {
			ran()
			files, err := b.open().Changes(t.Context(), base, to, git.DetectRenames)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(ran(), "diff-tree") {
				lists++
			}
			equal(t, fmt.Sprintf("round %d: changes", round), changesText(files), b.changesText(base, to))
			all, err := b.open().ChangesAll(t.Context(), []git.Span{{Base: b.treeOf(base), Head: b.treeOf(to)}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range files {
				files[i].Insertions, files[i].Deletions, files[i].Binary = 0, 0, false
			}
			if !slices.Equal(all[0], files) {
				t.Errorf("round %d: together %+v, alone %+v", round, all[0], files)
			}
		}
	}
	if merges == 0 || lists == 0 {
		t.Errorf("%d merges and %d lists without git", merges, lists)
	}
	b.Git("fsck", "--strict", "--no-dangling")
}

const fiveLines = "1\n2\n3\n4\n5\n"

// change commits random changes on a commit: new files; edits as well; or everything.
func (b *box) change(random *rand.Rand, from string, kinds int) string {
	b.Helper()
	b.Git("checkout", "-q", "-f", "--detach", from)
	files := strings.Fields(b.Git("ls-files"))
	for n := range 1 + random.IntN(3) {
		file := files[random.IntN(len(files))]
		full := filepath.Join(b.Dir, file)
		switch kind := random.IntN(1 + 4*kinds); kind {
		default:
			name := fmt.Sprintf("%s/n%d", []string{"a", "b", "b/c", "e", "f.g", "."}[random.IntN(6)], random.IntN(9))
			b.Write(map[string]string{name: strings.Repeat("line\n", n) + "\x00"[:random.IntN(2)]})
		case 1, 2:
			b.Write(map[string]string{file: fmt.Sprintf("%d\n%s", random.IntN(3), fiveLines)})
		case 3:
			_ = os.Chmod(full, 0o755) // a link leads nowhere
		case 4:
			b.Remove(file)
			b.Link("target", file)
		case 5:
			b.Remove(file)
		case 6:
			b.Remove(file)
			b.Write(map[string]string{file + "/inside": "in\n"})
		case 7:
			b.Write(map[string]string{"moved/more": "1\n"})
			_ = os.Rename(full, filepath.Join(b.Dir, "moved", filepath.Base(file)))
		}
		if files = strings.Fields(b.Git("ls-files", "--cached", "--others")); kinds == 2 {
			files = slices.DeleteFunc(files, func(name string) bool {
				info, err := os.Lstat(filepath.Join(b.Dir, name))
				return err != nil || !info.Mode().IsRegular()
			})
		}
	}
	return b.Commit("changed")
}

func (b *box) treeOf(id string) string {
	b.Helper()
	return b.Git("rev-parse", id+"^{tree}")
}

// merged is what git's merge-tree prints, whether the two clash or not.
func (b *box) merged(ours, theirs string) string {
	out, _ := b.Try("-c", "merge.directoryRenames=conflict", "-c", "merge.renameLimit=7000", "merge-tree",
		"--write-tree", ours, theirs)
	return out
}

// changesText is one line for each file that was changed.
func changesText(files []change.File) (all []string) {
	for _, f := range files {
		counts := fmt.Sprintf("%d %d", f.Insertions, f.Deletions)
		if f.Binary {
			counts = "- -"
		}
		all = append(all, fmt.Sprintf("%06o %06o %s %s %s", f.OldMode, f.NewMode, or0(f.OldID), or0(f.NewID), counts))
	}
	return all
}

func or0(id string) string {
	if id == "" {
		return strings.Repeat("0", 40)
	}
	return id
}

// changesText is the same by git's own list.
func (b *box) changesText(from, to string) (all []string) {
	b.Helper()
	out := b.Git("diff-tree", "-r", "--raw", "--no-abbrev", "-M", from, to)
	counts := b.Git("diff-tree", "-r", "--numstat", "-M", from, to)
	if out == "" {
		return nil
	}
	numbers := strings.Split(counts, "\n")
	for i, line := range strings.Split(out, "\n") {
		words, number := strings.Fields(line), strings.Fields(numbers[i])
		all = append(all, fmt.Sprintf("%s %s %s %s %s %s", words[0][1:], words[1], words[2], words[3], number[0],
			number[1]))
	}
	return all
}

// Nothing but git's checks keeps a folder from being called "..": what is in it is no file of another folder.
func TestFoldersWithOddNames(t *testing.T) {
	for _, name := range []string{"..", ".", ""} {
		b := newBox(t, map[string]string{"f": "1\n"})
		first := b.Git("rev-parse", "HEAD")
		within := func(name, tree string) string {
			id, err := hex.DecodeString(tree)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(map[string]string{".git/tree": "40000 " + name + "\x00" + string(id)})
			return b.Git("hash-object", "--literally", "-w", "-t", "tree", ".git/tree")
		}
		odd := within("d", within(name, b.treeOf(first)))
		from := b.Git("commit-tree", "-m", "empty", b.Git("hash-object", "-w", "-t", "tree", "/dev/null"))
		files, err := b.open().Changes(t.Context(), from, b.Git("commit-tree", "-m", "odd", odd), git.RawEntries)
		if len(files) > 0 && files[0].Path != "d/"+name+"/f" || len(files) == 0 && err == nil {
			t.Errorf("%q: told as %+v, %v", name, files, err)
		}
	}
}

// TestAttributesCount has git count where an attribute may say what is a text.
func TestAttributesCount(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		binary bool
		byGit  bool
	}{
		"none":            {},
		"of line endings": {files: map[string]string{"d/.gitattributes": "* text=auto\n"}},
		"elsewhere":       {files: map[string]string{"e/.gitattributes": "* -diff\n"}},
		"beside":          {files: map[string]string{"d/.gitattributes": "new binary\n"}, binary: true, byGit: true},
		"above":           {files: map[string]string{".gitattributes": "d/* -diff\n"}, binary: true, byGit: true},
		"of the repository": {files: map[string]string{".git/info/attributes": "new -diff\n"}, binary: true,
			byGit: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n"})
			from := b.Git("rev-parse", "HEAD")
			b.Write(map[string]string{"d/new": "1\n2\n"})
			to := b.Commit("second")
			b.Write(c.files)
			ran := watchGit(t, "")
			files, err := b.open().Changes(t.Context(), from, to, git.DetectRenames)
			if err != nil || len(files) != 1 || files[0].Binary != c.binary {
				t.Errorf("changes %+v, %v", files, err)
			}
			if started := slices.Contains(ran(), "diff-tree"); started != c.byGit {
				t.Errorf("git counted: %v, want %v", started, c.byGit)
			}
		})
	}
}
