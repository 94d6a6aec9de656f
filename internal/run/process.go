package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// Ancestors are the parents of this process, nearest first, with their arguments.
func Ancestors() [][]string {
	var all [][]string
	pid := os.Getppid()
	for range 256 {
		p, err := lookup(pid)
		if err != nil || pid < 1 {
			break
		}
		all = append(all, arguments(pid))
		pid = p.Parent
	}
	return all
}

// Descendants are the living processes below root (root itself excluded), deepest knowledge of the
// process table at this moment.
func Descendants(root int) []Process {
	table := processes()
	children := map[int][]Process{}
	for _, p := range table {
		children[p.Parent] = append(children[p.Parent], p)
	}
	var found []Process
	queue, seen := []int{root}, map[int]bool{root: true}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		for _, p := range children[next] {
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

// Marked are the living processes whose starting environment holds entry (`NAME=value`); none where
// the system does not tell.
func Marked(entry string) []Process {
	var found []Process
	for _, p := range processes() {
		if p.PID != os.Getpid() && !p.Zombie && hasEnviron(p.PID, entry) {
			found = append(found, p)
		}
	}
	return found
}

// EndAll ends every process that list still finds: a polite signal first, then, after grace, the
// one that cannot be refused. It returns when list finds none, or an error naming what is left
// after ten more seconds.
func EndAll(list func() []Process, grace time.Duration) error {
	const pause = 20 * time.Millisecond
	asked := map[Identity]bool{}
	polite, last := time.Now().Add(grace), time.Now().Add(grace+10*time.Second)
	for {
		left := list()
		if len(left) == 0 {
			return nil
		}
		now := time.Now()
		if now.After(last) {
			return fmt.Errorf("end process %d: still there after being killed", left[0].PID)
		}
		for _, p := range left {
			id := Identity{PID: p.PID, Start: p.Start}
			switch {
			case now.After(polite):
				kill(id)
			case !asked[id]:
				asked[id] = true
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
