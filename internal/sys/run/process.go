package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Arguments are the program's name and arguments as the process shows them now; none if it is gone
// or the system does not tell. A program can write there what it likes.
func (p Process) Arguments() []string {
	if now, err := lookup(p.PID); err != nil || now.Start != p.Start {
		return nil
	}
	return arguments(p.PID)
}

// Identity names one process for good: a pid and the moment it started, as the system tells it.
type Identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// Process is one row of the process table.
type Process struct {
	PID, Parent int
	Start       string // comparable with Identity.Start
	Zombie      bool
	Stopped     bool // by SIGSTOP or a debugger, until it is continued; false where the system does not tell
}

// ErrNoProcess says that no process has the pid.
var ErrNoProcess = errors.New("no such process")

// Identify is the identity of the process that has this pid now; ErrNoProcess if none has.
func Identify(pid int) (Identity, error) {
	p, err := lookup(pid)
	if err != nil {
		return Identity{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return Identity{PID: pid, Start: p.Start}, nil
}

// Self is the identity of this process.
func Self() Identity {
	id, err := Identify(os.Getpid())
	if err != nil {
		return Identity{PID: os.Getpid()}
	}
	return id
}

// Alive says whether this very process still runs; a zombie does not.
func (i Identity) Alive() bool {
	if i.PID <= 0 {
		return false
	}
	p, err := lookup(i.PID)
	return err == nil && !p.Zombie && p.Start == i.Start
}

// Stopped reports whether this very process was stopped by a signal and not continued.
func (i Identity) Stopped() bool {
	p, err := lookup(i.PID)
	return err == nil && p.Stopped && p.Start == i.Start
}

// Ancestor is a process above this one, with its program's name and arguments; none if the system does not tell.
type Ancestor struct {
	PID  int
	Args []string
}

// Ancestors are the parents of this process, nearest first, as far as the system shows them, and as they were when they
// were first asked for: none comes to them later.
func Ancestors() []Ancestor { return ancestors() }

var ancestors = sync.OnceValue(func() (all []Ancestor) {
	pid := os.Getppid()
	for range 256 { // on some systems a parent that has ended leaves its number to another, which can close a circle
		p, err := lookup(pid)
		if err != nil || pid < 1 {
			break
		}
		all = append(all, Ancestor{PID: pid, Args: arguments(pid)})
		pid = p.Parent
	}
	return all
})

// Table is the processes there were at one moment, by their parent.
type Table map[int][]Process

// Processes reads the table of processes. It takes some milliseconds where there are hundreds.
func Processes() Table { return tableOf(processes()) }

func tableOf(all []Process) Table {
	children := Table{}
	for _, p := range all {
		children[p.Parent] = append(children[p.Parent], p)
	}
	return children
}

// Below are the living processes below root (root itself excluded), parents before their children.
func (t Table) Below(root int) []Process {
	var found []Process
	queue, seen := []int{root}, map[int]bool{root: true}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		for _, p := range t[next] {
			if seen[p.PID] {
				continue
			}
			seen[p.PID] = true
			queue = append(queue, p.PID)
			if !p.Zombie {
				found = append(found, p)
			}
		}
	}
	return found
}

// Descendants are the living processes below root now.
func Descendants(root int) []Process { return Processes().Below(root) }

// Marked are the living processes whose starting environment holds entry (`NAME=value`); none where
// the system does not tell.
func Marked(entry string) []Process { return marked(processes(), entry) }

func marked(all []Process, entry string) (found []Process) {
	for _, p := range all {
		if p.PID != os.Getpid() && !p.Zombie && hasEnviron(p.PID, entry) {
			found = append(found, p)
		}
	}
	return found
}

// Inside are the living processes besides this one whose working folder is the folder or lies below it; none where the
// system does not tell.
func Inside(folder string) []Process {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	var found []Process
	for _, p := range processes() {
		at := workingFolder(p.PID)
		if p.PID != os.Getpid() && (at == folder || strings.HasPrefix(at, folder+string(filepath.Separator))) {
			found = append(found, p)
		}
	}
	return found
}

// EndAll ends every process that list still finds: a polite signal first, then, after grace, the
// one that cannot be refused. It returns when list finds none and those that it found are gone, or
// an error naming what is left after ten more seconds.
func EndAll(list func() []Process, grace time.Duration) error {
	const pause = 20 * time.Millisecond
	// One that is ending has lost its environment, by which a list may find it, before what it has open.
	var left, asked []Identity
	polite, last := time.Now().Add(grace), time.Now().Add(grace+10*time.Second)
	for {
		for _, p := range list() {
			if id := (Identity{PID: p.PID, Start: p.Start}); !slices.Contains(left, id) {
				left = append(left, id)
			}
		}
		left = slices.DeleteFunc(left, func(id Identity) bool { return !id.Alive() })
		if len(left) == 0 {
			return nil
		}
		now := time.Now()
		if now.After(last) {
			return fmt.Errorf("end process %d: still there after being killed", left[0].PID)
		}
		for _, id := range left { // in their order, so that no shell lives to tell of its child's end
			switch {
			case now.After(polite):
				kill(id)
			case !slices.Contains(asked, id):
				asked = append(asked, id)
				terminate(id)
			}
		}
		time.Sleep(pause)
	}
}

// Terminate asks the process to end.
func Terminate(id Identity) { terminate(id) }

// InterruptProcess sends the process what a person's Ctrl-C sends.
func InterruptProcess(id Identity) error { return interrupt(id) }

// Program is the path under which this very program can be started again.
// A binary whose file is gone (as after `go run`) is still reachable through the process itself
// where the system has such a path.
func Program() string {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path) // by a link it may be another command
	}
	if err != nil {
		return "/proc/self/exe"
	}
	return path
}

// EarlierBoot says for certain that the process belongs to an earlier start of the machine.
// Where the system does not tell one start from another it is false.
func (i Identity) EarlierBoot() bool {
	boot, _, found := strings.Cut(i.Start, "/")
	return found && boot != "" && bootID() != "" && boot != bootID()
}
