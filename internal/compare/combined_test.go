package compare

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/long"
	"delegate/internal/objects"
)

// edited is a text with one to three places of its lines changed: lines come, go, move or are others. There are few
// different lines, so that it is not plain which belong together.
func edited(random *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + random.IntN(3) {
		at := random.IntN(len(lines))
		end := min(len(lines), at+random.IntN(4))
		switch random.IntN(12) {
		case 0, 1, 2:
			lines = slices.Insert(lines, at, slices.Clone(lines[at:end])...)
		case 3, 4:
			lines = slices.Delete(lines, at, end)
		case 5:
			moved := slices.Clone(lines[at:end])
			lines = slices.Delete(lines, at, end)
			lines = slices.Insert(lines, random.IntN(len(lines)+1), moved...)
		case 6:
			lines = append(lines, randomLine(random))
		default:
			lines = slices.Insert(lines, at, randomLine(random))
		}
		if len(lines) == 0 {
			return ""
		}
	}
	return strings.Join(lines, "")
}

func randomLine(random *rand.Rand) string {
	if random.IntN(40) == 0 {
		return []string{"", "cut", "\r\n", "nul \x00\n"}[random.IntN(4)]
	}
	indent := strings.Repeat("\t", random.IntN(3))
	words := []string{"}", "", "return nil", "if err != nil {", fmt.Sprint("line ", random.IntN(30))}
	return indent + words[random.IntN(len(words))] + "\n"
}

// fileRepository has a file in some branches, each with edits of its own.
func fileRepository(t *testing.T, random *rand.Rand, attributes string) (*Comparer, []objects.Span) {
	t.Helper()
	const branches = 10
	dir := t.TempDir()
	runGit(t, dir, "", "init", "-q", "-b", "main")
	var script, base strings.Builder
	for range random.IntN(60) {
		base.WriteString(randomLine(random))
	}
	var names []string
	for i := range branches + 1 {
		name, texts := fmt.Sprint("b", i), [2]string{base.String(), "other\n"}
		if i == 0 {
			name = "main"
		} else {
			names, texts[0] = append(names, name), edited(random, texts[0])
		}
		fmt.Fprintf(&script, "commit refs/heads/%s\ncommitter C <c@example.org> 0 +0000\ndata 0\n", name)
		if i > 0 {
			script.WriteString("from refs/heads/main\n")
		}
		for n, path := range []string{"d/file", "other"} {
			fmt.Fprintf(&script, "M 100644 inline %s\ndata %d\n%s\n", path, len(texts[n]), texts[n])
		}
	}
	runGit(t, dir, script.String(), "fast-import", "--quiet")
	if attributes != "" {
		if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte(attributes), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := opened(t, dir)
	return b, tipsOf(t, b, names...)
}

// examinerOf is about all pairs of the tips.
func examinerOf(t *testing.T, b *Comparer, tips []objects.Span) (examiner, []comparison) {
	t.Helper()
	var open []comparison
	for i, x := range tips {
		for _, y := range tips[:i] {
			open = append(open, comparison{tips: [2]objects.Span{x, y}})
		}
	}
	if err := b.findBases(t.Context(), open); err != nil {
		t.Fatal(err)
	}
	e, err := b.examiner(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	return e, open
}

// What is put together here of a file that both sides change is what git makes of it, byte for byte.
func TestCombinedFilesAreAsGitMergesThem(t *testing.T) {
	combined, clean := 0, 0
	for seed := range uint64(long.Or(150, 12)) {
		b, tips := fileRepository(t, rand.New(rand.NewPCG(seed, 11)), "")
		e, open := examinerOf(t, b, tips)
		b.pairs.Know(e.lines)
		known := slices.DeleteFunc(slices.Clone(open), func(c comparison) bool { return !e.apart(c, e.joins) })
		sameTrees(t, b, known)
		combined += len(known)
		var all []git.Pair
		for _, c := range open {
			all = append(all, git.Pair{Ours: c.tips[0].Head, Theirs: c.tips[1].Head})
		}
		outcomes, err := b.held.MergeAll(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if o.Err == nil && o.Clean {
				clean++
			}
		}
	}
	if combined < long.Or(1000, 80) || combined*10 < clean*7 {
		t.Errorf("%d of %d clean merges are known without git", combined, clean)
	}
}

// Attributes that say how files are merged leave them to git.
func TestAttributesLeaveMergesToGit(t *testing.T) {
	for attributes, known := range map[string]bool{"": true, "*.png text\n": true, "file merge=union\n": false,
		"file binary\n": false, "[attr]own -text\n": false, "file diff=own\n": false} {
		b, tips := fileRepository(t, rand.New(rand.NewPCG(3, 11)), attributes)
		if e, _ := examinerOf(t, b, tips); (len(e.lines) > 0) != known {
			t.Errorf("%q: %d files known", attributes, len(e.lines))
		}
	}
}
