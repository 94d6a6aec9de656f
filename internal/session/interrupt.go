package session

import (
	"encoding/json"
	"os"
	"path/filepath"

	"delegate/internal/keeper"
)

// Interruption says with the turn who interrupts it and whether a message is to be delivered then.
type Interruption struct {
	By      string `json:"by"`
	Deliver bool   `json:"deliver"`
}

func InterruptFile(t keeper.Turn) string { return filepath.Join(t.Dir, "interrupt.json") }

// ReadInterruption is who interrupted the turn, as noted before it was done.
func ReadInterruption(t keeper.Turn) (by string, deliver bool) {
	n := Interruption{}
	if data, err := os.ReadFile(InterruptFile(t)); err == nil {
		_ = json.Unmarshal(data, &n)
	}
	return OrElse(n.By, "a signal from outside"), n.Deliver
}
