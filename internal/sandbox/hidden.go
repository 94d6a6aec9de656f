package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// EscapeSockets are the Unix sockets and their folders through which a process could have another
// one outside act for it: session services, agents for keys, container engines, terminal
// multiplexers. own are the places that belong to the agent.
func EscapeSockets(own []string) []string {
	var all []string
	uid := strconv.Itoa(os.Getuid())
	for _, folder := range []string{os.Getenv("XDG_RUNTIME_DIR"), "/run/user/" + uid, "/tmp/tmux-" + uid,
		os.Getenv("TMUX_TMPDIR"), "/tmp/.X11-unix", "/tmp/.ICE-unix", "/run/screen", "/run/docker", "/run/containerd",
		"/run/podman", "/run/WSL", "/run/docker.sock", "/var/run/docker.sock", os.Getenv("SSH_AUTH_SOCK")} {
		if filepath.IsAbs(folder) && len(folder) > 4 && folder != "/tmp" {
			all = append(all, folder)
		}
	}
	found := append(socketsByName(), socketsInPlace()...)
	slices.Sort(found)
	for _, path := range slices.Compact(found) {
		inside := func(folder string) bool { return strings.HasPrefix(path, folder+"/") }
		if !resolvesNames(path) && !slices.ContainsFunc(append(own, all...), inside) && !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	return all
}

// SystemSecrets are files of the system that root alone reads, for agents that run as root.
func SystemSecrets() []string {
	all := []string{"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/var/backups/shadow.bak",
		"/var/backups/gshadow.bak", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private", "/etc/wireguard",
		"/etc/NetworkManager/system-connections", "/etc/krb5.keytab"}
	keys, _ := filepath.Glob("/etc/ssh/ssh_host_*_key") // the pattern is a sound one
	return append(all, keys...)
}

// socketsByName are those of this network namespace whose absolute name leads to one.
func socketsByName() []string {
	data, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil // no such list on this system
	}
	var all []string
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) != 8 || !filepath.IsAbs(fields[7]) {
			continue
		}
		path := filepath.Clean(fields[7])
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			all = append(all, path) // the list is made of names that anybody can choose
		}
	}
	return all
}

// mostEntries is how many names are looked at in search of sockets, so that a large folder holds up no turn.
const mostEntries = 20000

// socketsInPlace are those that lie where programs usually put them. They need not be in the list of names: one was
// bound by a relative name, or was renamed, or is served from another container.
func socketsInPlace() []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	left := mostEntries
	var all []string
	for _, place := range []struct {
		folder string
		depth  int
	}{
		{"/run", 4}, {"/var/run", 4}, {"/tmp", 2}, {"/var/tmp", 2}, {home, 1},
		{filepath.Join(home, ".docker"), 3}, {filepath.Join(home, ".colima"), 3}, {filepath.Join(home, ".lima"), 3},
		{filepath.Join(home, ".rd"), 2}, {filepath.Join(home, ".local/share/containers"), 4},
		{filepath.Join(home, ".config"), 2}, {filepath.Join(home, ".cache"), 2},
		{filepath.Join(home, ".local/state"), 2},
		{filepath.Join(home, ".emacs.d"), 2}, {filepath.Join(home, ".vscode-server"), 2},
	} {
		if filepath.IsAbs(place.folder) {
			all = append(all, socketsBelow(place.folder, place.depth, &left)...)
		}
	}
	return all
}

// socketsBelow follows no links: what they lead to is looked at where it lies, if it lies in one of the places.
func socketsBelow(folder string, depth int, left *int) []string {
	if *left <= 0 {
		return nil
	}
	dir, err := os.Open(folder)
	if err != nil {
		return nil // it is not there, or not the person's to read
	}
	entries, err := dir.ReadDir(*left)
	dir.Close()
	if err != nil {
		return nil
	}
	*left -= len(entries)
	var all []string
	for _, e := range entries {
		at := filepath.Join(folder, e.Name())
		switch {
		case e.Type()&os.ModeSocket != 0:
			all = append(all, at)
		case e.IsDir() && depth > 1:
			all = append(all, socketsBelow(at, depth-1, left)...)
		}
	}
	return all
}

// resolvesNames spares the sockets that the system's library asks for hosts and users.
func resolvesNames(path string) bool {
	for _, folder := range []string{"/run/nscd/", "/var/run/nscd/", "/run/systemd/resolve/", "/run/systemd/userdb/",
		"/var/lib/sss/"} {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return false
}
