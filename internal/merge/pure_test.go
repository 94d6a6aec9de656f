package merge

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"delegate/registry"
)

// minimal lists the smallest failing sets of a monotone failure function by brute force, as bit masks.
func minimal(n int, fails func(mask uint) bool) []uint {
	var found []uint
	for mask := uint(0); mask < 1<<n; mask++ {
		if !fails(mask) {
			continue
		}
		smaller := false
		for bit := 0; bit < n; bit++ {
			smaller = smaller || mask&(1<<bit) != 0 && fails(mask&^(1<<bit))
		}
		if !smaller {
			found = append(found, mask)
		}
	}
	return found
}

// On every monotone function the answer is a set of which no member can be left out, in the given
// order, with few calls.
func TestSmallestFailing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		n := 1 + random.IntN(9)
		culprits := make([]uint, 1+random.IntN(3)) // a set fails if it holds all of one of these
		for i := range culprits {
			culprits[i] = uint(random.IntN(1<<n-1) + 1)
			if random.IntN(2) == 0 {
				culprits[i] = 1 << random.IntN(n)
			}
		}
		failing := func(mask uint) bool {
			return slices.ContainsFunc(culprits, func(c uint) bool { return mask&c == c })
		}
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf("AGT-%03d", i+1)
		}
		calls := 0
		got, err := smallestFailing(all, func(set []string) (bool, error) {
			calls++
			return failing(maskOf(all, set)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if mask := maskOf(all, got); !slices.Contains(minimal(n, failing), mask) {
			t.Fatalf("culprits %b of %d: got %q, which is not minimal", culprits, n, got)
		}
		if !slices.IsSorted(got) {
			t.Fatalf("not in order: %q", got)
		}
		if most := 1 + len(got)*(1+bits.Len(uint(n))); calls > most {
			t.Fatalf("%d calls for %d of %d, want at most %d", calls, len(got), n, most)
		}
	}
}

func maskOf(all, set []string) uint {
	mask := uint(0)
	for _, name := range set {
		mask |= 1 << slices.Index(all, name)
	}
	return mask
}

func TestSmallestFailingWithoutAnyone(t *testing.T) {
	got, err := smallestFailing([]string{"a", "b"}, func([]string) (bool, error) { return true, nil })
	if err != nil || len(got) != 0 {
		t.Errorf("the target alone fails, got %q, %v", got, err)
	}
	// Nothing fails any more when looked at again: an answer, and an end.
	if _, err := smallestFailing([]string{"a", "b", "c"}, func([]string) (bool, error) {
		return false, nil
	}); err != nil {
		t.Error(err)
	}
	broken := errors.New("no disk")
	for at := 1; at <= 3; at++ {
		calls := 0
		_, err := smallestFailing([]string{"a", "b", "c", "d"}, func(set []string) (bool, error) {
			if calls++; calls == at {
				return false, broken
			}
			return len(set) > 2, nil
		})
		if !errors.Is(err, broken) {
			t.Errorf("call %d: error %v", at, err)
		}
	}
}

const progress = `# Progress
**Active Task**: Limits
**Progress**: 10%
**Last Updated**: 2025-12-31

## I. Active Task
### Limits
- [ ] Limiter core
  - [ ] Limiter docs
- [x] Design
-  [ ] Limiter core
text - [ ] Limiter core

## II. Recent Updates

- 2025-12-31: began

## V. Known Issues & Blockers
- [ ] Limiter core of another kind
no line break at the end`

func landedAgents() []registry.Agent {
	return []registry.Agent{{Subtask: "Limiter core"}, {Subtask: "Write about it", Task: "Limiter docs"},
		{Subtask: "Design", Task: "other"}}
}

func TestProgressText(t *testing.T) {
	const id = "DEL-20260102-150405"
	want := strings.NewReplacer(
		"**Progress**: 10%", "**Progress**: 100%", "2025-12-31\n\n## I", "2026-01-02\n\n## I",
		"\n- [ ] Limiter core\n", "\n- [x] Limiter core\n", "  - [ ] Limiter docs", "  - [x] Limiter docs",
		"- 2025-12-31: began", "- 2026-01-02: landed Limiter core; Write about it; Design ("+id+
			")\n- 2025-12-31: began",
	).Replace(progress)
	got := progressText(progress, landedAgents(), id, "2026-01-02")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := progressText(got, landedAgents(), id, "2026-01-03"); again != got {
		t.Errorf("a second time:\n%s", again)
	}
	windows := strings.ReplaceAll(progress, "\n", "\r\n")
	if got := progressText(windows, landedAgents(), id, "2026-01-02"); got != strings.ReplaceAll(want, "\n", "\r\n") {
		t.Errorf("with CRLF:\n%q", got)
	}
}

func TestProgressTextInventsNothing(t *testing.T) {
	const id = "DEL-20260102-150405"
	bullet := "- 2026-01-02: landed Limiter core; Write about it; Design (" + id + ")"
	for text, want := range map[string]string{
		"": "", "nothing of the form\n": "nothing of the form\n",
		"**Progress**: 10%\n": "**Progress**: 10%\n", // nothing was ticked
		// ends without a line break as before
		"## II. Recent Updates":   "## II. Recent Updates\n" + bullet,
		"## II. Recent Updates\n": "## II. Recent Updates\n" + bullet + "\n",
		"## II. Recent Updates\n\n## IV. Completed Tasks": "## II. Recent Updates\n\n" + bullet +
			"\n\n## IV. Completed Tasks",
		"**Last Updated**: x": "**Last Updated**: 2026-01-02",
	} {
		if got := progressText(text, landedAgents(), id, "2026-01-02"); got != want {
			t.Errorf("of %q\n got %q\nwant %q", text, got, want)
		}
	}
}
