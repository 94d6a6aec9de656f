//go:build bench && !windows

package agents_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/turn/keeper"
)

// plannerName is the name under which a program works that is asked for a plan.
const plannerName = "planner"

// planning: the program is asked for a plan. It cannot write its checkout, gives a plan with a
// fault in its words, and mends it in the same conversation, in its file.
func planning(ctx context.Context, t *trial) {
	out := filepath.Join(t.folder, "plan.md")
	work := filepath.Join(t.p.AgentRoot(plannerName, plannerName), "work")
	task := "Plan the greeting.\n[[scenario:planning]] [[var:cwd=" + work + "]] [[var:agent=" + plannerName + "]]"
	shown := t.do(ctx, "plan", "--planner", t.agent.name, "-o", out, task)
	t.expect(strings.Contains(shown, "Delegation plan: Mended greetings"), "delegate plan: %.600q", shown)
	t.expect(strings.Contains(file(out), "# Delegation Plan: Mended greetings\n"), "the plan file has %q", file(out))
	turn := func(n string) keeper.Turn {
		return keeper.Turn{Dir: filepath.Join(t.p.Private, plannerName, "turn-"+n)}
	}
	first, second := turn("1"), turn("2")
	sheet, err := os.ReadFile(first.PromptFile())
	t.expect(err == nil && t.model.carried("planning", string(sheet)),
		"the model was not told what the prompt file says: %v", err)
	for _, part := range []string{"You are a planner.", "# Task: Plan the greeting.", "- src/: 1", "`docs/logs/**`"} {
		t.expect(strings.Contains(string(sheet), part), "the prompt lacks %q", part)
	}
	again := file(second.PromptFile())
	t.expect(strings.Contains(again, `dependency "[[scenario:planned]]"`) &&
		!strings.Contains(again, "You are a planner."), "the second prompt is %.600q", again)
	t.expect(t.model.count("planned", `say "The plan is in the file."`) == 1, "the second turn did not come to its end")
	printed := file(first.Output())
	t.expect(strings.Contains(printed, "has-start.txt") && !strings.Contains(printed, "has-mine") &&
		!strings.Contains(printed, "has-shell"), "the planner wrote into its checkout: %q", printed)
	_, err = os.Stat(filepath.Join(t.repo()+".delegate", plannerName))
	t.expect(os.IsNotExist(err), "the planner's folder is left: %v", err)
	t.expect(file(t.repo(), "src/mine.txt") == "" && file(t.repo(), "src/shell.txt") == "",
		"the planner wrote into the person's checkout")
}
