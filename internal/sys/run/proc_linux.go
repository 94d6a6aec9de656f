package run

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// lookup reads one row of the process table. Its start is the boot's id and the start in clock ticks since boot,
// so that a process of an earlier boot is never taken for one of this.
func lookup(pid int) (Process, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, ErrNoProcess
	}
	// The name in parentheses may hold anything; the fields behind its last parenthesis are plain.
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return Process{}, ErrNoProcess
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 20 {
		return Process{}, ErrNoProcess
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return Process{}, fmt.Errorf("parent of process %d: %w", pid, err)
	}
	dead := fields[0] == "Z" || fields[0] == "X"
	return Process{PID: pid, Parent: parent, Start: bootID() + "/" + fields[19], Zombie: dead,
		Stopped: strings.EqualFold(fields[0], "t")}, nil
}

// bootID is read once: a process does not outlive the boot that it belongs to.
var bootID = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
})

func processes() []Process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []Process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, err := lookup(pid); err == nil {
			all = append(all, p)
		}
	}
	return all
}

func arguments(pid int) []string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

func hasEnviron(pid int, entry string) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	return slices.Contains(strings.Split(string(data), "\x00"), entry)
}

func workingFolder(pid int) string {
	at, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return ""
	}
	return at
}

// AdoptOrphans makes this process the parent of every orphan below it, so that a child that left
// its group and session is still found.
func AdoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	return nil
}
