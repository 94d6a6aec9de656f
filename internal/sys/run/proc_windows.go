package run

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func lookup(pid int) (Process, error) {
	for _, p := range processes() {
		if p.PID == pid {
			return p, nil
		}
	}
	return Process{}, ErrNoProcess
}

func processes() []Process {
	var all []Process
	for _, entry := range snapshot() {
		pid := int(entry.ProcessID)
		all = append(all, Process{PID: pid, Parent: int(entry.ParentProcessID), Start: started(pid)})
	}
	return all
}

func snapshot() []windows.ProcessEntry32 {
	handle, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(handle)
	var entry windows.ProcessEntry32
	entry.Size = uint32(unsafe.Sizeof(entry))
	var all []windows.ProcessEntry32
	for err = windows.Process32First(handle, &entry); err == nil; err = windows.Process32Next(handle, &entry) {
		all = append(all, entry)
	}
	return all
}

func started(pid int) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(handle)
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(handle, &created, &exited, &kernel, &user); err != nil {
		return ""
	}
	return fmt.Sprint(created.Nanoseconds())
}

// arguments are the program's name alone. The system does not tell the rest, the environment and the
// working folder of another process without reading its memory.
func arguments(pid int) []string {
	for _, p := range snapshot() {
		if int(p.ProcessID) == pid {
			return []string{windows.UTF16ToString(p.ExeFile[:])}
		}
	}
	return nil
}

func hasEnviron(int, string) bool { return false }
func workingFolder(int) string    { return "" }
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}
func terminate(id Identity)                { kill(id) }
func interrupt(id Identity) error          { kill(id); return nil }
func interruptGroup(leader Identity) error { return killGroup(leader.PID) }
func askToEnd(p *os.Process) error         { return p.Kill() } // there is nothing gentler here
func reap(int)                             {}
func reapOrphans() (none bool)             { return false }
func signalName(*os.ProcessState) string   { return "" }

func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

func controlTerminal(*exec.Cmd) {}

func kill(id Identity) {
	if p, err := os.FindProcess(id.PID); err == nil && id.Alive() {
		_ = p.Kill()
	}
}

func killGroup(pid int) error {
	for _, p := range Descendants(pid) {
		kill(Identity{PID: p.PID, Start: p.Start})
	}
	if p, err := os.FindProcess(pid); err == nil {
		return p.Kill()
	}
	return nil
}

// AdoptOrphans has no counterpart on this system.
func AdoptOrphans() error { return nil }

// bootID is not told here: start times are dates, which tell processes of different boots apart by themselves.
func bootID() string { return "" }
