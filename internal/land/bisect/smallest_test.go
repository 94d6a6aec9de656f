package bisect

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// minimal lists the smallest failing sets of a monotone failure function by brute force, as bit masks.
func minimal(n int, fails func(mask uint) bool) []uint {
	var found []uint
	for mask := uint(0); mask < 1<<n; mask++ {
		if !fails(mask) {
			continue
		}
		smaller := false
		for bit := range n {
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
