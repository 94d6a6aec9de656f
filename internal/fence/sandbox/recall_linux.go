package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// recallFor is for how long what was tried counts: what else an administrator can change shows after that.
const recallFor = 10 * time.Minute

// tried is what Detect found, and where.
type tried struct {
	Support Support   `json:"support"`
	Around  []string  `json:"around"`
	At      time.Time `json:"at"`
}

// Remember keeps what Detect found just now in a file that only the person writes, for Recall. What could not be done
// is tried each time.
func Remember(file string, s Support) error {
	at := surroundings()
	if !s.Namespaces || len(at) == 0 {
		return atomicfile.RemoveFile(file)
	}
	data, err := json.Marshal(tried{s, at, time.Now()})
	if err != nil {
		return fmt.Errorf("remember what can be done here: %w", err)
	}
	return atomicfile.WriteUnsynced(file, data, 0o600)
}

// Recall is what Remember kept a moment ago, if a process like this one found it. Where that does not hold any more, no
// fence stands, and nothing runs.
func Recall(file string) (Support, bool) {
	var t tried
	if err := atomicfile.ReadJSON(file, &t); err != nil || !t.Support.Namespaces {
		return Support{}, false
	}
	if age := time.Since(t.At); age < 0 || age > recallFor {
		return Support{}, false
	}
	at := surroundings()
	return t.Support, len(at) > 0 && slices.Equal(at, t.Around)
}

// surroundings are what decides what can be done: the boot, the namespaces, rights and filters of this process, what
// the system allows, and this program. None where that cannot be told.
func surroundings() []string {
	info, err := os.Stat(run.Program())
	if err != nil {
		return nil
	}
	at := []string{run.Program(), fmt.Sprint(info.Size(), info.ModTime().UnixNano(), os.Geteuid(), os.Getegid())}
	for _, name := range []string{"user", "mnt", "pid", "cgroup"} {
		link, err := os.Readlink("/proc/self/ns/" + name)
		if err != nil {
			return nil
		}
		at = append(at, link)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(status)) {
		name, _, _ := strings.Cut(line, ":")
		switch name {
		case "CapPrm", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp", "Seccomp_filters":
			at = append(at, strings.TrimSpace(line))
		}
	}
	for _, file := range []string{"/proc/sys/kernel/random/boot_id", "/proc/self/attr/current",
		"/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/unprivileged_userns_clone",
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns"} {
		said, _ := os.ReadFile(file) // not every system has each
		at = append(at, strings.TrimSpace(string(said)))
	}
	return at
}
