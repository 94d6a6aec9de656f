package resource_test

import (
	"testing"

	"delegate/internal/fence/resource"
)

// BenchmarkGroup is what a turn's group costs: to be made with its limits, and to be taken away.
func BenchmarkGroup(b *testing.B) {
	limits := resource.Limits{Memory: 1 << 30, Processes: 4096, CPUWeight: 50}
	for b.Loop() {
		g, held := resource.Make(limits)
		if g == nil {
			b.Skip("no control group can be made here: ", held.Fault)
		}
		g.Close()
	}
}
