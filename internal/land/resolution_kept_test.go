package land_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestTextsWithMarkers holds that lines of the sides that look like markers are taken for content.
func TestTextsWithMarkers(t *testing.T) {
	q := newQuarrel(t)
	f := func(text string) map[string]string { return map[string]string{"f": text} }
	s := threeSides{f("Title\n=======\nbase\n"), f("Title\n=======\nA\n"), f("Title\n=======\nB\n")}
	clash := q.open(q.merge(s))
	want := "Title\n=======\n<<<<<<<< x\nA\n|||||||| base\nbase\n========\nB\n>>>>>>>> y\n"
	if got := string(clash.Marked("x", "y")); got != want {
		t.Errorf("marked %q", got)
	}
	if line, found := clash.Leftover([]byte("Title\n=======\nA\n========\nB\n")); line != 4 || !found {
		t.Errorf("leftover in line %d, %t", line, found)
	}
	if _, found := clash.Leftover([]byte("Title\n=======\nA\n")); found {
		t.Error("a heading is taken for a marker")
	}
	hunks := clash.Hunks()
	if len(hunks) != 1 || hunks[0].Ours != "A\n" || hunks[0].Base != "base\n" || hunks[0].OurLine != 3 ||
		hunks[0].TheirLine != 3 {
		t.Errorf("hunks %+v", hunks)
	}
	q.byHand(clash, "Title\n=======\nC\n")
	s.ours = f("Title\n=======\nA\n")
	s.theirs = f("before\nTitle\n=======\nB\n")
	s.base = f("Title\n=======\nbase\n")
	if a := q.apply(q.merge(s)); len(a.Used) != 1 || q.files(a.Tree)["f"] != "before\nTitle\n=======\nC\n" {
		t.Errorf("applied %+v", a)
	}
}

// TestWhereSidesStand holds the line numbers of several places.
func TestWhereSidesStand(t *testing.T) {
	q := newQuarrel(t)
	f := func(text string) map[string]string { return map[string]string{"f": text} }
	clash := q.open(q.merge(threeSides{
		f("a\n1\n2\n3\n4\nb\n5\n6\n7\nc\n"), f("A\n1\n2\n3\n4\n5\n6\n7\nC"),
		f("n\nn\nX\n1\n2\n3\n4\nB\n5\n6\n7\nZ\nZ\n"),
	}))
	var got []string
	for _, h := range clash.Hunks() {
		got = append(got, fmt.Sprintf("%d %d", h.OurLine, h.TheirLine))
	}
	if want := []string{"1 1", "0 8", "9 12"}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
}
