package analyze

import (
	"runtime/debug"
	"runtime/metrics"
)

// garbage is how much memory may be lost before it is looked for.
type garbage struct {
	percent int // of what was in use when it was looked for last
}

const (
	// roomy is up to how many bytes the memory that is in use and the lost one may come together in any case.
	roomy = 224 << 20
	// leastGarbage and mostGarbage are in percent of what is in use.
	leastGarbage, mostGarbage = 100, 800
)

// allow sets it for what is asked for. Of Go's checker it goes by what is in use now: that keeps what is large, and
// grows. All else takes hardly longer where less may be lost.
func (g *garbage) allow(r request) {
	percent := leastGarbage
	if r.Go != nil {
		percent = garbagePercent(inUse())
	}
	// To set it waits for who looks for garbage at this moment.
	if least := g.percent * 3 / 4; percent >= least && percent <= g.percent*4/3 && g.percent > 0 {
		return
	}
	g.percent = percent
	debug.SetGCPercent(percent)
}

// garbagePercent is the percentage for so many bytes in use.
func garbagePercent(used uint64) int {
	if used == 0 {
		return mostGarbage
	}
	room := max(roomy, used) - used
	return int(min(max(room*100/used, leastGarbage), mostGarbage))
}

// inUse is how many bytes were in use when garbage was looked for last.
func inUse() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(live); live[0].Value.Kind() != metrics.KindUint64 {
		return roomy
	}
	return live[0].Value.Uint64()
}
