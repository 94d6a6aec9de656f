package main

import (
	"errors"
	"os"
	"strings"
	"time"

	"delegate/internal/agentdir"
	"delegate/internal/keeper"
	"delegate/internal/run"
	"delegate/internal/supervise"
)

// errInsideAgent refuses mutating commands where an agent could be typing them.
var errInsideAgent = errors.New("refused: this command was called from inside an agent's turn")

// insideAgent says whether this process belongs to an agent: by its environment, or by a keeper among its ancestors.
func insideAgent() error {
	if _, set := os.LookupEnv("DELEGATE_AGENT"); set {
		return errInsideAgent
	}
	for _, args := range run.Ancestors() {
		if keeper.IsTurnProcess(args) || len(args) > 1 && args[1] == supervise.SupervisorVerb {
			return errInsideAgent
		}
	}
	return nil
}

// ownAgentDir is the folder of the agent in whose turn this process runs, "" if there is none that can be used.
func ownAgentDir() string {
	agentDir := os.Getenv("DELEGATE_AGENT_DIR")
	for _, args := range run.Ancestors() {
		// who took the variables away still has its keeper, or its first process
		if found := keeper.AgentDirOf(args); found != "" {
			agentDir = found
		}
	}
	if info, err := os.Stat(agentDir); agentDir == "" || err != nil || !info.IsDir() {
		return ""
	}
	return agentDir
}

// reportAttempt leaves word of a refused command where the supervisor looks for it. Whether it gets
// there changes nothing here.
func reportAttempt() {
	agentDir := ownAgentDir()
	if agentDir == "" {
		return
	}
	line := "delegate " + strings.Join(os.Args[1:], " ")
	if len(line) > 200 {
		line = line[:200] + " …"
	}
	_ = agentdir.Dir(agentDir).Report(agentdir.Refusal{Time: time.Now().UTC(), Layer: "delegate",
		Operation: strings.ToValidUTF8(line, "")})
}
