// Package acp runs one turn of an agent program that speaks the Agent Client Protocol.
//
// A Bridge starts the program, hands it the prompt, and prints what it says and does as one event a
// line, in forms that package dialect reads. Before the program uses a tool it asks; the answer is
// package guard's. The program is given no file system and no terminal of ours, so that what it
// does, it does itself, in its own worktree. Who no longer answers allows nothing.
package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/coder/acp-go-sdk"

	"delegate/internal/fence/guard"
	"delegate/internal/sys/run"
)

// longestLine is the longest message that a program may send, in bytes; the connection reads none that is longer.
const longestLine = 10 << 20

// lines is what a program prints on its way to the connection. It keeps the updates for itself, in
// their order: the connection answers questions beside its queue of updates, and an answer depends
// on the updates before its question. What is no message is dropped.
type lines struct {
	in     *bufio.Scanner
	update func(acp.SessionUpdate)
	ready  <-chan struct{} // nothing is read before
	rest   []byte
}

func newLines(in io.Reader, update func(acp.SessionUpdate), ready <-chan struct{}) *lines {
	l := &lines{in: bufio.NewScanner(in), update: update, ready: ready}
	l.in.Buffer(nil, longestLine)
	return l
}

// Read hands on the messages that are no updates.
func (l *lines) Read(p []byte) (int, error) {
	<-l.ready
	for len(l.rest) == 0 {
		if !l.in.Scan() {
			if err := l.in.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		if line := bytes.TrimSpace(l.in.Bytes()); !l.take(line) {
			l.rest = append(bytes.Clone(line), '\n')
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// take reports whether the line is not for the connection: an update, or no message.
func (l *lines) take(line []byte) bool {
	var message struct {
		Version string          `json:"jsonrpc"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if json.Unmarshal(line, &message) != nil || message.Version == "" {
		return true
	}
	if message.Method != acp.ClientMethodSessionUpdate {
		return false
	}
	var notification acp.SessionNotification
	if json.Unmarshal(message.Params, &notification) == nil {
		l.update(notification.Update) // one of a later protocol says nothing that is known here
	}
	return true
}

// Bridge is a turn to be run. All fields are needed but Session.
type Bridge struct {
	Program run.Command // with its folder; standard input and output are the bridge's
	Policy  guard.Policy
	Prompt  string
	Session string // conversation to go on with, as the program named it; "" begins one
	Out     io.Writer
	// Decide answers each question; the context ends with the turn, or when somebody interrupts it.
	Decide func(ctx context.Context, p guard.Policy, c guard.Call) (guard.Verdict, error)
	// Asked is told the tool of each question.
	Asked func(tool string)
	// Refused reports what was refused; after an error it is told as an event.
	Refused func(guard.Call, guard.Verdict) error
}

// Ending is how a turn ended.
type Ending int

// The endings. Of a failed turn the reason is the last event.
const (
	Done Ending = iota
	Cancelled
	Failed
)

// farewell is how long a program may take to end once its input is closed.
const farewell = 3 * time.Second

// errCancelled is a turn that ended because somebody wanted it.
var errCancelled = errors.New("cancelled")

// errEnded is a program that ended, or closed its output, before it answered.
var errEnded = errors.New("the program ended in the middle of its turn")

// Run runs the turn to its end and leaves no program behind. When interrupted ends the program is
// asked to stop and its answer awaited; when ctx ends it is killed.
func (b Bridge) Run(ctx, interrupted context.Context) Ending {
	t := &turn{Bridge: b, calls: map[acp.ToolCallId]*call{}, others: map[acp.ToolCallId]bool{},
		interrupted: interrupted, muted: true}
	err := t.run(ctx)
	return t.end(err, errors.Is(err, errCancelled) || err != nil && (ctx.Err() != nil || interrupted.Err() != nil))
}

// run starts the program, speaks with it and ends it.
func (t *turn) run(ctx context.Context) error {
	inner, kill := context.WithCancel(ctx)
	defer kill()
	talk, err := run.StartPiped(inner, t.Program)
	if err != nil {
		return err
	}
	ready := make(chan struct{})
	conn := acp.NewClientSideConnection(t, talk.In, newLines(talk.Out, t.update, ready))
	conn.SetLogger(slog.New(slog.DiscardHandler))
	close(ready)
	err = t.speak(ctx, conn)
	gone := false
	select {
	case <-conn.Done():
		gone = true
	default:
	}
	defer time.AfterFunc(farewell, kill).Stop()
	ended := talk.Close()
	if err != nil && gone && !errors.Is(err, errCancelled) {
		return errors.Join(errEnded, err, ended) // err may be an answer that came before
	}
	return err
}

// speak is the whole conversation.
func (t *turn) speak(ctx context.Context, conn *acp.ClientSideConnection) error {
	agent, err := conn.Initialize(t.interrupted, acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersionNumber, ClientInfo: &acp.Implementation{Name: "delegate", Version: "1"},
	})
	if err != nil {
		return fmt.Errorf("greet the program: %w", plain(err))
	}
	if agent.ProtocolVersion != acp.ProtocolVersionNumber {
		return fmt.Errorf("the program speaks version %d of the Agent Client Protocol, not %d", agent.ProtocolVersion,
			acp.ProtocolVersionNumber)
	}
	session, err := t.open(conn, agent.AgentCapabilities)
	if err != nil {
		return err
	}
	t.begin(string(session))
	return t.prompt(ctx, conn, session)
}

// open begins a conversation, or goes on with one.
func (t *turn) open(conn *acp.ClientSideConnection, can acp.AgentCapabilities) (acp.SessionId, error) {
	if t.Session != "" {
		return t.reopen(conn, can)
	}
	made, err := conn.NewSession(t.interrupted,
		acp.NewSessionRequest{Cwd: t.Program.Dir, McpServers: []acp.McpServer{}})
	if err != nil {
		return "", fmt.Errorf("begin a session: %w", plain(err))
	}
	return made.SessionId, t.askFirst(conn, made.SessionId, made.Modes)
}

// reopen goes on with a conversation. Where both ways are open it takes the one that does not tell
// the whole of it once more; qwen announces that one and does not know it.
func (t *turn) reopen(conn *acp.ClientSideConnection, can acp.AgentCapabilities) (acp.SessionId, error) {
	id, none := acp.SessionId(t.Session), []acp.McpServer{}
	err := errors.New("the program can neither resume nor load one")
	if can.SessionCapabilities.Resume != nil {
		var resumed acp.ResumeSessionResponse
		resumed, err = conn.ResumeSession(t.interrupted,
			acp.ResumeSessionRequest{SessionId: id, Cwd: t.Program.Dir, McpServers: none})
		if err == nil {
			return id, t.askFirst(conn, id, resumed.Modes)
		}
	}
	if can.LoadSession && (can.SessionCapabilities.Resume == nil || isUnknown(err)) {
		var loaded acp.LoadSessionResponse
		loaded, err = conn.LoadSession(t.interrupted,
			acp.LoadSessionRequest{SessionId: id, Cwd: t.Program.Dir, McpServers: none})
		if err == nil {
			return id, t.askFirst(conn, id, loaded.Modes)
		}
	}
	return "", fmt.Errorf("go on with session %q: %w", id, plain(err))
}

// isUnknown reports whether the program does not know what it was asked for.
func isUnknown(err error) bool {
	var answer *acp.RequestError
	return errors.As(err, &answer) && answer.Code == acp.NewMethodNotFound("").Code
}

// asking is the name of the mode in which programs ask before they use a tool.
const asking acp.SessionModeId = "default"

// askFirst puts a program that begins in another mode into the one in which it asks.
func (t *turn) askFirst(conn *acp.ClientSideConnection, id acp.SessionId, modes *acp.SessionModeState) error {
	if modes == nil || modes.CurrentModeId == asking {
		return nil
	}
	for _, m := range modes.AvailableModes {
		if m.Id == asking {
			_, err := conn.SetSessionMode(t.interrupted, acp.SetSessionModeRequest{SessionId: id, ModeId: asking})
			return plain(err)
		}
	}
	return nil
}

// prompt hands the prompt over and waits for the end of the turn. A program that ended it because
// of a refusal is told once to go on.
func (t *turn) prompt(ctx context.Context, conn *acp.ClientSideConnection, id acp.SessionId) error {
	reason, err := t.ask(ctx, conn, id, t.Prompt)
	if err != nil {
		return err
	}
	if why := t.stuckOn(); why != "" && (reason == acp.StopReasonEndTurn || reason == acp.StopReasonCancelled) &&
		t.interrupted.Err() == nil {
		reason, err = t.ask(ctx, conn, id, "The use of a tool was refused: "+why+"\n\nGo on with what you may do.")
		if err != nil {
			return err
		}
	}
	switch reason {
	case acp.StopReasonEndTurn:
		return nil
	case acp.StopReasonCancelled:
		return errCancelled
	}
	return fmt.Errorf("the program stopped before the end of its turn: %q", reason)
}

// ask hands one text over and answers why the program stopped.
func (t *turn) ask(ctx context.Context, conn *acp.ClientSideConnection, id acp.SessionId, text string) (acp.StopReason,
	error) {
	if t.interrupted.Err() != nil {
		return "", errCancelled
	}
	t.unstick()
	stop := context.AfterFunc(t.interrupted, func() { _ = conn.Cancel(ctx, acp.CancelNotification{SessionId: id}) })
	defer stop()
	answer, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
	if err != nil {
		return "", plain(err)
	}
	t.useAnswer(answer)
	return answer.StopReason, nil
}

// plain is an error that the program answered with, in words.
func plain(err error) error {
	var answer *acp.RequestError
	if !errors.As(err, &answer) {
		return err
	}
	words := []string{answer.Message}
	fields, _ := answer.Data.(map[string]any)
	for _, name := range []string{"details", "message", "error"} {
		if text, ok := fields[name].(string); ok && text != answer.Message {
			words = append(words, text)
		}
	}
	if text, ok := answer.Data.(string); ok {
		words = append(words, text)
	}
	return errors.New(strings.Join(words, ": "))
}
