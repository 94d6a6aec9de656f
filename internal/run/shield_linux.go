package run

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Shield keeps other processes of the same user, which may be an agent's, from reading this one's
// memory and open files, where the system can.
func Shield() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("shield process: %w", err)
	}
	return nil
}
