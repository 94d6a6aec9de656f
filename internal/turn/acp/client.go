package acp

import (
	"context"

	"delegate/internal/fence/guard"

	"github.com/coder/acp-go-sdk"
)

// RequestPermission answers the question whether a tool may be used.
func (t *turn) RequestPermission(_ context.Context, q acp.RequestPermissionRequest) (acp.RequestPermissionResponse,
	error) {
	asked, err, over := t.asked(q.ToolCall)
	if over {
		return answer(q.Options), nil
	}
	var verdict guard.Verdict
	if err == nil {
		verdict, err = t.Decide(t.interrupted, t.Policy, asked) // which may take long: others are answered meanwhile
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.interrupted.Err() != nil {
		return answer(q.Options), nil
	}
	if err != nil {
		verdict = guard.Verdict{Reason: asked.Tool + " is refused: " + err.Error()}
	}
	if verdict.Allowed {
		t.stuck = ""
		return answer(q.Options, acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways), nil
	}
	t.stuck = verdict.Reason
	if verdict.Personal {
		return answer(q.Options, acp.PermissionOptionKindRejectOnce), nil
	}
	if err := t.Refused(asked, verdict); err != nil {
		t.tellRefused(asked, verdict)
	}
	return answer(q.Options, acp.PermissionOptionKindRejectOnce), nil
}

// asked is the use of a tool that a question is about; over says that the turn is.
func (t *turn) asked(update acp.ToolCallUpdate) (asked guard.Call, err error, over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.interrupted.Err() != nil || t.muted {
		return guard.Call{}, nil, true
	}
	t.endWords()
	c := t.learn(update)
	c.said = "" // what a question shows is no answer of the tool
	asked, err = c.question(t.Program.Dir)
	t.Asked(asked.Tool)
	return asked, err, false
}

// tellRefused makes an event of a refusal, in opencode's form.
func (t *turn) tellRefused(asked guard.Call, v guard.Verdict) {
	input := object{"path": v.Path}
	if asked.Command != "" {
		input = object{"command": asked.Command}
	}
	t.print(object{"type": "tool_use", "sessionID": t.session, "part": object{
		"tool": asked.Tool, "state": object{"status": "error", "input": input,
			"error": "There is a rule which prevents this: " + v.Reason},
	}})
}

// answer picks the first option of the first kind that is offered, and takes the question back if none is.
func answer(options []acp.PermissionOption, kinds ...acp.PermissionOptionKind) acp.RequestPermissionResponse {
	for _, kind := range kinds {
		for _, o := range options {
			if o.Kind == kind {
				return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}
			}
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}
}

// SessionUpdate is never called: updates are taken before the connection sees them.
func (t *turn) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	t.update(n.Update)
	return nil
}

// The rest of what a client can be asked for is not announced, and refused.

// ReadTextFile is refused.
func (t *turn) ReadTextFile(context.Context, acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	return acp.ReadTextFileResponse{}, acp.NewMethodNotFound(acp.ClientMethodFsReadTextFile)
}

// WriteTextFile is refused.
func (t *turn) WriteTextFile(context.Context, acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, acp.NewMethodNotFound(acp.ClientMethodFsWriteTextFile)
}

// CreateTerminal is refused.
func (t *turn) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalCreate)
}

// KillTerminal is refused.
func (t *turn) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalKill)
}

// TerminalOutput is refused.
func (t *turn) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalOutput)
}

// ReleaseTerminal is refused.
func (t *turn) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalRelease)
}

// WaitForTerminalExit is refused.
func (t *turn) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse,
	error) {
	return acp.WaitForTerminalExitResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalWaitForExit)
}
