// Package supervise is the supervisor of a repository's session: it compares what the registry says should be with
// what is (turns, their folders, worktrees) and takes the next step for each agent.
//
// Whoever dies in between leaves a registry from which the next supervisor goes on.
package supervise
