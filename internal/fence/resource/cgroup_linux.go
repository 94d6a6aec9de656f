package resource

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/sys/run"

	"golang.org/x/sys/unix"
)

// groupName begins the names of our groups. The number and start of the process that made one follow.
const groupName = "delegate-"

func totalMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}

// Group is a control group that processes start in.
type Group struct {
	path string
	dir  *os.File
	held Held
}

// Make makes a group with these limits. It is nil where none can be made, or no limit is set.
func Make(l Limits) (*Group, Held) {
	held := Held{Limits: l}
	if l == (Limits{}) {
		return nil, held
	}
	parent, err := findParent()
	if err != nil {
		held.Fault = err.Error()
		return nil, held
	}
	removeAbandoned(parent)
	g, err := newGroup(parent, l)
	if err != nil {
		held.Fault = err.Error()
		return nil, held
	}
	held.Controllers = slices.DeleteFunc(controllers(g.path, "cgroup.controllers"), func(name string) bool {
		_, err := os.Stat(filepath.Join(g.path, "cpu.weight"))
		return name == "cpu" && err != nil // a kernel can have the controller without shares
	})
	g.held = held
	return g, held
}

// Try is how limits would be held here. Nothing is left of the trial.
func Try(l Limits) Held {
	g, held := Make(l)
	g.Close()
	return held
}

// Holding reports whether this process is in a group of ours, which then counts its processes.
func Holding() bool {
	own, err := ownGroup()
	return err == nil && strings.HasPrefix(filepath.Base(own), groupName)
}

// Dir is the open folder of the group, nil of none, for a process to start in.
func (g *Group) Dir() *os.File {
	if g == nil {
		return nil
	}
	return g.dir
}

// emptyLimit is how long the processes of a group may take to be gone after they were killed.
const emptyLimit = 2 * time.Second

// Close ends what is left in the group, takes it away, and answers how often its limits were met.
func (g *Group) Close() (met Met) {
	if g == nil {
		return met
	}
	if g.held.Limits.Memory > 0 {
		met.Killed = event(filepath.Join(g.path, "memory.events"), "oom_kill")
	}
	if g.held.Limits.Processes > 0 {
		met.Refused = event(filepath.Join(g.path, "pids.events"), "max")
	}
	_ = g.dir.Close()
	_ = put(filepath.Join(g.path, "cgroup.kill"), "1") // since Linux 5.14
	for deadline := time.Now().Add(emptyLimit); ; time.Sleep(time.Millisecond) {
		// one that stays is taken away with the next that is made
		if err := unix.Rmdir(g.path); err == nil || !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
			return met
		}
	}
}

// event is the number that a file of events has under the name.
func event(file, name string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0 // the group has no such controller
	}
	for line := range strings.Lines(string(data)) {
		if number, found := strings.CutPrefix(line, name+" "); found {
			n, _ := strconv.Atoi(strings.TrimSpace(number)) // the kernel writes numbers
			return n
		}
	}
	return 0
}

func newGroup(parent string, l Limits) (*Group, error) {
	path, err := os.MkdirTemp(parent, prefix()+"*")
	if err != nil {
		return nil, fmt.Errorf("no control group can be made: %w", err)
	}
	g := &Group{path: path}
	set := func(file string, limit int64, value string) {
		if limit > 0 && err == nil {
			err = put(filepath.Join(path, file), value)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // the controller is not to be had here, which the group's list of them says
		}
	}
	set("memory.max", l.Memory, strconv.FormatInt(l.Memory, 10))
	// The limit is what it says: beyond it the disk would be written to instead, at everybody's cost.
	set("memory.swap.max", l.Memory, "0")
	set("pids.max", int64(l.Processes), strconv.Itoa(l.Processes))
	set("cpu.weight", int64(l.CPUWeight), strconv.Itoa(l.CPUWeight))
	if err == nil {
		g.dir, err = os.Open(path)
	}
	if err != nil {
		_ = os.Remove(path)
		return nil, fmt.Errorf("limits of a control group cannot be set: %w", err)
	}
	return g, nil
}

// put writes to a file of a group. One that is not there cannot be made, which is another error than that it is not.
func put(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// prefix begins the names of the groups that this process makes.
func prefix() string {
	self := run.Self()
	return groupName + strconv.Itoa(self.PID) + "-" + ticks(self) + "-"
}

// ticks is when a process started since the machine did, which no group outlives.
func ticks(p run.Identity) string { return filepath.Base(p.Start) }

// removeAbandoned takes the groups away whose makers were killed: what ran in them ended with their makers.
func removeAbandoned(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		parts := strings.SplitN(strings.TrimPrefix(e.Name(), groupName), "-", 3)
		if !strings.HasPrefix(e.Name(), groupName) || len(parts) != 3 {
			continue
		}
		pid, err := strconv.Atoi(parts[0])
		if err != nil {
			continue
		}
		if maker, err := run.Identify(pid); err == nil && ticks(maker) == parts[1] {
			continue
		}
		_ = unix.Rmdir(filepath.Join(parent, e.Name())) // not while anything lives in it
	}
}

// wanted are the controllers that a group has its use of.
func wanted() []string { return []string{"memory", "pids", "cpu"} }

// findParent is the nearest group, from this process's own outwards, in which a group can be made that has the memory
// and the number of its processes limited. So limits that lie around this process hold for what it starts as well.
func findParent() (string, error) {
	root, err := mountPoint()
	if err != nil {
		return "", err
	}
	own, err := ownGroup()
	if err != nil {
		return "", err
	}
	for at := filepath.Join(root, own); ; at = filepath.Dir(at) {
		if grants(at, at == root) && isOurs(at) {
			return at, nil
		}
		switch {
		case at != root && len(at) > len(root):
		case !slices.Contains(controllers(root, "cgroup.controllers"), "memory"):
			return "", errors.New("cgroup v2 has no controllers of memory and pids here")
		default:
			return "", fmt.Errorf("no control group from %s outwards gives this user limits of memory and pids", own)
		}
	}
}

// isOurs reports whether this process may make groups in this one and start processes in them.
func isOurs(group string) bool {
	return unix.Access(group, unix.W_OK) == nil && unix.Access(filepath.Join(group, "cgroup.procs"), unix.W_OK) == nil
}

// grants reports whether groups in this one have limits of memory and processes. In the outermost
// group, which may hold processes beside its groups, they are switched on.
func grants(group string, outermost bool) bool {
	has := func() bool {
		on := controllers(group, "cgroup.subtree_control")
		return slices.Contains(on, "memory") && slices.Contains(on, "pids")
	}
	if has() || !outermost {
		return has()
	}
	there := controllers(group, "cgroup.controllers")
	for _, name := range wanted() {
		if slices.Contains(there, name) {
			_ = put(filepath.Join(group, "cgroup.subtree_control"), "+"+name) // seen below
		}
	}
	return has()
}

func controllers(group, file string) []string {
	data, err := os.ReadFile(filepath.Join(group, file))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Fields(string(data)), func(name string) bool {
		return !slices.Contains(wanted(), name)
	})
}

// mountPoint is where the groups of version 2 are seen as files.
func mountPoint() (string, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", fmt.Errorf("look for control groups: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		before, after, _ := strings.Cut(line, " - ")
		if fields := strings.Fields(before); strings.HasPrefix(after, "cgroup2 ") && len(fields) > 4 {
			return fields[4], nil
		}
	}
	return "", errors.New("no control groups (cgroup v2) are mounted")
}

// ownGroup is the group of this process in version 2, from the mount point.
func ownGroup() (string, error) {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", fmt.Errorf("look for the own control group: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if path, found := strings.CutPrefix(line, "0::"); found {
			return strings.TrimSpace(path), nil
		}
	}
	return "", errors.New("this process has no control group of version 2")
}
