package ui

import (
	"fmt"
	"os"
)

// Alert rings the bell of the terminal that shows errors and sets its title, for a person who looks elsewhere.
// Where there is no terminal, or a dumb one, it does nothing.
func (t *Terminal) Alert(title string) {
	if !isTerminal(t.errw) || os.Getenv("TERM") == "dumb" {
		return
	}
	fmt.Fprintf(t.errw, "\x1b]0;%s\a\a", plainLine(title))
}
