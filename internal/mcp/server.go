// Package mcp serves this program's commands as tools of the Model Context Protocol, on standard input and output.
//
// A tool is one command line of this program, run as a process of its own with --json, and its
// answer is the document that the command prints. So there is one way to list, wait or say
// something, with the same checks for each caller; and what no line of the table names, such as
// approving or landing, is not possible from here.
//
// Inside of an agent's turn there are two other tools, which only put something on the agent's own desk.
package mcp

import (
	"context"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say for whom the tools are.
type Options struct {
	// Version is that of this program.
	Version string
	// In and Out carry the protocol. The end of In is the end of the server.
	In  io.ReadCloser
	Out io.Writer
	// Log gets what goes wrong with the protocol itself.
	Log io.Writer
	// Inside is the agent in whose turn the server runs; nil for the tools of a parent agent.
	Inside *Inside
}

// Serve answers calls until In ends, which is no error, or ctx does, which gives its error.
// Commands that are still running then are interrupted, as by Ctrl-C; agents and their supervisor go on.
func Serve(ctx context.Context, o Options) error {
	about := &mcp.Implementation{Name: "delegate", Title: "delegate: agents in git worktrees", Version: o.Version}
	options := &mcp.ServerOptions{
		Instructions: parentInstructions,
		Logger:       slog.New(slog.NewTextHandler(o.Log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	}
	if o.Inside != nil {
		options.Instructions = insideInstructions
	}
	s := mcp.NewServer(about, options)
	if o.Inside != nil {
		o.Inside.addTools(s)
	} else {
		addTools(s)
	}
	s.AddReceivingMiddleware(oldNames, until(ctx))
	return s.Run(ctx, &mcp.IOTransport{Reader: o.In, Writer: unclosed{o.Out}})
}

// unclosed leaves closing the stream to its opener.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// oldNames lets a tool be called by the name that it had before, which is not listed.
func oldNames(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if call, ok := r.(*mcp.CallToolRequest); ok && call.Params.Name == "close_agent" {
			call.Params.Name = interruptAgent
		}
		return next(ctx, method, r)
	}
}

// until ends calls when serving does. The connection would wait for them.
func until(serving context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			ctx, end := context.WithCancel(ctx)
			defer end()
			defer context.AfterFunc(serving, end)()
			return next(ctx, method, r)
		}
	}
}
