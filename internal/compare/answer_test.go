package compare

import (
	"os"
	"testing"
)

// An answer is recalled for the same question alone, and only where all of it is there.
func TestAnswerIsRecalled(t *testing.T) {
	dir, names := crowd(t)
	r := opened(t, dir)
	tips := tipsOf(t, r, names...)
	if _, known := r.Recall(tips, "", Text); known {
		t.Fatal("an answer is recalled that nobody gave")
	}
	r.Keep(tips, "", Text, Answer{Blocking: true, Text: []byte("early")})
	if _, known := r.Recall(tips, "", Text); known {
		t.Fatal("an answer is kept before anything was compared")
	}
	if _, err := r.Compare(t.Context(), tips, Text); err != nil {
		t.Fatal(err)
	}
	r.Keep(tips, "", Text, Answer{Blocking: true, Text: []byte("all of it")})
	again := opened(t, dir)
	if a, known := again.Recall(tips, "", Text); !known || !a.Blocking || string(a.Text) != "all of it" {
		t.Fatalf("recalled %t, %+v", known, a)
	}
	moved := append(tips[:0:0], tips...)
	moved[3].Head = tips[4].Head
	_, ofMoved := again.Recall(moved, "", Text)
	_, ofBase := again.Recall(tips, tips[0].Head, Text)
	_, ofDepth := again.Recall(tips, "", Symbols)
	_, ofFewer := again.Recall(tips[1:], "", Text)
	again.p.Config.AnalysisLimit = again.p.Config.VerifyTimeout
	if _, ofOthers := again.Recall(tips, "", Text); ofMoved || ofBase || ofDepth || ofFewer || ofOthers {
		t.Error("another question has this answer:", ofMoved, ofBase, ofDepth, ofFewer, ofOthers)
	}
	data, err := os.ReadFile(r.answerFile(Text))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range data {
		if err := os.WriteFile(r.answerFile(Text), data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, known := r.Recall(tips, "", Text); known {
			t.Errorf("%d of %d bytes are an answer", cut, len(data))
		}
	}
	data[len(data)-1]++
	if err := os.WriteFile(r.answerFile(Text), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, known := r.Recall(tips, "", Text); known {
		t.Error("a damaged answer is one")
	}
}
