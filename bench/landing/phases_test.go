//go:build bench

package landing

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// phases says how long something took, how much processor time, and for how much of the clock's each of its parts was
// seen at work.
type phases struct {
	took  time.Duration
	spent float64 // seconds of processor time, with those of all processes that it started
	parts map[string]time.Duration
}

// part is a phase and the functions that are all on the stack during it, by the beginnings of their names.
type part struct {
	name      string
	functions []string
}

// parts are the phases, inner ones first.
func parts() []part {
	const (
		candidate = "delegate/internal/land/candidate."
		land      = "delegate/internal/land."
		project   = "delegate/internal/project."
	)
	const below, others = candidate + "(*Builder).findBelow", candidate + "(*Builder).others"
	var all []part
	for _, inner := range []part{
		{"reading objects", []string{"delegate/internal/git/objects."}},
		{"analysis", []string{"delegate/internal/land/analyze."}},
		{"other", nil},
	} {
		all = append(all, part{"findings: " + inner.name, append(inner.functions, below)},
			part{"findings: " + inner.name, append(inner.functions, others)})
	}
	return append(all,
		part{"heads", []string{project + "(*Project).TakeHeads"}},
		part{"heads", []string{project + "(*Project).Work"}},
		part{"scope", []string{project + "(*Project).Breaches"}},
		part{"tests", []string{project + "(*Project).Verify"}},
		part{"review", []string{candidate + "(*Builder).review"}},
		part{"digest", []string{candidate + "Candidate.digest"}},
		part{"merging", []string{candidate + "(*Builder).mergeMember"}},
		part{"landing", []string{land + "(*lander)."}},
		part{"commits", []string{land + "commits"}},
	)
}

// between is how often it is looked where the work is.
const between = 5 * time.Millisecond

// sampled runs work and looks again and again at which part of it is going on.
// The parts need not know of it: it reads the stack of the goroutine that runs work.
func sampled(work func() error) (phases, error) {
	begun, before := time.Now(), processorTime()
	s := &sampler{phases: phases{parts: map[string]time.Duration{}}, last: begun}
	s.mu.Lock() // a look needs the timer
	s.timer = time.AfterFunc(between, s.look)
	s.mu.Unlock()
	err := work()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.timer.Stop()
	s.took, s.spent = time.Since(begun), processorTime()-before
	return s.phases, err
}

type sampler struct {
	mu    sync.Mutex
	timer *time.Timer
	over  bool
	last  time.Time
	phases
}

func (s *sampler) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	stack := make([]byte, 256<<10)
	name := partOf(string(stack[:runtime.Stack(stack, true)]))
	now := time.Now()
	s.parts[name] += now.Sub(s.last)
	s.last = now
	s.timer.Reset(between)
}

// rest is the part that has no name.
const rest = "the rest"

// partOf finds the part in the stacks of all goroutines. Only one of them has sampled on it.
func partOf(stacks string) string {
	for stack := range strings.SplitSeq(stacks, "\n\n") {
		if !strings.Contains(stack, "landing.sampled(") {
			continue
		}
		for _, p := range parts() {
			if !slices.ContainsFunc(p.functions, func(f string) bool { return !strings.Contains(stack, "\n"+f) }) {
				return p.name
			}
		}
	}
	return rest
}

// table prints what all rounds took.
func table(o options, rounds []round) {
	var ratio, both []float64
	side := func(name string, of func(round) phases) {
		var took, spent []float64
		for _, r := range rounds {
			took, spent = append(took, of(r).took.Seconds()), append(spent, of(r).spent)
		}
		line(name, took)
		line("  processor time of that", spent)
	}
	for _, r := range rounds {
		both = append(both, (r.build.took + r.land.took).Seconds())
		ratio = append(ratio, (r.build.took+r.land.took).Seconds()/r.git.took.Seconds())
	}
	fmt.Printf("\n%-44s %9s %9s %9s\n", fmt.Sprintf("%d rounds, seconds", len(rounds)), "median", "smallest", "largest")
	side(fmt.Sprintf("%d × git merge --no-ff", o.branches), func(r round) phases { return r.git })
	side(fmt.Sprintf("one candidate of %d agents, built", o.branches), func(r round) phases { return r.build })
	side("the same built by another builder", func(r round) phases { return r.again })
	side("approved and landed (built once more)", func(r round) phases { return r.land })
	line("built and landed", both)
	line("built and landed, as a multiple of git merge", ratio)
	shares("of building", rounds, func(r round) phases { return r.build })
	shares("of building again", rounds, func(r round) phases { return r.again })
	shares("of landing", rounds, func(r round) phases { return r.land })
}

func shares(title string, rounds []round, of func(round) phases) {
	seen := map[string][]float64{}
	for i, r := range rounds {
		for name, d := range of(r).parts {
			if seen[name] == nil {
				seen[name] = make([]float64, len(rounds))
			}
			seen[name][i] = d.Seconds()
		}
	}
	fmt.Printf("%s\n", title)
	byTime := func(a, b string) int { return cmp.Or(cmp.Compare(median(seen[b]), median(seen[a])), cmp.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(seen), byTime) {
		line("  "+name, seen[name])
	}
}

// processorTime is that of this process and of all that it has started, those that still run and those it waited for.
// It is 0 where there is no /proc.
func processorTime() (seconds float64) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	parents, ticks := map[string]string{}, map[string]int{}
	for _, name := range all {
		stat, _ := os.ReadFile(name) // one that has ended meanwhile is empty
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 14 {
			pid := filepath.Base(filepath.Dir(name))
			parents[pid] = fields[1]
			for _, field := range fields[11:15] { // its own, and that of children which it waited for
				n, _ := strconv.Atoi(field)
				ticks[pid] += n
			}
		}
	}
	for pid, n := range ticks {
		for above := pid; above != ""; above = parents[above] {
			if above == strconv.Itoa(os.Getpid()) {
				seconds += float64(n) / 100
			}
		}
	}
	return seconds
}

func line(name string, figures []float64) {
	fmt.Printf("%-44s %9.2f %9.2f %9.2f\n", name, median(figures), slices.Min(figures), slices.Max(figures))
}

func median(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
