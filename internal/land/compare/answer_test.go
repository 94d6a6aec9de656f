package compare

import (
	"os"
	"strings"
	"testing"

	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
)

// An agent that began where the target is by now has no part in what an older one's work and the target do to each
// other.
func TestAConflictWithWhatASideBeganWith(t *testing.T) {
	dir, _ := crowd(t)
	runGit(t, dir, "", "checkout", "-q", "b0")
	blob := runGit(t, dir, "mine\n", "hash-object", "-w", "--stdin")
	runGit(t, dir, "", "update-index", "--add", "--cacheinfo", "100644,"+blob+",other.txt")
	runGit(t, dir, "", "-c", "user.name=C", "-c", "user.email=c@example.org", "commit", "-q", "-m", "newer")
	r := opened(t, dir)
	at := tipsOf(t, r, "main", "b1", "b0~1", "HEAD")
	older := objects.Span{Name: "AGT-001", Base: at[0].Head, Head: at[1].Head}
	target := objects.Span{Name: "target", Head: at[2].Head}
	newer := objects.Span{Name: "AGT-002", Base: at[2].Head, Head: at[3].Head}
	found, err := r.Compare(t.Context(), []objects.Span{older, newer, target}, analyze.Text)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || strings.Join(found[0].Agents, " ") != "AGT-001 target" || !found[0].Blocking {
		t.Errorf("found %+v", found)
	}
}

// An answer is recalled for the same question alone, and only where all of it is there.
func TestAnswerIsRecalled(t *testing.T) {
	dir, names := crowd(t)
	r := opened(t, dir)
	tips := tipsOf(t, r, names...)
	if _, known := r.Recall(tips, "", analyze.Text); known {
		t.Fatal("an answer is recalled that nobody gave")
	}
	r.Keep(tips, "", analyze.Text, Answer{Blocking: true, Text: []byte("early")})
	if _, known := r.Recall(tips, "", analyze.Text); known {
		t.Fatal("an answer is kept before anything was compared")
	}
	if _, err := r.Compare(t.Context(), tips, analyze.Text); err != nil {
		t.Fatal(err)
	}
	r.Keep(tips, "", analyze.Text, Answer{Blocking: true, Text: []byte("all of it")})
	again := opened(t, dir)
	if a, known := again.Recall(tips, "", analyze.Text); !known || !a.Blocking || string(a.Text) != "all of it" {
		t.Fatalf("recalled %t, %+v", known, a)
	}
	moved := append(tips[:0:0], tips...)
	moved[3].Head = tips[4].Head
	_, ofMoved := again.Recall(moved, "", analyze.Text)
	_, ofBase := again.Recall(tips, tips[0].Head, analyze.Text)
	_, ofDepth := again.Recall(tips, "", analyze.Symbols)
	_, ofFewer := again.Recall(tips[1:], "", analyze.Text)
	again.p.Config.AnalysisLimit = again.p.Config.VerifyTimeout
	if _, ofOthers := again.Recall(tips, "", analyze.Text); ofMoved || ofBase || ofDepth || ofFewer || ofOthers {
		t.Error("another question has this answer:", ofMoved, ofBase, ofDepth, ofFewer, ofOthers)
	}
	data, err := os.ReadFile(r.answerFile(analyze.Text))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range data {
		if err := os.WriteFile(r.answerFile(analyze.Text), data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, known := r.Recall(tips, "", analyze.Text); known {
			t.Errorf("%d of %d bytes are an answer", cut, len(data))
		}
	}
	data[len(data)-1]++
	if err := os.WriteFile(r.answerFile(analyze.Text), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, known := r.Recall(tips, "", analyze.Text); known {
		t.Error("a damaged answer is one")
	}
}
