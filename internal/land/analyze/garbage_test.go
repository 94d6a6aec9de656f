package analyze

import "testing"

// TestGarbageIsBounded holds that a small analysis may lose much before it looks for it, and a large one never more
// than it uses.
func TestGarbageIsBounded(t *testing.T) {
	for used, want := range map[uint64]int{0: mostGarbage, 1 << 20: mostGarbage, 56 << 20: 300, 112 << 20: leastGarbage,
		1 << 30: leastGarbage} {
		if got := garbagePercent(used); got != want {
			t.Errorf("beside %d bytes it is %d percent, want %d", used, got, want)
		}
	}
}
