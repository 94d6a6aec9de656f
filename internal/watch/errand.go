package watch

import "io"

// errand is a command at the terminal, as the library runs one. It takes the process's own streams, so those it is offered are not used.
type errand struct {
	do   func(args []string)
	args []string
}

func (e *errand) SetStdin(io.Reader)  {}
func (e *errand) SetStdout(io.Writer) {}
func (e *errand) SetStderr(io.Writer) {}

// Run never gives an error: whatever went wrong was said at the terminal.
func (e *errand) Run() error {
	e.do(e.args)
	return nil
}
