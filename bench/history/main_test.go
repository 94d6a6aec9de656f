//go:build bench

package history

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/conflict"
	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
	"delegate/internal/land/compare"
	"delegate/internal/project"
	"delegate/internal/turn/keeper"
)

// pair is one line of the labels.
type pair struct {
	repo, left, right, label, root, kind, symbol string
}

// given is what the command line asks for.
var given struct {
	labels, clones string
	repos          string
	findings       bool
}

func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	if status, mine := analyze.Live(os.Args[1:]); mine {
		os.Exit(status)
	}
	flag.StringVar(&given.labels, "labels", "labels.tsv", "file of labelled pairs")
	flag.StringVar(&given.clones, "clones", "", "folder with a clone of each repository")
	flag.StringVar(&given.repos, "repos", "", "repositories to measure, with commas between them (default: all)")
	flag.BoolVar(&given.findings, "findings", false, "print every finding of pairs that were judged wrongly")
	flag.Parse()
	os.Exit(m.Run())
}

func TestHistory(t *testing.T) {
	if given.clones == "" {
		t.Skip("measures for minutes; give it -args -clones DIR")
	}
	pairs, err := read(given.labels)
	if err != nil {
		t.Fatal(err)
	}
	for _, repo := range reposOf(pairs) {
		if given.repos != "" && !slices.Contains(strings.Split(given.repos, ","), repo) {
			continue
		}
		fmt.Println(repo)
		for _, depth := range []analyze.Depth{analyze.Symbols, analyze.Checked} {
			if err := measure(t.Context(), pairs, repo, depth); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// reposOf are the repositories of the pairs, in their order.
func reposOf(pairs []pair) (repos []string) {
	for _, p := range pairs {
		if !slices.Contains(repos, p.repo) {
			repos = append(repos, p.repo)
		}
	}
	return repos
}

// measure judges the pairs of one repository at one depth, and prints what came of it.
func measure(ctx context.Context, pairs []pair, repo string, depth analyze.Depth) error {
	t := tally{depth: depth, verbose: given.findings, found: map[string]bool{}, missed: map[string]bool{},
		alarms: map[string]int{}}
	for _, p := range pairs {
		if p.repo != repo {
			continue
		}
		if err := t.judge(ctx, p, filepath.Join(given.clones, path.Base(p.repo))); err != nil {
			return err
		}
	}
	t.print()
	return nil
}

func read(file string) ([]pair, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var pairs []pair
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 7 || fields[0] == "repo" || strings.HasPrefix(fields[0], "#") {
			continue
		}
		pairs = append(pairs, pair{fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], fields[6]})
	}
	return pairs, lines.Err()
}

// tally counts what the analysis says of the labelled pairs at one depth.
type tally struct {
	depth         analyze.Depth
	verbose       bool
	found, missed map[string]bool // roots
	alarms        map[string]int  // pairs with a finding that no conflict deserves, by label
	pairs         map[string]int
	took          []time.Duration
}

// telling are the findings that a build could contradict: suspicions and confirmations of the kinds
// that a compiler sees.
func (t *tally) telling(all []conflict.Finding) []conflict.Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f conflict.Finding) bool {
		compiled := f.Type == conflict.APIConflict || f.Type == conflict.ImportConflict
		return !compiled || f.Severity == conflict.Info || t.depth == analyze.Checked && !f.Blocking
	})
}

func (t *tally) judge(ctx context.Context, p pair, clone string) error {
	opened, err := project.Open(ctx, clone, project.Options{Bare: true})
	if err != nil {
		return err
	}
	b := compare.New(opened)
	defer b.Close()
	start := time.Now()
	all, err := b.Compare(ctx, []objects.Span{{Name: "left", Head: p.left}, {Name: "right", Head: p.right}}, t.depth)
	if err != nil {
		return fmt.Errorf("%s %.12s %.12s: %w", p.repo, p.left, p.right, err)
	}
	t.took = append(t.took, time.Since(start))
	if t.pairs == nil {
		t.pairs = map[string]int{}
	}
	t.pairs[p.label]++
	said := t.telling(all)
	switch {
	case p.label == "conflict" && len(said) > 0:
		t.found[p.root] = true
	case p.label == "conflict":
		t.missed[p.root] = true
		t.show("missed", p, all)
	case len(said) > 0:
		t.alarms[p.label]++
		t.show("alarm", p, said)
	}
	return nil
}

func (t *tally) show(what string, p pair, found []conflict.Finding) {
	if !t.verbose {
		return
	}
	fmt.Printf("%s at %s: %s %.12s %.12s %s %s %s\n", what, t.depth, p.repo, p.left, p.right, p.root, p.kind, p.symbol)
	for _, f := range found {
		fmt.Printf("   %s %s %s: %s %v\n", f.Type, f.Severity, f.Certainty, f.Message, f.Places)
	}
}

func (t *tally) print() {
	missed := 0
	for root := range t.missed {
		if !t.found[root] {
			missed++
			fmt.Printf("  root %s is missed\n", root)
		}
	}
	roots := len(t.found) + missed
	fmt.Printf("%s: %d pairs %v\n", t.depth, len(t.took), t.pairs)
	fmt.Printf("  recall    %d of %d roots\n", len(t.found), roots)
	for _, label := range []string{"clean", "random"} {
		fmt.Printf("  alarms    %d of %d pairs labelled %s\n", t.alarms[label], t.pairs[label], label)
	}
	slices.SortFunc(t.took, cmp.Compare)
	if n := len(t.took); n > 0 {
		fmt.Printf("  time      median %v, nine of ten within %v, longest %v\n", t.took[n/2], t.took[n*9/10],
			t.took[n-1])
	}
}
