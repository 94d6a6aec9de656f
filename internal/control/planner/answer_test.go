package planner

import (
	"fmt"
	"strings"
	"testing"

	"delegate/internal/plan"
	"delegate/internal/turn/agent"
	"delegate/scope"
)

func TestPlanIn(t *testing.T) {
	const body = "# Delegation Plan: A\n\nWhy.\n\n## Subtask 1: B\n- **Description**: C\n"
	cases := map[string]struct{ text, want string }{
		"none":                    {"I have no plan.\n", ""},
		"alone":                   {body, body},
		"the last":                {"# Delegation Plan: Old\n\n" + body, body},
		"in a fence":              {"Here:\n\n```markdown\n" + body + "```\n\nDone: it is split.\n", body},
		"a blank line below":      {"~~~\n\n" + body + "~~~\nDone.\n", body},
		"a fence that never ends": {"```\n" + body, body},
		"fences inside": {"````\n" + body + "  ```go\n  x\n  ```\n````\nDone.\n",
			body + "  ```go\n  x\n  ```\n"},
		"the same fence inside": {"```md\n" + body + "  ```go\n  x\n  ```\n```\nDone.\n",
			body + "  ```go\n  x\n  ```\n"},
		"a farewell":           {body + "\nThat is all.\nReally.\n\nGoodbye.\n\n", body},
		"no farewell: a field": {body + "- **Context**: D\nmore\n", body + "- **Context**: D\nmore\n"},
		"indented a little": {"- my plan:\n\n  " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n  ") + "\n",
			body},
		"indented: an example":  {"    # Delegation Plan: TITLE\n", ""},
		"not at a line's start": {"See # Delegation Plan: X\n", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := string(planIn(c.text)); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// A planner whose program prints what it is told has not answered by that.
func TestPlannerPromptIsNoPlan(t *testing.T) {
	brief := agent.PlannerBrief{
		Task: plan.Task{Title: "Limits", Text: "Add limits.",
			Objectives: []plan.Objective{{Name: "Count", Text: "all\nof them"}}},
		Facts:     factsText(plan.Facts{Files: []string{"go.mod", "src/a/b/c.go", "src/a/d.go"}}),
		Forbidden: scope.AlwaysForbidden(), Roots: []string{"src/**"},
		ScopeLimit: 20, Parallel: 3, Verify: []string{"go test ./..."}, AgentDir: "/desk",
	}
	first := brief.Prompt()
	for _, part := range []string{
		"# Task: Limits", "Add limits.", "- Count\n  all\n  of them", "3 files are tracked", "- src/a/: 2\n",
		"- the root itself: 1\n", "`docs/logs/**`", "at most 20 of the files",
		"At most 3 agents", "`go test ./...`", "/desk/plan.md", "`src/**`",
	} {
		if !strings.Contains(first, part) {
			t.Errorf("the prompt does not say %q", part)
		}
	}
	again := agent.PlannerFollowUp{Faults: []string{"line 3: no"}, First: first, Answer: "# Delegation Plan: Before\n",
		AgentDir: "/desk"}.Prompt()
	if !strings.Contains(again, "    # Delegation Plan: Before") || !strings.Contains(again, "- line 3: no\n") {
		t.Errorf("the second prompt lacks the answer or its faults:\n%s", again)
	}
	for _, prompt := range []string{first, again} {
		if got := planIn(prompt); got != nil {
			t.Errorf("in a prompt there is a plan: %q", got)
		}
	}
}

func TestFactsText(t *testing.T) {
	var f plan.Facts
	for n := range 60 {
		f.Files = append(f.Files, fmt.Sprintf("d%02d/x", n))
	}
	got := factsText(f)
	if strings.Count(got, "\n") > 45 || !strings.Contains(got, "- and 20 more folders") {
		t.Errorf("60 folders are told as\n%s", got)
	}
}
