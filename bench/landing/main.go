// Command landing measures what it costs to fold many agents' work into one candidate and to land
// it, beside as many runs of git merge.
//
// The work is real: everything that changed between two releases of a public Go module, dealt out
// in pieces to branches from the older one,
// so that files are shared between branches and git has something to merge. All branches together
// make the newer release,
// which is checked after each round on both sides.
//
//	go run ./bench/landing [-branches 64] [-rounds 3] [-module PATH -from VERSION -to VERSION] [-cpuprofile FILE] [-keep]
//
// A round is: git merge --no-ff of each branch in a clone; then, in another, a session whose agents
// have completed these branches,
// from the candidate of all of them to the landed commit. Rounds take turns with what comes first.
// No verify commands are configured.
// The modules come from the module cache or a proxy, through "go mod download".
//
// It prints medians with the smallest and largest figure, and where the time of building and landing went.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"syscall"

	"delegate/internal/agent"
	"delegate/internal/analyze"
)

func main() {
	if status, mine := agent.Live(os.Args[1:]); mine { // a look at a worktree, behind its fence
		os.Exit(status)
	}
	if status, mine := analyze.Live(os.Args[1:]); mine {
		os.Exit(status)
	}
	var o options
	flag.IntVar(&o.branches, "branches", 64, "how many branches, each with an agent")
	flag.IntVar(&o.rounds, "rounds", 3, "how often both sides are measured")
	flag.StringVar(&o.module, "module", "github.com/go-git/go-git/v5", "the module whose changes are merged")
	flag.StringVar(&o.from, "from", "v5.12.0", "the release that branches begin at")
	flag.StringVar(&o.to, "to", "v5.19.3", "the release that they make together")
	flag.StringVar(&o.profile, "cpuprofile", "", "file for a profile of this process, for go tool pprof")
	flag.BoolVar(&o.keep, "keep", false, "keep the folder of all repositories")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := measure(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "landing:", err)
		os.Exit(1)
	}
}

type options struct {
	branches, rounds int
	module, from, to string
	profile          string
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
	if err := alone(root); err != nil {
		return err
	}
	u, err := newUpstream(ctx, filepath.Join(root, "upstream"), o)
	if err != nil {
		return err
	}
	u.describe()
	if o.profile != "" {
		file, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var rounds []round
	for n := range o.rounds {
		r, err := u.round(ctx, filepath.Join(root, fmt.Sprintf("round-%d", n+1)), n)
		if err != nil {
			return fmt.Errorf("round %d: %w", n+1, err)
		}
		fmt.Printf("round %d: git merge %.2f s, candidate %.2f s, landing %.2f s\n", n+1, r.git.Seconds(),
			r.build.took.Seconds(), r.land.took.Seconds())
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
