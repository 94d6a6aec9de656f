package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"delegate/internal/fence/guard"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/turn/acp"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
)

// runBridge runs a turn of a program that speaks the Agent Client Protocol, as agent.BridgeVerb
// says, and returns the exit code. An interrupt asks the program to stop, a termination kills it.
func runBridge(ctx context.Context, args []string) int {
	b, err := readBridge(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "delegate", agent.BridgeVerb+":", text(ui.ErrorText(err)))
		return exitUsage
	}
	alive, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	uninterrupted, stop := signal.NotifyContext(alive, os.Interrupt)
	defer stop()
	switch b.Run(alive, uninterrupted) {
	case acp.Done:
		return exitDone
	case acp.Cancelled:
		return exitInterrupted
	}
	return exitFault
}

// readBridge reads the words of the command line, the policy and the prompt.
func readBridge(args []string) (acp.Bridge, error) {
	if len(args) < 5 || args[3] != "--" || args[2] != agent.BridgeNew && args[2] != agent.BridgeResume {
		return acp.Bridge{}, fmt.Errorf("takes a policy file, a session, a mode, -- and a command, not %q", args)
	}
	policy, err := guard.Load(args[0])
	if err != nil {
		return acp.Bridge{}, err
	}
	prompt, err := os.ReadFile(os.Getenv("DELEGATE_PROMPT_FILE"))
	if err != nil {
		return acp.Bridge{}, fmt.Errorf("read prompt: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return acp.Bridge{}, fmt.Errorf("find working folder: %w", err)
	}
	program, err := run.Which(args[4], dir, os.Getenv("PATH"))
	if err != nil {
		return acp.Bridge{}, err
	}
	b := acp.Bridge{
		Program: run.Command{Path: program, Args: args[5:], Dir: dir, Stderr: os.Stderr},
		Policy:  policy, Prompt: string(prompt), Out: os.Stdout,
		Decide: decide,
		Asked:  func(tool string) { markSeen(policy.AgentDir, tool) },
		Refused: func(c guard.Call, v guard.Verdict) error {
			return agentdir.Dir(policy.AgentDir).Report(agentdir.Refusal{Time: time.Now().UTC(), Layer: "acp",
				Operation: callLine(c), Path: v.Path, Pattern: v.Pattern})
		},
	}
	if args[2] == agent.BridgeResume {
		b.Session = args[1]
	}
	return b, nil
}
