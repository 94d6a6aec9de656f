package main

import (
	"context"
	"os"
	"path/filepath"

	"delegate/internal/mcp"

	"github.com/spf13/cobra"
)

// mcpCommand is `delegate mcp`: a parent agent's tools, or those of an agent inside of its turn.
func (a *app) mcpCommand() *cobra.Command {
	c := command("mcp", "serve these commands as tools to a parent agent (Model Context Protocol, on standard input "+
		"and output)", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			o := mcp.Options{Version: version, In: os.Stdin, Out: a.out, Log: a.err}
			if insideAgent() != nil {
				agentDir := ownAgentDir()
				o.Inside = &mcp.Inside{Agent: agentOfDir(agentDir), AgentDir: agentDir}
			}
			return mcp.Serve(ctx, o)
		})
	c.Long = "Serves the Model Context Protocol to the agent program that you use yourself. That program can then\n" +
		"propose agents, list them, wait for them, message them, interrupt them, and read status and\n" +
		"conflicts, in the repository of its working folder. It can start, merge and discard nothing: only\n" +
		"you can, at a terminal. docs/commands.md lists the tools and how to register the server.\n" +
		"During an agent's turn the tools are checkpoint and ask."
	return c
}

// agentOfDir is the agent that an agent's folder belongs to, by the folder that it lies in.
func agentOfDir(agentDir string) string {
	if id := os.Getenv("DELEGATE_AGENT"); id != "" || agentDir == "" {
		return id
	}
	return filepath.Base(filepath.Dir(agentDir))
}
