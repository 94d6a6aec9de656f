package run

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// States of sys/proc.h.
const (
	stoppedState = 4 // SSTOP
	zombieState  = 5 // SZOMB
)

func lookup(pid int) (Process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return Process{}, ErrNoProcess
	}
	return row(k), nil
}

func row(k *unix.KinfoProc) Process {
	start := k.Proc.P_starttime
	return Process{
		PID:    int(k.Proc.P_pid),
		Parent: int(k.Eproc.Ppid),
		Start:  fmt.Sprintf("%d.%06d", start.Sec, start.Usec),
		Zombie: k.Proc.P_stat == zombieState, Stopped: k.Proc.P_stat == stoppedState,
	}
}

func processes() []Process {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make([]Process, 0, len(table))
	for i := range table {
		all = append(all, row(&table[i]))
	}
	return all
}

// procargs splits the kernel's record of a process into its arguments and its starting environment.
func procargs(pid int) (args, env []string) {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(data) < 4 {
		return nil, nil
	}
	count := int(binary.NativeEndian.Uint32(data))
	_, rest, found := bytes.Cut(data[4:], []byte{0}) // the program's path
	if !found {
		return nil, nil
	}
	words := strings.Split(strings.TrimLeft(string(rest), "\x00"), "\x00")
	if count > len(words) {
		return words, nil
	}
	return words[:count], words[count:]
}

func arguments(pid int) []string {
	args, _ := procargs(pid)
	return args
}

func hasEnviron(pid int, entry string) bool {
	_, env := procargs(pid)
	return slices.Contains(env, entry)
}

// workingFolder is not told here.
func workingFolder(int) string { return "" }

// AdoptOrphans has no counterpart on this system: orphans are found by the mark in their environment.
func AdoptOrphans() error { return nil }

// bootID is not told here: start times are dates, which tell processes of different boots apart by themselves.
func bootID() string { return "" }
