package session

import (
	"fmt"

	"delegate/internal/plan"
	"delegate/registry"
)

// Claim is the agent of the session that has the task: the last one that did not give it up.
func Claim(state registry.State, task string) (registry.Agent, bool) {
	for i := len(state.Agents) - 1; i >= 0; i-- {
		if a := state.Agents[i]; a.Task == task && a.Status != registry.Aborted {
			return a, true
		}
	}
	return registry.Agent{}, false
}

// CheckClaims refuses a plan in which two subtasks claim the same task.
func CheckClaims(whole *plan.Plan) error {
	holders := map[string]string{}
	for _, sub := range whole.Subtasks {
		if first := holders[sub.Task]; sub.Task != "" && first != "" {
			return fmt.Errorf("task %q is claimed by both %q and %q: link it to one of them", sub.Task, first,
				sub.Name)
		}
		holders[sub.Task] = sub.Name
	}
	return nil
}
