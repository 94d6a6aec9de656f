// Command delegate splits a task into subtasks, gives each to an agent program in its own git worktree, watches them,
// and lands their work on the target branch one approved candidate at a time.
//
// This package holds the words of the command line: one verb a file, each an adapter that parses, asks if something is missing,
// makes one call, and prints. What is decided is decided in the packages below.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Run(ctx, os.Args[1:], environment{})
	stop()
	os.Exit(code)
}
