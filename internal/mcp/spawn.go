package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"delegate/internal/plan"
	"delegate/internal/text/ui"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// spawnFields are the arguments of spawn_agents: a plan file's text, or what it would say.
const spawnFields = `{
	"plan": {"type": "string", "minLength": 1, "description": "the whole plan file in Markdown: # Delegation Plan: TITLE, the reasoning, then ## Subtask N: NAME sections with - **Field**: text; instead of the other arguments"},
	"title": {"type": "string", "minLength": 1, "description": "the whole task in one line"},
	"reasoning": {"type": "string", "description": "why it is split this way; the person who approves reads it"},
	"subtasks": {"type": "array", "minItems": 1, "maxItems": 100, "description": "one agent each; they are numbered from 1 in this order", "items": {
		"type": "object", "additionalProperties": false, "required": ["name", "description", "context", "allowed"], "properties": {
			"name": {"type": "string", "minLength": 1, "description": "a few words"},
			"description": {"type": "string", "minLength": 1, "description": "what to do"},
			"context": {"type": "string", "minLength": 1, "description": "what the agent must know: decisions, constraints, contents of files; it knows nothing of your conversation"},
			"allowed": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}, "description": "globs from the root of the repository that it may write, such as src/limit/**; keep those of different agents apart"},
			"forbidden": {"type": "array", "items": {"type": "string", "minLength": 1}, "description": "globs it may not write, also inside the allowed ones"},
			"type": {"type": "string", "enum": ["QUICK", "STANDARD", "RESEARCH", "ORCHESTRATION"], "default": "STANDARD", "description": "how long it may be silent"},
			"complexity": {"type": "string", "enum": ["Low", "Medium", "High"], "default": "Medium"},
			"dependencies": {"type": "array", "items": {"type": "integer", "minimum": 1}, "description": "numbers of subtasks that come before"},
			"expected_outputs": {"type": "array", "items": {"type": "string", "minLength": 1}, "description": "paths that exist when the work is done"},
			"agent": {"type": "string", "description": "profile of the agent program, without it the configured one"},
			"task": {"type": "string", "description": "objective of docs/01_progress.md that it works on"}
		}}}}`

type spawnArguments struct {
	Plan      string         `json:"plan"`
	Title     string         `json:"title"`
	Reasoning string         `json:"reasoning"`
	Subtasks  []spawnSubtask `json:"subtasks"`
}

type spawnSubtask struct {
	Name            string   `json:"name"`
	Description     string   `json:"description"`
	Context         string   `json:"context"`
	Allowed         []string `json:"allowed"`
	Forbidden       []string `json:"forbidden"`
	Type            string   `json:"type"`
	Complexity      string   `json:"complexity"`
	Dependencies    []int    `json:"dependencies"`
	ExpectedOutputs []string `json:"expected_outputs"`
	Agent           string   `json:"agent"`
	Task            string   `json:"task"`
}

// text is the plan file.
func (in spawnArguments) text() (string, error) {
	whole := in.Title != "" || len(in.Subtasks) > 0
	switch {
	case in.Plan != "" && (whole || in.Reasoning != ""):
		return "", errors.New("plan is the whole plan: give either plan, or title, reasoning and subtasks")
	case in.Plan != "":
		return in.Plan, nil
	case in.Title == "" || len(in.Subtasks) == 0:
		return "", errors.New("give either plan, or title and subtasks")
	}
	p := plan.Plan{Title: in.Title, Reasoning: in.Reasoning}
	for i, s := range in.Subtasks {
		p.Subtasks = append(p.Subtasks, plan.Subtask{
			Number: i + 1, Name: s.Name, Description: s.Description, Context: s.Context, Allowed: s.Allowed,
			Forbidden:  s.Forbidden,
			Type:       plan.TaskType(cmp.Or(s.Type, string(plan.Standard))),
			Complexity: cmp.Or(s.Complexity, plan.Medium), Dependencies: s.Dependencies,
			ExpectedOutputs: s.ExpectedOutputs, Agent: s.Agent, Task: s.Task,
		})
	}
	return string(p.Format()), nil
}

// spawned is the answer of spawn_agents.
type spawned struct {
	Pending  bool            `json:"pending"` // always true
	Guidance string          `json:"guidance"`
	Plan     string          `json:"plan"`   // as the person will be shown it
	Status   json.RawMessage `json:"status"` // what get_status answers now
}

const spawnGuidance = "Nothing runs yet, and nothing you can do starts it. Ask the person to type \"delegate " +
	"approve\" at a terminal, which shows the plan and asks; then call wait_agent."

// spawn stores a plan as PENDING, as `delegate -f PLAN.md` does where nobody can be asked.
func spawn(ctx context.Context, in spawnArguments) (*mcp.CallToolResult, error) {
	text, err := in.text()
	if err != nil {
		return nil, err
	}
	file, err := planFile(text)
	if err != nil {
		return nil, err
	}
	defer os.Remove(file)
	done, err := command(ctx, "-f", file)
	if err != nil {
		return nil, err
	}
	if done.code != personNeeded {
		if in.Plan == "" {
			return nil, fmt.Errorf("%w\nThe lines are those of the plan that was made of your arguments:\n%s",
				done.refused(), text)
		}
		return nil, done.refused()
	}
	now, err := command(ctx, "status", "--json")
	if err != nil {
		return nil, err
	}
	document, err := json.Marshal(spawned{Pending: true, Guidance: spawnGuidance, Plan: ui.Clean(string(done.out)),
		Status: now.out})
	if err != nil {
		return nil, fmt.Errorf("read what is pending: %w", err)
	}
	return answer(document, "")
}

// planFile is a file that only this user can read, with the plan.
func planFile(text string) (string, error) {
	file, err := os.CreateTemp("", "delegate-plan-*.md")
	if err != nil {
		return "", fmt.Errorf("keep the plan: %w", err)
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("keep the plan: %w", err), os.Remove(file.Name()))
	}
	return file.Name(), nil
}
