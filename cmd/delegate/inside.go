package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/supervise"
	"delegate/internal/sys/run"
	"delegate/internal/text/shorten"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/program"
)

// errInsideAgent refuses mutating commands where an agent could be typing them.
var errInsideAgent = errors.New("refused: this command was called from inside an agent's turn")

// insideAgent says whether this process belongs to an agent: by its environment, or by a keeper among its ancestors.
func insideAgent() error {
	if insideTurn() || slices.ContainsFunc(run.Ancestors(), func(above run.Ancestor) bool {
		return len(above.Args) > 1 && above.Args[1] == supervise.SupervisorVerb
	}) {
		return errInsideAgent
	}
	return nil
}

// insideTurn is insideAgent without what the supervisor starts for itself, which looks and notes as it does.
func insideTurn() bool {
	if _, set := os.LookupEnv("DELEGATE_AGENT"); set {
		return true
	}
	return slices.ContainsFunc(run.Ancestors(), func(above run.Ancestor) bool {
		return keeper.IsTurnProcess(above.Args)
	})
}

// ownAgentDir is the folder of the agent in whose turn this process runs, "" if there is none that can be used.
func ownAgentDir() string {
	agentDir := os.Getenv("DELEGATE_AGENT_DIR")
	for _, above := range run.Ancestors() {
		// who took the variables away still has its keeper, or its first process
		if found := keeper.AgentDirOf(above.Args); found != "" {
			agentDir = found
		}
	}
	if info, err := os.Stat(agentDir); agentDir == "" || err != nil || !info.IsDir() {
		return ""
	}
	return agentDir
}

// refuseInside is insideAgent for a command that changes something: the supervisor is told of what it refuses.
func refuseInside() error {
	err := insideAgent()
	if err == nil {
		return nil
	}
	if agentDir := ownAgentDir(); agentDir != "" {
		// whether the report gets there changes nothing here
		_ = agentdir.Dir(agentDir).Report(agentdir.Refusal{Time: time.Now().UTC(), Layer: "delegate",
			Operation: commandTyped()})
	}
	return err
}

// commandTyped is this command as it was typed, cut where it is long.
func commandTyped() string {
	line := strings.Join(append([]string{"delegate"}, commandLine(os.Args)...), " ")
	return shorten.Bytes(strings.ToValidUTF8(line, ""), longestNote)
}

// fromAgents is the key of a person's own git configuration that lets agent programs answer questions.
const fromAgents = "delegate.fromAgents"

// underAgentError says that an agent program started this command, which asks for a person's answer.
type underAgentError struct {
	program  string
	pid      int    // 0 where the program itself is not found
	variable string // by which it shows then
}

func (e *underAgentError) ancestor() string {
	if e.pid == 0 {
		return fmt.Sprintf("%s started this command, as the variable %s says", e.program, e.variable)
	}
	return fmt.Sprintf("%s (process %d), an agent program, started this command", e.program, e.pid)
}

func (e *underAgentError) Error() string {
	where := "in a terminal that no agent program started"
	if e.pid == 0 {
		where += ", or here after: unset " + e.variable
	}
	return fmt.Sprintf("%s, and this is for a person to decide: type %q %s", e.ancestor(), text(commandTyped()), where)
}

// agentAbove is an *underAgentError where an agent program started this process, directly or not, and the person with
// that home has not allowed that; nil where none did.
func agentAbove(ctx context.Context, home string) error {
	found := &underAgentError{}
	for _, above := range run.Ancestors() {
		if p, known := program.Running(above.Args); known {
			found.program, found.pid = p.Name, above.PID
			break
		}
	}
	if found.pid == 0 {
		p, variable, marked := program.Marked()
		if !marked {
			return nil
		}
		found.program, found.variable = p.Name, variable
	}
	dir, err := os.Getwd()
	if err != nil {
		return found
	}
	if said, err := git.PersonsSetting(ctx, home, dir, fromAgents); err == nil && said == "allow" {
		return nil
	}
	return found
}
