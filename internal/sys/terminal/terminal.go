// Package terminal lets a program work at a person's terminal without having it: the program gets a
// pseudo-terminal, and this process copies what is typed and what is shown between the two.
//
// The person's terminal stays out of the program's reach: it cannot put words into its input, read on
// from it after its end, or leave it in a mode of its own.
package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"delegate/internal/text/ui"
)

// Pair is a pseudo-terminal and the person's terminal that it is joined with.
type Pair struct {
	// Program is the end for the program's streams. It is closed here once the program has started (Started).
	Program *os.File

	ours    *os.File // the other end
	in, out *os.File // the person's
	shown   io.Writer
	modes   modes
	restore func() error
	stop    func()        // ends what waits for the person's keys and for another size
	over    chan struct{} // closed when everything that the program showed was copied
}

// Of reports whether the streams are both a person's terminal, and with them the person can be given one.
func Of(in io.Reader, out io.Writer) (person [2]*os.File, both bool) {
	from, readable := in.(*os.File)
	to, writable := out.(*os.File)
	return [2]*os.File{from, to}, readable && writable && ui.IsTerminal(from) && ui.IsTerminal(to)
}

// Join puts the person's terminal into raw mode and copies until End. shown gets what the program shows as well; nil
// for nobody.
func Join(person [2]*os.File, shown io.Writer) (*Pair, error) {
	ours, program, err := open(person[1])
	if err != nil {
		return nil, fmt.Errorf("open pseudo-terminal: %w", err)
	}
	p := &Pair{Program: program, ours: ours, in: person[0], out: person[1], shown: shown, over: make(chan struct{})}
	if p.restore, err = ui.Raw(p.in); err == nil {
		p.stop, err = p.listen()
	}
	if err != nil {
		err = errors.Join(err, p.ours.Close(), p.Program.Close())
		if p.restore != nil {
			err = errors.Join(err, p.restore())
		}
		return nil, fmt.Errorf("open pseudo-terminal: %w", err)
	}
	go p.show() // End waits for it
	return p, nil
}

// Started is called when the program has its end: from then on its end is the end of what is shown.
func (p *Pair) Started() {
	if p != nil {
		_ = p.Program.Close()
	}
}

// HangUp takes the terminal from the program, as if the person's window were closed. Of no Pair it does nothing.
func (p *Pair) HangUp() {
	if p == nil {
		return
	}
	p.stop()
	_ = p.ours.Close()
}

// lastWords is how long what a program showed at its end is waited for, while a process that it left holds its
// terminal.
const lastWords = 500 * time.Millisecond

// End leaves the person's terminal as it was before Join, whatever the program did to it. Of no Pair it does nothing.
func (p *Pair) End() error {
	if p == nil {
		return nil
	}
	p.stop()
	_ = p.Program.Close() // of a program that never started
	_ = p.ours.SetReadDeadline(time.Now().Add(lastWords))
	<-p.over
	_ = p.ours.Close()
	return evenBehind(func() error {
		_, _ = p.out.WriteString(p.modes.undo()) // of a terminal that is gone nothing is left to undo
		return p.restore()
	})
}

// show copies what the program shows until nobody can show anything any more. A person's terminal that is gone is no
// reason to let the program wait.
func (p *Pair) show() {
	defer close(p.over)
	buffer := make([]byte, 32<<10)
	for {
		n, err := p.ours.Read(buffer)
		if n > 0 {
			p.modes.see(buffer[:n])
			_, _ = p.out.Write(buffer[:n])
			if p.shown != nil {
				_, _ = p.shown.Write(buffer[:n])
			}
		}
		if err != nil {
			return
		}
	}
}
