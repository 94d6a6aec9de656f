package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"delegate/internal/git"
)

// fork commits two sides that start from the box's commit and answers with both.
func (b *box) fork(ours, theirs func()) (string, string) {
	b.Helper()
	base := b.Git("rev-parse", "HEAD")
	b.Git("checkout", "-q", "-b", "ours", base)
	ours()
	one := b.Commit("ours")
	b.Git("checkout", "-q", "-b", "theirs", base)
	theirs()
	return one, b.Commit("theirs")
}

func (b *box) merge(ours, theirs string) git.Merged {
	b.Helper()
	m, err := b.open().Merge(b.Context(), ours, theirs)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func types(m git.Merged) []string {
	var all []string
	for _, message := range m.Messages {
		all = append(all, message.Type)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestMergeClean(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n2\n3\n4\n5\n6\n7\n", "g": "g\n"})
	ours, theirs := b.fork(func() { b.Write(map[string]string{"f": "one\n2\n3\n4\n5\n6\n7\n"}) },
		func() { b.Write(map[string]string{"f": "1\n2\n3\n4\n5\n6\nseven\n", "h": "h\n"}) })
	refs := b.Git("for-each-ref")
	m := b.merge(ours, theirs)
	if !m.Clean || len(m.Stages) != 0 {
		t.Errorf("merge %+v, want a clean one", m)
	}
	equal(t, "messages", types(m), []string{"Auto-merging"})
	if got := b.Git("cat-file", "blob", m.Tree+":f"); got != "one\n2\n3\n4\n5\n6\nseven" {
		t.Errorf("merged file %q", got)
	}
	if b.Git("for-each-ref") != refs || b.Git("status", "--porcelain") != "" {
		t.Error("a merge without a checkout moved something")
	}
}

func TestMergeConflicts(t *testing.T) {
	const odd = "ta\tb\nnl"
	b := newBox(t, map[string]string{odd: "1\n", "moved": "a\nb\nc\nd\n", "kept": "k\n"})
	ours, theirs := b.fork(func() {
		b.Write(map[string]string{odd: "ours\n"})
		b.Git("mv", "moved", "elsewhere")
	}, func() {
		b.Write(map[string]string{odd: "theirs\n"})
		b.Remove("moved")
	})
	m := b.merge(ours, theirs)
	if m.Clean {
		t.Fatal("the merge is clean")
	}
	equal(t, "messages", types(m), []string{"Auto-merging", "CONFLICT (contents)", "CONFLICT (rename/delete)"})
	var stages []int
	for _, s := range m.Stages {
		if s.Path == odd {
			stages = append(stages, s.Number)
		}
	}
	if !slices.Equal(stages, []int{1, 2, 3}) {
		t.Errorf("stages of %q: %v among %+v", odd, stages, m.Stages)
	}
	for _, message := range m.Messages {
		if message.Type == "CONFLICT (rename/delete)" {
			equal(t, "paths of rename/delete", message.Paths, []string{"elsewhere", "moved"})
		}
	}
	if got := b.Git("cat-file", "blob", m.Tree+":kept"); got != "k" {
		t.Errorf("kept file %q", got)
	}
}

// A driver is a program: it is not run, whatever its name is, and the file waits for a person.
func TestMergeRunsNoDriver(t *testing.T) {
	for _, name := range []string{"evil", "a=b", "with space", "do.t"} {
		b := newBox(t, map[string]string{"f": "1\n"})
		ran := filepath.Join(t.TempDir(), "ran")
		b.Git("config", "merge."+name+".driver", "touch "+ran+"; exit 0")
		b.Git("config", "merge.default", name)
		ours, theirs := b.fork(func() {
			b.Write(map[string]string{"f": "ours\n"})
		}, func() { b.Write(map[string]string{"f": "theirs\n"}) })
		m := b.merge(ours, theirs)
		if _, err := os.Lstat(ran); err == nil {
			t.Errorf("driver %q was run", name)
		}
		if m.Clean {
			t.Errorf("driver %q: the merge is clean", name)
		}
	}
}

func TestMergeWithoutCommonHistory(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	one := b.Git("rev-parse", "HEAD")
	b.Git("checkout", "-q", "--orphan", "alone")
	two := b.Commit("alone")
	_, err := b.open().Merge(t.Context(), one, two)
	wantErr(t, err, git.ErrNoMergeBase)
}

func TestMergeIgnoresTheRenameConfiguration(t *testing.T) {
	b := newBox(t, map[string]string{"moved": "a\nb\nc\nd\n"})
	b.Git("config", "merge.renames", "false")
	b.Git("config", "diff.renames", "false")
	ours, theirs := b.fork(func() {
		b.Git("mv", "moved", "to")
	}, func() { b.Write(map[string]string{"moved": "a\nb\nc\nD\n"}) })
	m := b.merge(ours, theirs)
	if !m.Clean || b.Git("cat-file", "blob", m.Tree+":to") != "a\nb\nc\nD" {
		t.Errorf("merge %+v does not follow the move", m)
	}
}

func TestCommitTreeLikeIsRepeatable(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	r := b.open()
	for _, date := range []string{"@1000000000 +0200", "@5 -0330"} {
		t.Setenv("GIT_AUTHOR_DATE", date)
		t.Setenv("GIT_COMMITTER_DATE", date)
		parent := b.Commit("dated " + date)
		b.Git("config", "log.showSignature", "true")
		t.Setenv("GIT_AUTHOR_DATE", "@1 +0000")
		t.Setenv("GIT_COMMITTER_NAME", "Somebody Else")
		one, err := r.CommitTreeLike(t.Context(), parent+"^{tree}", "message\n", parent)
		if err != nil {
			t.Fatal(err)
		}
		got := b.Git("log", "-1", "--no-show-signature", "--date=raw", "--format=%an|%ad|%cn|%cd", one)
		if want := "Ann Author|" + date[1:] + "|Con Committer|" + date[1:]; got != want {
			t.Errorf("commit %q, want %q", got, want)
		}
		t.Setenv("GIT_COMMITTER_NAME", "Con Committer")
	}
}

func TestIdentity(t *testing.T) {
	b := newBox(t, nil)
	r := b.open()
	if p, err := r.Author(t.Context()); err != nil || p.String() != "Ann Author <ann@example.org>" {
		t.Errorf("author %v, %v", p, err)
	}
	for _, name := range []string{"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	_, err := r.Committer(t.Context())
	wantErr(t, err, git.ErrNoIdentity)
}
