//go:build bench && linux

package soak

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"delegate/internal/sys/run"
)

// given is what the command line asks for.
var given options

func TestMain(m *testing.M) {
	flag.IntVar(&given.sessions, "sessions", 0, "how many sessions, each in a repository of its own")
	flag.IntVar(&given.agents, "agents", 10, "how many agents in each")
	flag.Uint64Var(&given.seed, "seed", 1, "what agents do and what is done to them")
	flag.BoolVar(&given.keep, "keep", false, "keep every session's folder")
	flag.Parse()
	os.Exit(m.Run())
}

func TestSoak(t *testing.T) {
	if given.sessions == 0 {
		t.Skip("measures for minutes; give it -args -sessions 20")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := soakAll(ctx, given); err != nil {
		t.Fatal(err)
	}
}

type options struct {
	sessions, agents int
	seed             uint64
	keep             bool
}

// soak is one run of this program.
type soak struct {
	options
	root    string         // of everything it makes
	program string         // the delegate that was built
	count   map[string]int // figures by name
	faults  int
	begun   time.Time
}

var errFound = errors.New("something was wrong")

func soakAll(ctx context.Context, o options) error {
	root, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return err
	}
	s := &soak{options: o, root: root, program: filepath.Join(root, "delegate"), count: map[string]int{},
		begun: time.Now()}
	build := run.Command{Path: "go", Args: []string{"build", "-o", s.program, "delegate/cmd/delegate"}}
	if err := run.Do(ctx, build); err != nil {
		return fmt.Errorf("build delegate: %w", err)
	}
	if err := os.WriteFile(s.script(), []byte(agentScript), 0o644); err != nil {
		return err
	}
	err = s.sessionsInTurn(ctx)
	s.print()
	if err == nil && s.faults > 0 {
		err = errFound
	}
	if s.faults == 0 && !o.keep {
		return errors.Join(err, os.RemoveAll(root))
	}
	return err
}

func (s *soak) script() string { return filepath.Join(s.root, "agent.sh") }

// atOnce is how many sessions go on beside each other.
const atOnce = 4

// sessionsInTurn looks at each open session again and again, and opens another when one is over.
func (s *soak) sessionsInTurn(ctx context.Context) error {
	var open []*session
	defer func() {
		for _, left := range open {
			left.abandon(context.WithoutCancel(ctx))
		}
	}()
	for number := 1; number <= s.sessions || len(open) > 0; time.Sleep(100 * time.Millisecond) {
		for ; len(open) < atOnce && number <= s.sessions; number++ {
			begun, err := s.begin(ctx, number)
			if err != nil {
				return fmt.Errorf("begin session %d: %w", number, err)
			}
			open = append(open, begun)
		}
		open = slices.DeleteFunc(open, func(one *session) bool { return one.look(ctx) })
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (s *soak) print() {
	fmt.Printf("%d sessions of %d agents, seed %d, %.1f minutes\n", s.sessions, s.agents, s.seed,
		time.Since(s.begun).Minutes())
	for _, name := range slices.Sorted(maps.Keys(s.count)) {
		fmt.Printf("  %-40s %6d\n", name, s.count[name])
	}
	fmt.Printf("%d things were wrong\n", s.faults)
}
