//go:build bench

package landing

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"delegate/internal/land/analyze"
	"delegate/internal/turn/keeper"
)

// given is what the command line asks for.
var given options

func TestMain(m *testing.M) {
	if status, mine := keeper.Main(os.Args[1:]); mine { // a look at a worktree, behind its fence
		os.Exit(status)
	}
	if status, mine := analyze.Live(os.Args[1:]); mine {
		os.Exit(status)
	}
	flag.IntVar(&given.branches, "branches", 0, "how many branches, each with an agent")
	flag.IntVar(&given.rounds, "rounds", 3, "how often both sides are measured")
	flag.StringVar(&given.module, "module", "github.com/go-git/go-git/v5", "the module whose changes are merged")
	flag.StringVar(&given.from, "from", "v5.12.0", "the release that branches begin at")
	flag.StringVar(&given.to, "to", "v5.19.3", "the release that they make together")
	flag.BoolVar(&given.keep, "keep", false, "keep the folder of all repositories")
	flag.Parse()
	folder, err := os.MkdirTemp("", "landing-settings-")
	if err == nil {
		err = alone(folder)
	}
	if err != nil {
		panic(err)
	}
	status := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		panic(err)
	}
	os.Exit(status)
}

func TestLanding(t *testing.T) {
	if given.branches == 0 {
		t.Skip("measures for minutes; give it -args -branches 64")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, given); err != nil {
		t.Fatal(err)
	}
}

type options struct {
	branches, rounds int
	module, from, to string
	keep             bool
}

func measure(ctx context.Context, o options) (err error) {
	root, err := os.MkdirTemp("", "landing-")
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Println("kept:", root)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	}
	u, err := newUpstream(ctx, filepath.Join(root, "upstream"), o)
	if err != nil {
		return err
	}
	u.describe()
	var rounds []round
	for n := range o.rounds {
		r, err := u.round(ctx, filepath.Join(root, fmt.Sprintf("round-%d", n+1)), n)
		if err != nil {
			return fmt.Errorf("round %d: %w", n+1, err)
		}
		fmt.Printf("round %d: git merge %.2f s, candidate %.2f s, again %.2f s, landing %.2f s\n", n+1,
			r.git.took.Seconds(), r.build.took.Seconds(), r.again.took.Seconds(), r.land.took.Seconds())
		rounds = append(rounds, r)
	}
	table(o, rounds)
	return nil
}

// alone keeps git's settings of this machine out, for this process and all that it starts.
func alone(root string) error {
	settings := filepath.Join(root, "gitconfig")
	text := "[user]\n\tname = Pat\n\temail = pat@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
	err := os.WriteFile(settings, []byte(text), 0o644)
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": settings, "GIT_CONFIG_NOSYSTEM": "1",
		"LC_ALL": "C"} {
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
}
