package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"delegate/internal/fence/guard"
	"delegate/internal/turn/agentdir"
)

// decide is guard's verdict about a call, or a person's where the policy has them asked. A person who is not asked in
// time refuses. Each pre-tool hook and each question of the Agent Client Protocol is answered here.
func decide(ctx context.Context, p guard.Policy, c guard.Call) (guard.Verdict, error) {
	if c.Question != "" && !p.Attended {
		return askQuestion(ctx, p, c), nil
	}
	verdict, err := guard.Decide(p, c)
	if err != nil || p.Wait == 0 || !guard.NeedsPermission(c) {
		return verdict, err
	}
	dir := agentdir.Dir(p.AgentDir)
	if verdict.Allowed && dir.AllowedInTurn(c.Tool) {
		return verdict, nil
	}
	answer, err := awaitAnswer(ctx, p,
		agentdir.Question{Tool: c.Tool, Line: permissionLine(c), Outside: verdict.Reason})
	switch {
	case err != nil:
		return refusedBy(verdict, fmt.Sprintf("%s is refused: %s", c.Tool, err)), nil
	case answer.Word == agentdir.AllowTurn:
		if err := dir.AllowInTurn(c.Tool); err != nil {
			return guard.Verdict{}, err
		}
	case answer.Word != agentdir.Allow:
		return refusedBy(verdict, fmt.Sprintf("%s is refused by a person. %s", c.Tool, answer.Text)), nil
	}
	return guard.Verdict{Allowed: true}, nil
}

// refusedBy is a refusal with other words than the scope's, which keeps what the scope refused.
func refusedBy(v guard.Verdict, reason string) guard.Verdict {
	v.Personal, v.Allowed, v.Reason = v.Allowed, false, reason
	return v
}

// askQuestion hands what the program's own tool for asking asks to a person. The answer goes back as the words of a
// refusal, which is the one way in which a hook can speak to the model; without one it is told how to ask.
func askQuestion(ctx context.Context, p guard.Policy, c guard.Call) guard.Verdict {
	const later = "Do not guess: end your turn now with a checkpoint block with Status: BLOCKED and this " +
		"question in it. " +
		"The answer comes with your next turn."
	if p.Wait == 0 {
		return guard.Verdict{Personal: true, Reason: "Nobody answers within a turn here. " + later}
	}
	answer, err := awaitAnswer(ctx, p,
		agentdir.Question{Tool: c.Tool, Line: c.Tool, Text: c.Question, Choices: c.Choices})
	if err != nil || answer.Word != agentdir.Said {
		return guard.Verdict{Personal: true, Reason: "Nobody has answered yet. " + later}
	}
	return guard.Verdict{Personal: true, Reason: "A person answered your question: " + answer.Text}
}

// permissionLine is a call in one line with the paths that it writes.
func permissionLine(c guard.Call) string {
	line := callLine(c)
	for _, path := range c.Paths {
		if relative, err := filepath.Rel(c.Dir, path); err == nil && filepath.IsLocal(relative) {
			path = relative
		}
		line += " " + text(path)
	}
	return line[:min(len(line), longestPermission)]
}

// longestPermission is how much of a call a person is shown, in bytes.
const longestPermission = 4000

// pollEvery is how often an answer is looked for.
const pollEvery = 100 * time.Millisecond

// awaitAnswer puts a question up and waits for its answer. Meanwhile the agent's heartbeat is renewed, since it is not
// silent.
func awaitAnswer(ctx context.Context, p guard.Policy, q agentdir.Question) (agentdir.Answer, error) {
	dir := agentdir.Dir(p.AgentDir)
	q.Asked = time.Now().UTC()
	q.Until = q.Asked.Add(p.Wait)
	id, err := dir.Ask(q)
	if err != nil {
		return agentdir.Answer{}, err
	}
	defer dir.Withdraw(id)
	for n := 0; time.Now().Before(q.Until); n++ {
		if answer, found := dir.Answered(id); found {
			return answer, nil
		}
		if n%50 == 0 {
			// an agent that keeps this from being written is taken for silent
			_ = dir.Append(agentdir.Heartbeat(p.Agent), "asks a person\n")
		}
		select {
		case <-ctx.Done():
			return agentdir.Answer{}, context.Cause(ctx)
		case <-time.After(pollEvery):
		}
	}
	return agentdir.Answer{}, fmt.Errorf("nobody answered within %s", p.Wait)
}
