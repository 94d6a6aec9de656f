package control

import (
	"strings"
	"testing"
)

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		words string
		found []string
		want  string
	}{
		{"", nil, ""},
		{" Mend it. ", []string{" "}, "Mend it."},
		{"", []string{"first", "second\nwith an end\n"}, "What the review found:\n\n- first\n- second\n  with an end"},
		{"Mend it.", []string{"a\x1b[31m"}, "Mend it.\n\nWhat the review found:\n\n- a"},
	} {
		if got := Findings(c.words, c.found); got != c.want {
			t.Errorf("%q with %q: %q, want %q", c.words, c.found, got, c.want)
		}
	}
	if got := Findings("", []string{strings.Repeat("x", 2*largestFinding)}); len(got) > largestFinding+200 ||
		!strings.Contains(got, "cut here") {
		t.Errorf("%d bytes of a long one", len(got))
	}
}
