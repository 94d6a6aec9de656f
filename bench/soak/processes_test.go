//go:build bench && linux

package soak

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"delegate/internal/sys/run"
)

// process is one that belongs to a session.
type process struct {
	id   run.Identity
	args string
}

func (p process) String() string { return fmt.Sprintf("%d (%s)", p.id.PID, p.args) }

// processes finds all that name the session's folder in their environment or work below it.
// The second finds what was started with an empty environment.
func (s *session) processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || !s.marked(pid) {
			continue
		}
		id, err := run.Identify(pid)
		if err != nil || !id.Alive() {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		found = append(found, process{id, strings.ReplaceAll(string(line), "\x00", " ")})
	}
	return found
}

func (s *session) marked(pid int) bool {
	folder := s.folder + "/"
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	if environ, err := os.ReadFile(filepath.Join(proc, "environ")); err == nil &&
		bytes.Contains(environ, []byte(folder)) {
		return true
	}
	dir, err := os.Readlink(filepath.Join(proc, "cwd"))
	return err == nil && strings.HasPrefix(dir, folder)
}

// kill ends the process as a power cut would. Only what processes found is ever killed.
func (p process) kill() bool {
	if !p.id.Alive() || syscall.Kill(p.id.PID, syscall.SIGKILL) != nil {
		return false
	}
	for p.id.Alive() {
		time.Sleep(5 * time.Millisecond)
	}
	return true
}

// clear ends what is left of the session, so that it does not disturb the others.
func (s *session) clear() {
	for _, p := range s.processes() {
		p.kill()
	}
}
