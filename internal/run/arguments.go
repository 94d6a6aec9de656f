package run

// Arguments are the program's name and arguments as the process shows them now; none if it is gone
// or the system does not tell. A program can write there what it likes.
func (p Process) Arguments() []string {
	if now, err := lookup(p.PID); err != nil || now.Start != p.Start {
		return nil
	}
	return arguments(p.PID)
}
