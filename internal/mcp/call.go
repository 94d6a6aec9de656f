package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"delegate/internal/sys/run"
	"delegate/internal/text/ui"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is how often a caller who asked for it is told that a command still runs.
const progressEvery = 3 * time.Second

// Exit codes of this program's commands, as docs/commands.md has them.
const (
	personNeeded   = 4 // a person has to go on with it
	sessionForbids = 5 // no session is active, or one is
)

// commandResult is the end of a command: its document, its notes and its exit.
type commandResult struct {
	out    []byte
	notes  string // what it said beside its document
	code   int
	signal string
}

// command runs one command of this program, to its end. It has no terminal, so that it asks nobody.
// When ctx ends it is interrupted, as by Ctrl-C, which every command is made for.
func command(ctx context.Context, words ...string) (commandResult, error) {
	for _, w := range words {
		if strings.ContainsRune(w, 0) {
			return commandResult{}, fmt.Errorf(
				"the argument %.60q holds the character U+0000, which no command can take", w)
		}
	}
	var out, notes bytes.Buffer
	child, err := run.Keep(run.Command{Path: run.Program(), Args: words, Stdout: &out, Stderr: &notes})
	if err != nil {
		return commandResult{}, err
	}
	defer context.AfterFunc(ctx, func() { _ = child.Interrupt() })()
	exit, err := child.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return commandResult{out.Bytes(), strings.TrimSpace(ui.Clean(notes.String())), exit.Code, exit.Signal}, err
}

// document runs a command and answers with the document that it prints. One that prints none has refused, and said why.
func document(ctx context.Context, words ...string) (*mcp.CallToolResult, error) {
	done, err := command(ctx, words...)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(done.out)) == 0 {
		return nil, done.refused()
	}
	return answer(done.out, done.notes)
}

// refused is a command's own words about why it did nothing.
func (r commandResult) refused() error {
	switch {
	case r.code == sessionForbids:
		return fmt.Errorf("%s\nwith these tools: get_status tells of the session that is active, spawn_agents "+
			"proposes one if there is none; a person adds agents to it with delegate add", r.notes)
	case r.notes != "":
		return errors.New(r.notes)
	case r.signal != "":
		return fmt.Errorf("the command was ended by a signal: %s", r.signal)
	}
	return fmt.Errorf("the command ended with exit code %d and said nothing", r.code)
}

// answer is a JSON object as the result of a tool, in text and structured, with notes as one more
// field where there are any.
func answer(document []byte, notes string) (*mcp.CallToolResult, error) {
	var text bytes.Buffer
	if err := json.Compact(&text, document); err != nil {
		return nil, fmt.Errorf("read the answer %.80q: %w", document, err)
	}
	if notes != "" {
		field, err := json.Marshal(strings.Split(notes, "\n"))
		if err != nil {
			return nil, fmt.Errorf("write notes: %w", err)
		}
		text.Truncate(text.Len() - 1)
		fmt.Fprintf(&text, `,"notes":%s}`, field)
	}
	visible := ui.CleanJSON(text.String())
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: visible}},
		StructuredContent: json.RawMessage(visible)}, nil
}

// reportProgress tells a caller who gave a token for it, again and again, that a call still goes
// on, until the answered function is called. A client that ends calls which stay silent for long
// does not end this one then.
func reportProgress(ctx context.Context, call *mcp.CallToolRequest) (stop func()) {
	token := call.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, stop = context.WithCancel(ctx)
	begun := time.Now()
	var tell func()
	tell = func() {
		if ctx.Err() != nil {
			return
		}
		so := time.Since(begun).Round(time.Second)
		_ = call.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // who is gone needs no news
			ProgressToken: token, Progress: so.Seconds(), Message: fmt.Sprintf("%s: %s", call.Params.Name, so),
		})
		time.AfterFunc(progressEvery, tell)
	}
	time.AfterFunc(progressEvery, tell)
	return stop
}
