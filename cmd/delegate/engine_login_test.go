//go:build !windows

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"delegate/internal/sys/run"
)

// sshd is the program of that name, "" where it is not installed.
func sshd() string {
	for _, name := range []string{"sshd", "/usr/sbin/sshd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// loginNode is a login node on this machine: an sshd with keys of its own in the script's folder. It is made, started
// (up), or ended with all of its connections (down).
func loginNode(what string) error {
	return loginAt(filepath.Join(os.Getenv("WORK"), "login"), what)
}

func loginAt(dir, what string) error {
	switch what {
	case "make":
		return makeLogin(dir)
	case "up":
		// Nothing of the script is in its environment, or it would count as left behind before it is ended.
		c := exec.Command("setsid", sshd(), "-f", filepath.Join(dir, "sshd_config"), "-E", filepath.Join(dir, "log"))
		c.Env = []string{"PATH=" + os.Getenv("PATH")}
		if err := passed(c); err != nil {
			return err
		}
		return nil // it listens when the program in front has ended
	case "down":
		text, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return err
		}
		ends := []int{pid}
		for _, p := range run.Descendants(pid) {
			if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.PID)); err == nil &&
				strings.HasPrefix(string(name), "sshd") {
				ends = append(ends, p.PID)
			}
		}
		for _, pid := range ends {
			err = errors.Join(err, syscall.Kill(pid, syscall.SIGKILL))
		}
		return errors.Join(err, os.Remove(filepath.Join(dir, "pid")))
	}
	return fmt.Errorf("nobody does %q to a login node", what)
}

// endLogin ends a login node that a script left, and takes away what lies outside of the script's folder.
func endLogin(work string) {
	dir := filepath.Join(work, "login")
	_ = loginAt(dir, "down") // where there is one
	if shared, err := os.Readlink(filepath.Join(dir, "shared")); err == nil {
		_ = os.RemoveAll(shared)
	}
}

// makeLogin writes keys and configuration, and a program called ssh that is the person's with that configuration: ssh
// finds their home by itself.
func makeLogin(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		return err
	}
	for _, key := range []string{"host", "person", "stranger"} {
		if err := passed(exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
			filepath.Join(dir, key))); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := l.Addr().(*net.TCPAddr).Port
	// The path of a socket is short, and that of a script's folder is not.
	shared, err := os.MkdirTemp("/tmp", "login-")
	if err != nil {
		return err
	}
	public, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	ssh, lookErr := exec.LookPath("ssh")
	if err := errors.Join(l.Close(), err, lookErr); err != nil {
		return err
	}
	// A password is offered, so that a client that may ask would.
	server := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %[2]s/host\nPidFile %[2]s/pid\n"+
		"AuthorizedKeysFile %[2]s/person.pub\nStrictModes no\nUsePAM no\nPasswordAuthentication yes\n"+
		"PermitRootLogin prohibit-password\nMaxStartups 100\nSetEnv", port, dir)
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if regexp.MustCompile(`^[A-Z_]+$`).MatchString(name) && !strings.ContainsAny(value, "\"\n\\") && value != "" {
			server += fmt.Sprintf(" %q", name+"="+value)
		}
	}
	client := fmt.Sprintf(`Host *
	HostName 127.0.0.1
	Port %[1]d
	HostKeyAlias login
	StrictHostKeyChecking ask
	IdentitiesOnly yes
Host unknown
	UserKnownHostsFile %[2]s/nobody
Host stranger
	IdentityFile %[2]s/stranger
Host shared
	ControlMaster auto
	ControlPersist 60
	ControlPath %[3]s/%%C
Host * !stranger
	IdentityFile %[2]s/person
Host *
	UserKnownHostsFile %[2]s/known
	# What a person has for their own sessions, and what nothing of ours may do.
	RemoteCommand echo hello
	RequestTTY yes
	LocalForward %[4]d 127.0.0.1:%[1]d
	ExitOnForwardFailure yes
`, port, dir, shared, port+1)
	wrapper := "#!/bin/sh\nexec " + ssh + " -F " + run.Quote(filepath.Join(dir, "ssh_config")) + " \"$@\"\n"
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "sshd_config"), []byte(server+"\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "ssh_config"), []byte(client), 0o600),
		os.WriteFile(filepath.Join(dir, "known"), []byte("login "+string(public)), 0o600),
		os.WriteFile(filepath.Join(dir, "bin", "ssh"), []byte(wrapper), 0o700),
		os.Symlink(shared, filepath.Join(dir, "shared")), os.MkdirAll("/run/sshd", 0o755))
}
