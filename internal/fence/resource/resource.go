// Package resource bounds how much of the machine the processes of one agent use together: memory,
// processes and their share of the processor.
//
// A control group (cgroup v2) holds all of that where this process may make one below its own or
// beside it. Where it may not, a limit of the kernel's for each user namespace holds the number of
// processes, and nothing holds the rest: a limit on the address space of each process would end
// programs that reserve much and use little, as Go, node and Java do, and an agent can start as
// many processes as it likes.
package resource

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Limits are what the processes of one agent may use together; 0 is no limit.
type Limits struct {
	Memory    int64 `json:"memory,omitempty"`     // bytes
	Processes int   `json:"processes,omitempty"`  // and threads
	CPUWeight int   `json:"cpu_weight,omitempty"` // against the 100 of everything else, where the processor is short
}

// Defaults are limits that a build does not meet and that leave the person room: half of the
// machine's memory, but 4 GiB at least, and 256 processes and threads for each of its processors, but
// 4096 at least.
func Defaults() Limits {
	l := Limits{Processes: max(4096, 256*runtime.NumCPU()), CPUWeight: 50}
	if total := totalMemory(); total > 0 {
		const step = 256 << 20 // a round number to be told
		l.Memory = max(4<<30, total/2/step*step)
	}
	return l
}

// Held is how limits are held.
type Held struct {
	Limits Limits `json:"limits"`
	// Controllers are those of the control group: memory, pids, cpu. None without a group.
	Controllers []string `json:"controllers,omitempty"`
	// PerNamespace says that the number of processes is held by a limit of the user namespace's own.
	PerNamespace bool   `json:"per_namespace,omitempty"`
	Fault        string `json:"fault,omitempty"` // why there is no group
}

// InNamespace is how the limits are held for processes that start in a user namespace of their own:
// without a group the kernel counts them there, unless they are those of the system's root.
func (h Held) InNamespace() Held {
	h.PerNamespace = len(h.Controllers) == 0 && os.Getuid() != 0
	return h
}

// Whole reports whether every limit is held.
func (h Held) Whole() bool { _, open := h.parts(); return len(open) == 0 }

// None reports whether no limit is held.
func (h Held) None() bool { held, _ := h.parts(); return len(held) == 0 }

// String names what is held and what is not.
func (h Held) String() string {
	held, open := h.parts()
	by := "cgroup"
	if len(h.Controllers) == 0 {
		by = "rlimit"
	}
	var said []string
	if len(held) > 0 {
		said = append(said, strings.Join(held, ", ")+" ("+by+")")
	}
	if len(open) > 0 {
		said = append(said, "not held: "+strings.Join(open, ", "))
		if h.Fault != "" {
			said[len(said)-1] += ", since " + h.Fault
		}
	}
	if len(said) == 0 {
		return "no limit is set (sandbox.limits)"
	}
	return strings.Join(said, "; ")
}

// parts are the limits in words, those that are held and those that are not.
func (h Held) parts() (held, open []string) {
	add := func(set bool, text string, holds bool) {
		switch {
		case !set:
		case holds:
			held = append(held, text)
		default:
			open = append(open, text)
		}
	}
	has := func(name string) bool {
		return strings.Contains(" "+strings.Join(h.Controllers, " ")+" ", " "+name+" ")
	}
	l := h.Limits
	add(l.Memory > 0, "memory "+Size(l.Memory), has("memory"))
	add(l.Processes > 0, fmt.Sprintf("%d processes", l.Processes), has("pids") || h.PerNamespace)
	add(l.CPUWeight > 0, fmt.Sprintf("cpu weight %d", l.CPUWeight), has("cpu"))
	return held, open
}

// Size is a number of bytes as people read it.
func Size(bytes int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if bytes >= unit.size {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(bytes)/float64(unit.size)), ".0") + " " + unit.name
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// Met is how often limits were met.
type Met struct {
	Killed  int `json:"killed,omitempty"`  // processes that the kernel killed for the memory
	Refused int `json:"refused,omitempty"` // processes and threads that could not be started
}

// killFirst is how much sooner than others a process is killed where the machine's memory is used up, of 1000.
const killFirst = "500"

// KillFirst has the kernel choose this process, and those that it starts, before the person's and the manager's own
// where the memory of the machine is used up. It takes no rights, and cannot be taken back without them.
func KillFirst() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(killFirst), 0) // a system without it has no such choice
}
