package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
)

// SocketFolders are where the Unix sockets lie by which a process could have another one outside act for it: session
// services, agents for keys, container engines, terminal multiplexers. None of them can be connected to, wherever it
// lies; here even their names are hidden.
func SocketFolders() []string {
	var all []string
	uid := strconv.Itoa(os.Getuid())
	for _, folder := range []string{os.Getenv("XDG_RUNTIME_DIR"), "/run/user/" + uid, "/tmp/tmux-" + uid,
		os.Getenv("TMUX_TMPDIR"), "/tmp/.X11-unix", "/tmp/.ICE-unix", "/run/screen", "/run/docker", "/run/containerd",
		"/run/podman", "/run/WSL", "/run/docker.sock", "/var/run/docker.sock", os.Getenv("SSH_AUTH_SOCK")} {
		if filepath.IsAbs(folder) && len(folder) > 4 && folder != "/tmp" {
			all = append(all, folder)
		}
	}
	return all
}

// SystemSecrets are files of the system that root alone reads, for agents that run as root, and what is handed to a
// container or a service.
func SystemSecrets() []string {
	all := []string{"/run/secrets", "/var/run/secrets", "/run/credentials", "/etc/kubernetes", "/etc/rancher",
		"/etc/letsencrypt", "/etc/apt/auth.conf", "/etc/apt/auth.conf.d", "/etc/ppp/chap-secrets", "/etc/ipsec.secrets",
		"/etc/security/opasswd", "/var/lib/cloud", "/var/lib/kubelet", "/var/lib/docker", "/var/lib/containers",
		"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/var/backups/shadow.bak",
		"/var/backups/gshadow.bak", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private", "/etc/wireguard",
		"/etc/NetworkManager/system-connections", "/etc/krb5.keytab"}
	keys, _ := filepath.Glob("/etc/ssh/ssh_host_*_key") // the pattern is a sound one
	return append(all, keys...)
}

// Replaced is the folder around a path in whose place every sandbox with namespaces has one of its own, so that nothing
// can be opened in it; "" for none.
func Replaced(path string) string {
	for _, folder := range []string{"/dev", "/proc"} {
		if Contains(folder, path) {
			return folder
		}
	}
	return ""
}
