package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"delegate/internal/fence/guard"
	"delegate/internal/text/shorten"
	"delegate/internal/turn/agentdir"
)

// hookVerb is what an agent program calls before it uses a tool: `delegate hook DIALECT
// POLICYFILE`, with the payload on standard input.
// It answers before the commands are built, for a program waits for it at every step.
// With the words of plainQuestions in the dialect's place it is what git's hooks and the covers of
// other agent programs call.
const hookVerb = "hook"

// exitDoubt is the one exit code that every program takes for a refusal. With any other it goes on.
const exitDoubt = 2

const (
	largestPayload = 16 << 20
	longestNote    = 200 // bytes of what was tried
)

// hook answers one question and returns the exit code: nothing printed allows, a document of the
// dialect refuses, exitDoubt stops what nobody understands.
func hook(args []string, in io.Reader, out, complaints io.Writer) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(complaints, "delegate hook: %.200q\n", fmt.Sprint(fault))
			code = exitDoubt
		}
	}()
	if ask, isPlain := plainQuestions()[first(args)]; isPlain {
		return answerPlain(ask, args[1:], complaints)
	}
	answer, err := answerHook(args, in)
	if err == nil {
		_, err = out.Write(answer)
	}
	if err != nil {
		fmt.Fprintln(complaints, "delegate hook:", text(err.Error()))
		return exitDoubt
	}
	return exitDone
}

// answerHook is what to print about one payload; nothing if the call is allowed.
func answerHook(args []string, in io.Reader) ([]byte, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("takes a dialect and a policy file, not %q", args)
	}
	dialect := args[0]
	policy, err := guard.Load(args[1])
	if err != nil {
		return nil, err
	}
	payload, err := io.ReadAll(io.LimitReader(in, largestPayload+1))
	if err != nil {
		return nil, fmt.Errorf("read payload: %w", err)
	}
	if len(payload) > largestPayload {
		return nil, fmt.Errorf("read payload: it has more than %d bytes", largestPayload)
	}
	call, err := guard.Parse(dialect, payload)
	markSeen(policy.AgentDir, call.Tool)
	if err != nil {
		return nil, err
	}
	// what interrupts the program interrupts this process as well
	verdict, err := decide(context.Background(), policy, call)
	if err != nil || verdict.Allowed {
		return nil, err
	}
	if !verdict.Personal {
		reportRefused(policy, "hook", callLine(call), verdict)
	}
	return guard.Refusal(dialect, verdict.Reason)
}

// reportRefused leaves word of what a layer refused on the agent's folder. Whether it gets there changes nothing here.
func reportRefused(p guard.Policy, layer, operation string, refused ...guard.Verdict) {
	now := time.Now().UTC()
	for i, v := range refused {
		when := now.Add(time.Duration(i) * time.Microsecond) // which tells reports apart
		_ = agentdir.Dir(p.AgentDir).Report(agentdir.Refusal{Time: when, Layer: layer, Operation: operation,
			Path: strings.ToValidUTF8(v.Path, "\ufffd"), Pattern: v.Pattern, Same: i > 0})
	}
}

// callLine is a call in one line.
func callLine(c guard.Call) string {
	return shorten.Bytes(strings.ToValidUTF8(text(strings.TrimSpace(c.Tool+" "+c.Command)), ""), longestNote)
}

// markSeen shows the supervisor that the hook is asked. An agent can put anything in place of the
// file: neither a link nor a pipe there may hold the answer up.
func markSeen(agentDir, tool string) {
	root, err := os.OpenRoot(agentDir)
	if err != nil {
		return
	}
	defer root.Close()
	file, err := root.OpenFile(agentdir.HookSeen, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = file.WriteString(shorten.Prefix(tool, longestNote))
}
