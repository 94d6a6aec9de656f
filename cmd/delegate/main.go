// Command delegate splits a task into subtasks, gives each to an agent program in its own git worktree, watches them,
// and lands their work on the target branch one approved candidate at a time.
//
// This package holds the words of the command line: one verb a file, each an adapter that parses,
// asks if something is missing, makes one call, and prints. What is decided is decided in the
// packages below.
package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"delegate/internal/engine/remote"
	"delegate/internal/supervise"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
)

func main() { os.Exit(runUntilSignal(commandLine(os.Args), environment{above: agentAbove})) }

// commandLine is what was typed behind "delegate". By a link named sync or git-sync it is about `delegate sync`, unless
// this program called itself.
func commandLine(args []string) []string {
	words := args[1:]
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	called := len(words) > 0 && (words[0] == hookVerb || strings.HasPrefix(words[0], "__"))
	if (name == "sync" || name == "git-sync") && !called {
		words = append([]string{"sync"}, words...)
	}
	return words
}

// collectLate has garbage collected from 32 MB on in place of 4, and as usual after that: most commands end before, and
// a supervisor has started its agents.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const eightfold = 800
	usual := debug.SetGCPercent(eightfold)
	atFirst := func(percent int) { debug.SetGCPercent(percent) }
	runtime.AddCleanup(&struct{ *int }{}, atFirst, usual)
}

// endLimit is how long a command that was told to end has for what it is in the middle of.
// Everything it does can be cut off at any point.
const endLimit = 700 * time.Millisecond

// runUntilSignal runs one command line. A signal to end cancels its context; if it has not ended
// soon after, or at a second signal, the process does, whatever it waits for: a lock, a file that
// another process holds, a child that hangs. The processes around an agent's program are left out:
// a signal to them is a request to end that program, which they answer for.
func runUntilSignal(args []string, env environment) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if keeper.IsTurnProcess(os.Args) || remote.IsLife(args) || len(args) > 0 &&
		slices.Contains([]string{agent.BridgeVerb, hookVerb}, args[0]) {
		return Run(ctx, args, env)
	}
	if len(args) == 0 || !strings.HasPrefix(args[0], "__") || args[0] == supervise.SupervisorVerb {
		collectLate()
	}
	code := make(chan int, 1)
	go func() { code <- Run(ctx, args, env) }() // ends with the process at the latest, which ends with this function
	select {
	case c := <-code:
		return c
	case <-ctx.Done():
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM)
	select {
	case c := <-code:
		return c
	case <-again:
	case <-time.After(endLimit):
	}
	return exitInterrupted
}
