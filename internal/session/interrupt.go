package session

import (
	"path/filepath"

	"delegate/internal/keeper"
)

// Interruption says with the turn who interrupts it and whether a message is to be delivered then.
type Interruption struct {
	By      string `json:"by"`
	Deliver bool   `json:"deliver"`
}

func interruptFile(t keeper.Turn) string { return filepath.Join(t.Dir, "interrupt.json") }

// Keep writes the interruption down, before it is done.
func (n Interruption) Keep(t keeper.Turn) error { return writeFile(interruptFile(t), n) }

// ReadInterruption is who interrupted the turn, as noted before it was done.
func ReadInterruption(t keeper.Turn) (by string, deliver bool) {
	n, _ := readFile[Interruption](interruptFile(t)) // without a note it was somebody else
	return OrElse(n.By, "a signal from outside"), n.Deliver
}
