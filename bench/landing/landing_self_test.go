//go:build bench

package landing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// releases makes a repository of two trees, without a module.
func releases(t *testing.T, branches int, older, newer map[string]string) *upstream {
	t.Helper()
	ctx := context.Background()
	u := &upstream{options: options{branches: branches, module: "example.org/m", from: "v1", to: "v2"},
		folder: filepath.Join(t.TempDir(), "upstream")}
	ok := func(out string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	ok("", os.Mkdir(u.folder, 0o755))
	ok(u.git(ctx, "init", "--quiet"))
	tree := func(files map[string]string) string {
		ok(u.git(ctx, "read-tree", "--empty"))
		ok(u.git(ctx, "clean", "--quiet", "-ffdx"))
		for path, text := range files {
			path = filepath.Join(u.folder, path)
			ok("", os.MkdirAll(filepath.Dir(path), 0o755))
			ok("", os.WriteFile(path, []byte(text), 0o644))
		}
		ok(u.git(ctx, "add", "--all"))
		return ok(u.git(ctx, "write-tree"))
	}
	before, after := tree(older), tree(newer)
	ok("", u.spread(ctx, before, after))
	return u
}

// numbered is a file of lines in blocks that look alike, in which some lines are others.
func numbered(lines int, others map[int]string) string {
	var b strings.Builder
	for i := range lines {
		text, found := others[i]
		if !found {
			text = fmt.Sprintf("line %d", i%10)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func pair() (older, newer map[string]string) {
	older = map[string]string{"a.txt": numbered(100, nil), "gone.txt": "gone\n", "same.txt": "same\n", "bin": "\x00one",
		"sub dir/b.txt": "no end"}
	newer = map[string]string{
		"a.txt": numbered(100, map[int]string{5: "", 25: "two\nmore", 45: "three", 65: "four\nand\nmore", 85: "five",
			99: "six"}),
		"new.txt": "new\n", "same.txt": "same\n", "bin": "\x00two", "sub dir/b.txt": "an end\n",
	}
	return older, newer
}

func TestPiecesMakeTheReleaseOnBothSides(t *testing.T) {
	older, newer := pair()
	u := releases(t, 5, older, newer)
	if u.pieces != 10 || u.shared != 1 {
		t.Errorf("%d pieces and %d shared files, want 10 and 1", u.pieces, u.shared)
	}
	for n := range 2 {
		r, err := u.round(context.Background(), filepath.Join(t.TempDir(), "round"), n)
		if err != nil {
			t.Fatal(err)
		}
		if r.git.took <= 0 || r.build.took <= 0 || r.land.took <= 0 {
			t.Errorf("it took %+v", r)
		}
	}
}

func TestARoundRefusesAnotherTree(t *testing.T) {
	older, newer := pair()
	u := releases(t, 2, older, newer)
	u.goal = u.branches[0].head
	if _, err := u.byGit(context.Background(), filepath.Join(t.TempDir(), "clone")); err == nil ||
		!strings.Contains(err.Error(), "but the release is") {
		t.Errorf("it ends with %v", err)
	}
}

func TestTooFewPieces(t *testing.T) {
	u := &upstream{options: options{branches: 3}}
	if err := u.deal(context.Background(), "", split("diff --git a/x b/x\nnew file mode 100644\n")); err == nil {
		t.Error("one piece is dealt to three branches")
	}
}

func TestStacksTellTheirPart(t *testing.T) {
	const ours = "goroutine 1 [running]:\ndelegate/internal/sys/run.Do(0x1)\n\t/x/run.go:1\n%slanding.sampled(0x2)\n" +
		"\t/x/phases.go:1\n"
	const candidate = "delegate/internal/land/candidate.(*Builder)."
	for stack, want := range map[string]string{
		candidate + "mergeMembers(0x1)\n": "merging",
		"delegate/internal/land/analyze.(*Analysis).Run(0x1)\n" + candidate + "findBelow(0x1)\n" + candidate +
			"mergeMembers(0x1)\n": "findings: analysis",
		candidate + "findBelow(0x1)\n" + candidate + "mergeMembers(0x1)\n":              "findings: other",
		"delegate/internal/project.(*Project).Work(...)\n" + candidate + "Build(0x1)\n": "heads",
		candidate + "Build(0x1)\n": rest,
	} {
		other := "goroutine 2 [select]:\n" + candidate + "review(0x1)\n\n"
		if got := partOf(other + fmt.Sprintf(ours, stack)); got != want {
			t.Errorf("%q is %q, want %q", stack, got, want)
		}
	}
}

func TestSampledTakesTheWholeTime(t *testing.T) {
	got, err := sampled(func() error {
		time.Sleep(100 * time.Millisecond) // the work
		return os.ErrExist
	})
	if err != os.ErrExist || got.took < 100*time.Millisecond || got.parts[rest] < 50*time.Millisecond ||
		got.parts[rest] > got.took {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMedian(t *testing.T) {
	for want, figures := range map[float64][]float64{2: {3, 1, 2}, 2.5: {4, 1, 3, 2}, 7: {7}} {
		if got := median(figures); got != want {
			t.Errorf("the median of %v is %v", figures, got)
		}
	}
}
