package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Verb is the hidden command under which this program carries a policy out on itself and then becomes another program.
const Verb = "__fence"

// probeWord in place of a policy file asks what this machine can do.
const probeWord = "probe"

// reportFD is the descriptor on which a fenced process tells its parent how it went, where it was given one.
const reportFD = 3

// Whether a fenced process has somebody to tell.
const (
	reporting = "heard"
	silent    = "unheard"
)

// StartFault is the exit status of a process whose fence could not be built; no program was started.
const StartFault = 125

// Report is one thing that the inside tells: that the fence stands, that it could not be built, or
// how its program ended.
type Report struct {
	Built  *Support `json:"built,omitempty"`
	Error  string   `json:"error,omitempty"`
	Exit   *int     `json:"exit,omitempty"`
	Signal string   `json:"signal,omitempty"`
}

// ReadReports hands each report on, to the end, which is when no process inside holds the descriptor any more.
// Only this program writes there: what it starts does not inherit the descriptor.
func ReadReports(from io.Reader, each func(Report)) error {
	d := json.NewDecoder(io.LimitReader(from, 1<<20))
	for {
		var r Report
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read reports of the sandbox: %w", err)
		}
		each(r)
	}
}

// Support is what this machine can hold a policy with, found by trying.
type Support struct {
	Namespaces bool   `json:"namespaces"`
	Landlock   int    `json:"landlock"`           // version of its interface, 0 for none
	Seccomp    bool   `json:"seccomp"`            // system calls are filtered
	Listener   bool   `json:"listener,omitempty"` // of a fence that stands: what it refuses is told to its keeper
	Seatbelt   bool   `json:"seatbelt"`
	Overlay    bool   `json:"overlay"`         // caches can be layered
	Proc       bool   `json:"proc"`            // the processes of others can be hidden
	Fault      string `json:"fault,omitempty"` // why there are no namespaces
}

// resolvesUnix is the version of Landlock from which on the kernel itself tells Unix sockets apart by their files.
const resolvesUnix = 9

func (s Support) unixByName() bool { return s.Landlock >= resolvesUnix }

// Fenced reports whether any layer of the kernel holds.
func (s Support) Fenced() bool { return s.Namespaces || s.Landlock > 0 || s.Seatbelt }

// Layer is one part of what keeps an agent in, and how it stands.
type Layer struct {
	Name   string `json:"name"`
	State  string `json:"state"` // StateOn, StateOff, StateOpen or StateUnavailable
	Detail string `json:"detail"`
}

// The states of a layer.
const (
	StateOn          = "on"
	StateOff         = "off"
	StateOpen        = "open" // nothing is held in, as it is configured
	StateUnavailable = "unavailable"
)

// Layers are those of the kernel as this machine has them.
func (s Support) Layers() []Layer {
	if s.Seatbelt {
		return []Layer{{"seatbelt", StateOn,
			"writes only where the scope allows; the profile was never run by its authors, only read"}}
	}
	namespaces := Layer{"namespaces", StateOn,
		"filesystem is read-only outside the agent's scope; all its processes are killed at the end"}
	if !s.Namespaces {
		namespaces = Layer{"namespaces", StateUnavailable,
			cmp.Or(s.Fault, "they could not be made: delegate doctor says why")}
	} else {
		var without []string
		if !s.Proc {
			without = append(without, "the agent sees other processes")
		}
		if !s.Overlay {
			without = append(without, "tool caches begin empty")
		}
		if len(without) > 0 {
			namespaces.Detail += "; here " + strings.Join(without, ", ")
		}
	}
	landlock := Layer{"landlock", StateOn,
		fmt.Sprintf("Landlock ABI %d: writes and renames only inside the scope", s.Landlock)}
	switch {
	case s.Landlock == 0:
		landlock = Layer{"landlock", StateUnavailable, "this kernel has no Landlock, or it is switched off"}
	case !s.Namespaces:
		landlock.Detail = fmt.Sprintf("Landlock ABI %d without namespaces: writes only inside the scope, and "+
			"new files only in folders that are all of it; nothing is hidden, and modes and times of your files "+
			"can be changed", s.Landlock)
	}
	seccomp := Layer{"seccomp", StateOn,
		"system calls that no build needs are refused: io_uring, bpf, keyrings, mounts, namespaces, odd sockets"}
	if s.Namespaces || s.unixByName() {
		seccomp.Detail += "; Unix sockets of programs outside cannot be connected to"
	} else {
		seccomp.Detail += "; so are Unix sockets, as nothing here tells whose they are (sandbox.sockets opens none)"
	}
	if !s.Seccomp {
		seccomp = Layer{"seccomp", StateUnavailable, "this kernel or architecture has no filter of system calls"}
	}
	return []Layer{namespaces, landlock, seccomp}
}
