//go:build !windows

package terminal

import (
	"bufio"
	"os"
	"testing"

	"github.com/creack/pty"
)

// No signal tells of the new size here, since the terminal is not this process's own.
func TestKeysMeetTheSizeBeforeThem(t *testing.T) {
	window, person, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer window.Close()
	defer person.Close()
	p, err := Join([2]*os.File{person, person}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.End(); err != nil {
			t.Error(err)
		}
	}()
	if err := pty.Setsize(window, &pty.Winsize{Rows: 33, Cols: 97}); err != nil {
		t.Fatal(err)
	}
	if _, err := window.WriteString("stty size\r"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(p.Program).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	rows, columns, err := pty.Getsize(p.Program)
	if err != nil {
		t.Fatal(err)
	}
	if rows != 33 || columns != 97 {
		t.Errorf("the program's terminal has %d rows of %d columns when the keys come", rows, columns)
	}
}
