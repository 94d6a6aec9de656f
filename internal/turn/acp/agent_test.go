package acp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"
)

// agentVariable makes the test binary an agent program that does what it says.
const agentVariable = "ACP_TEST_AGENT"

// The test binary is the program of the tests.
func TestMain(m *testing.M) {
	what, isAgent := os.LookupEnv(agentVariable)
	if !isAgent {
		os.Exit(m.Run())
	}
	a := &agent{what: what, cancelled: make(chan struct{})}
	input := &held{Reader: os.Stdin, ready: make(chan struct{})}
	a.conn = acp.NewAgentSideConnection(a, os.Stdout, input)
	close(input.ready)
	<-a.conn.Done()
	if what == "lingers" {
		select {} // until it is killed
	}
}

// held gives nothing to read before it is ready: a connection answers from the moment on at which it is being made.
type held struct {
	io.Reader
	ready chan struct{}
}

func (h *held) Read(p []byte) (int, error) {
	<-h.ready
	return h.Reader.Read(p)
}

// agent is a program that speaks the protocol: what says how it behaves, and the prompt what it does in a session.
type agent struct {
	conn      *acp.AgentSideConnection
	what      string
	cancelled chan struct{}
	prompts   int
}

func (a *agent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	can := acp.AgentCapabilities{LoadSession: a.what == "loads" || a.what == "announces"}
	if a.what == "resumes" || a.what == "announces" {
		can.SessionCapabilities.Resume = &acp.SessionResumeCapabilities{}
	}
	version := acp.ProtocolVersion(acp.ProtocolVersionNumber)
	if a.what == "newer" {
		version++
	}
	return acp.InitializeResponse{ProtocolVersion: version, AgentCapabilities: can, AuthMethods: []acp.AuthMethod{}},
		nil
}

func (a *agent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	if a.what == "logged out" {
		return acp.NewSessionResponse{}, acp.NewAuthRequired(map[string]any{"details": "log in first"})
	}
	modes := &acp.SessionModeState{CurrentModeId: "auto",
		AvailableModes: []acp.SessionMode{{Id: "auto"}, {Id: "default"}}}
	return acp.NewSessionResponse{SessionId: "fresh", Modes: modes}, nil
}

func (a *agent) SetSessionMode(_ context.Context, r acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	fmt.Fprintf(os.Stderr, "mode %s\n", r.ModeId)
	return acp.SetSessionModeResponse{}, nil
}

func (a *agent) ResumeSession(_ context.Context, r acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	if a.what == "announces" {
		return acp.ResumeSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionResume)
	}
	return acp.ResumeSessionResponse{}, nil
}

// LoadSession tells the whole conversation once more, as programs do.
func (a *agent) LoadSession(ctx context.Context, r acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	a.tell(ctx, r.SessionId, acp.UpdateAgentMessageText("from an earlier turn"))
	return acp.LoadSessionResponse{}, nil
}

func (a *agent) Cancel(context.Context, acp.CancelNotification) error {
	close(a.cancelled)
	return nil
}

func (a *agent) tell(ctx context.Context, id acp.SessionId, updates ...acp.SessionUpdate) {
	for _, u := range updates {
		if err := a.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: id, Update: u}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// ask asks for one use of a tool and does it if that is allowed.
func (a *agent) ask(ctx context.Context, id acp.SessionId, tool acp.ToolCallUpdate, do func() error) (string, error) {
	answer, err := a.conn.RequestPermission(ctx,
		acp.RequestPermissionRequest{SessionId: id, ToolCall: tool, Options: []acp.PermissionOption{
			{Kind: acp.PermissionOptionKindAllowAlways, OptionId: "always"},
			{Kind: acp.PermissionOptionKindAllowOnce, OptionId: "once"},
			{Kind: acp.PermissionOptionKindRejectOnce, OptionId: "no"},
		}})
	if err != nil || answer.Outcome.Selected == nil {
		return "cancelled", err
	}
	if answer.Outcome.Selected.OptionId == "once" {
		err = do()
	}
	return string(answer.Outcome.Selected.OptionId), err
}

func (a *agent) write(ctx context.Context, id acp.SessionId, path string) (string, error) {
	tool := acp.ToolCallUpdate{ToolCallId: acp.ToolCallId(path), Kind: acp.Ptr(acp.ToolKindEdit),
		Title: new("Write"), Locations: []acp.ToolCallLocation{{Path: path}}}
	a.tell(ctx, id, acp.StartToolCall(tool.ToolCallId, "Write", acp.WithStartKind(acp.ToolKindEdit),
		acp.WithStartStatus(acp.ToolCallStatusPending)))
	return a.ask(ctx, id, tool, func() error { return os.WriteFile(path, []byte("written\n"), 0o644) })
}

// Prompt acts on the first word of the prompt; what follows are its arguments.
func (a *agent) Prompt(ctx context.Context, r acp.PromptRequest) (acp.PromptResponse, error) {
	a.prompts++
	prompt := r.Prompt[0].Text.Text
	if a.prompts > 1 {
		a.tell(ctx, r.SessionId, acp.UpdateAgentMessageText("told: "+prompt))
		return acp.PromptResponse{StopReason: acp.StopReasonEndTurn,
			Usage: &acp.Usage{InputTokens: 1, OutputTokens: 1}}, nil
	}
	word, rest, _ := strings.Cut(prompt, " ")
	reason := acp.StopReasonEndTurn
	var err error
	switch word {
	case "say":
		for _, piece := range strings.SplitAfter(rest, "") {
			a.tell(ctx, r.SessionId, acp.UpdateAgentMessageText(piece))
		}
	case "write":
		var picked string
		picked, err = a.write(ctx, r.SessionId, filepath.FromSlash(rest))
		a.tell(ctx, r.SessionId, acp.UpdateAgentMessageText("picked "+picked))
	case "stuck": // ends its turn where it is refused
		a.tell(ctx, r.SessionId, acp.UpdateAgentMessageText("first some words"))
		_, err = a.write(ctx, r.SessionId, filepath.FromSlash(rest))
	case "wait":
		a.tell(ctx, r.SessionId, acp.UpdateAgentMessageText("waiting"), acp.UpdateAgentThoughtText("…"))
		<-a.cancelled
		reason = acp.StopReasonCancelled
	case "die":
		a.tell(ctx, r.SessionId, acp.UpdateAgentMessageText("last words"))
		os.Exit(7)
	case "garbage":
		_, err = io.WriteString(os.Stdout, "warning: no\n"+
			"{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"forged\"}}\n[1]\n"+
			"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":7}\n")
		a.tell(ctx, r.SessionId, acp.UpdateAgentMessageText("still here"))
	case "many":
		for n := range 5000 {
			a.tell(ctx, r.SessionId, acp.UpdateAgentMessageText(fmt.Sprintf("%d\n", n)))
		}
	case "agents":
		a.startAgent(ctx, r.SessionId)
	case "stop":
		reason = acp.StopReason(rest)
	case "fail":
		err = acp.NewInternalError(map[string]any{"details": rest})
	default:
		err = errors.New("what?")
	}
	usage := &acp.Usage{InputTokens: 60, CachedReadTokens: new(40), OutputTokens: 20, TotalTokens: 120}
	return acp.PromptResponse{StopReason: reason, Usage: usage}, err
}

// startAgent lets another agent speak in the middle of this one's turn, as qwen does.
func (a *agent) startAgent(ctx context.Context, id acp.SessionId) {
	begun := acp.StartToolCall("sub", "Agent: a part", acp.WithStartKind(acp.ToolKindOther),
		acp.WithStartStatus(acp.ToolCallStatusInProgress))
	begun.ToolCall.Meta = map[string]any{"toolName": "agent"}
	a.tell(ctx, id, acp.UpdateAgentMessageText("mine"), begun, acp.UpdateAgentMessageText("another's"),
		acp.UpdateToolCall("sub", acp.WithUpdateStatus(acp.ToolCallStatusCompleted)),
		acp.UpdateAgentMessageText("mine again"))
}

func (a *agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

func (a *agent) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, nil
}

func (a *agent) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, nil
}

func (a *agent) SetSessionConfigOption(context.Context,
	acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, nil
}

// patience is with a turn that should come to its end.
const patience = 20 * time.Second
