package change_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"delegate/change"
)

func TestHunks(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     []change.Hunk
	}{
		"equal":                 {"a\nb\n", "a\nb\n", nil},
		"both empty":            {"", "", nil},
		"from nothing":          {"", "a\nb\n", []change.Hunk{{1, 0, 1, 2}}},
		"to nothing":            {"a\nb\n", "", []change.Hunk{{1, 2, 1, 0}}},
		"one line replaced":     {"a\nb\nc\n", "a\nB\nc\n", []change.Hunk{{2, 1, 2, 1}}},
		"appended":              {"a\n", "a\nb\n", []change.Hunk{{2, 0, 2, 1}}},
		"removed in the middle": {"a\nb\nc\n", "a\nc\n", []change.Hunk{{2, 1, 2, 0}}},
		"two places":            {"a\nb\nc\nd\n", "A\nb\nc\nD\n", []change.Hunk{{1, 1, 1, 1}, {4, 1, 4, 1}}},
		"newline at end only":   {"a\nb", "a\nb\n", []change.Hunk{{2, 1, 2, 1}}},
		"carriage returns":      {"a\r\n", "a\n", []change.Hunk{{1, 1, 1, 1}}},
	} {
		if got := change.Hunks([]byte(c.old), []byte(c.new)); !slices.Equal(got, c.want) {
			t.Errorf("%s: Hunks = %v, want %v", name, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	if ins, del := change.Count([]byte("a\nb\nc\n"), []byte("a\nx\ny\nc\n")); ins != 2 || del != 1 {
		t.Errorf("Count = +%d -%d, want +2 -1", ins, del)
	}
	if ins, del := change.Count([]byte("a\n"), []byte("a\x00\n")); ins != 0 || del != 0 {
		t.Errorf("Count of binary = +%d -%d, want zeroes", ins, del)
	}
}

// checkHunks holds the three promises: what lies between hunks is equal, hunks do not touch,
// and none of them could be left out.
func checkHunks(t *testing.T, old, new string) []change.Hunk {
	t.Helper()
	hunks := change.Hunks([]byte(old), []byte(new))
	oldLines, newLines := slices.Collect(strings.Lines(old)), slices.Collect(strings.Lines(new))
	i, j := 0, 0
	for n, h := range hunks {
		common := h.OldStart - 1 - i
		if common != h.NewStart-1-j || common < 0 || n > 0 && common == 0 || h.OldLines+h.NewLines == 0 {
			t.Fatalf("hunk %d of %v does not follow the one before", n, hunks)
		}
		if !slices.Equal(oldLines[i:i+common], newLines[j:j+common]) {
			t.Fatalf("lines before hunk %d of %v differ", n, hunks)
		}
		i, j = i+common+h.OldLines, j+common+h.NewLines
	}
	if !slices.Equal(oldLines[i:], newLines[j:]) {
		t.Fatalf("lines after the last of %v differ", hunks)
	}
	return hunks
}

func FuzzHunks(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nb\n")
	f.Add("", "\n")
	f.Add("x\nx\nx\ny", "x\ny\nx\n")
	f.Add("\xff\n\xfe\n", "\xfe\n\xff")
	f.Fuzz(func(t *testing.T, old, new string) { checkHunks(t, old, new) })
}

// numbered returns a file of n different lines.
func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d\n", i)
	}
	return lines
}

func TestHunksOfManyDistinctLines(t *testing.T) {
	old := numbered(80_000)
	edited := slices.Clone(old)
	edited[0], edited[40_000], edited[79_999] = "first\n", "middle\n", "last\n"
	edited = slices.Delete(edited, 60_000, 60_010)
	hunks := checkHunks(t, strings.Join(old, ""), strings.Join(edited, ""))
	want := []change.Hunk{{1, 1, 1, 1}, {40_001, 1, 40_001, 1}, {60_001, 10, 60_001, 0}, {80_000, 1, 79_990, 1}}
	if !slices.Equal(hunks, want) {
		t.Errorf("Hunks = %v, want %v", hunks, want)
	}
}

func TestHunksOfHardInput(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shuffled := numbered(80_000)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	repeated := func() string {
		var b strings.Builder
		for range 80_000 {
			fmt.Fprintf(&b, "%d\n", random.IntN(3))
		}
		return b.String()
	}
	for name, c := range map[string][2]string{
		"shuffled":           {strings.Join(numbered(80_000), ""), strings.Join(shuffled, "")},
		"nothing in common":  {strings.Join(numbered(80_000), ""), strings.Repeat("x\n", 80_000)},
		"nothing is unique":  {repeated(), repeated()},
		"one unique among":   {"only\n" + repeated(), repeated() + "only\n"},
		"few different ones": {strings.Repeat("a\nb\n", 4000), strings.Repeat("b\na\na\n", 3000)},
	} {
		t.Run(name, func(t *testing.T) { checkHunks(t, c[0], c[1]) })
	}
}

// TestHunksSmallest compares with the true length of the longest common subsequence.
func TestHunksSmallest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		var b strings.Builder
		for range random.IntN(30) {
			fmt.Fprintf(&b, "%d\n", random.IntN(6))
		}
		return b.String()
	}
	for range 500 {
		old, new := text(), text()
		kept := strings.Count(old, "\n")
		for _, h := range checkHunks(t, old, new) {
			kept -= h.OldLines
		}
		if want := common(strings.Split(old, "\n"), strings.Split(new, "\n")) - 1; kept != want {
			t.Fatalf("%q to %q keeps %d lines, %d are possible", old, new, kept, want)
		}
	}
}

func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			up := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

func BenchmarkHunks(b *testing.B) {
	for _, lines := range []int{200, 5_000, 80_000} {
		old := numbered(lines)
		edited := slices.Clone(old)
		for i := 7; i < lines; i += 100 {
			edited[i] = "edited\n"
		}
		before, after := []byte(strings.Join(old, "")), []byte(strings.Join(edited, ""))
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(before)))
			for b.Loop() {
				change.Hunks(before, after)
			}
		})
	}
}
