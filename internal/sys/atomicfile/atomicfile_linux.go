package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

const swapFlag, newFlag = unix.RENAME_EXCHANGE, unix.RENAME_NOREPLACE

func renameBy(from, to string, flag uint) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flag)
}

// SyncAll returns once everything that any program wrote to the file system of folder is on the disk, by one call.
// So the files need not be known by name here.
func SyncAll(folder string, _ ...string) error {
	dir, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("sync file system: %w", err)
	}
	if err := errors.Join(unix.Syncfs(int(dir.Fd())), dir.Close()); err != nil {
		return fmt.Errorf("sync file system of %q: %w", folder, err)
	}
	return nil
}

// holderOf looks into the kernel's list of locks. A holder in a namespace that this process does
// not see has no number there.
func holderOf(file *os.File) Holder {
	var info unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &info); err != nil {
		return Holder{}
	}
	data, err := os.ReadFile("/proc/locks")
	if err != nil {
		return Holder{}
	}
	// "1: FLOCK  ADVISORY  WRITE 123 fe:01:456 0 EOF". Some file systems show another device here
	// than in a file's own facts.
	inode := fmt.Sprintf(":%d", info.Ino)
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		pid := 0
		if len(words) < 6 || words[1] != "FLOCK" || !strings.HasSuffix(words[5], inode) {
			continue
		}
		if _, err := fmt.Sscan(words[4], &pid); err != nil || pid <= 0 {
			continue
		}
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			name = []byte("which has ended")
		}
		return Holder{PID: pid, Name: strings.TrimSpace(string(name))}
	}
	return Holder{}
}
