package session

import (
	"regexp"
	"slices"
	"strconv"

	"delegate/registry"
)

// progressWords finds the percentage in the row of a block (see watch.event and blockText).
var progressWords = regexp.MustCompile(`^turn \d+, line \d+: [A-Z_]+ (\d{1,3})%`)

// Progress is how much of its work an agent's last block says is done, in percent; -1 if none said so in this attempt.
// It is the agent's word.
func Progress(state registry.State, id string) int {
	for _, e := range slices.Backward(state.Events) {
		if e.Agent != id {
			continue
		}
		if e.Kind == registry.EventSpawned { // an attempt before this one
			return -1
		}
		if found := progressWords.FindStringSubmatch(e.Details); e.Kind == registry.EventCheckpoint && e.By == id && found != nil {
			n, _ := strconv.Atoi(found[1]) // three digits are a number
			return n
		}
	}
	return -1
}
