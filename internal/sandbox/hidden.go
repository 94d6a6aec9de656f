package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/program"
)

// Credentials are the places below a person's home where logins and keys usually lie, relative to
// it, those of the agent programs among them. An agent gets the login of its own program as a copy
// in its own home; it needs none of these.
func Credentials() []string {
	all := []string{
		".ssh", ".gnupg", ".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".config/gh",
		".config/hub", ".config/glab-cli",
		".aws", ".azure", ".config/gcloud", ".kube", ".docker/config.json", ".config/containers/auth.json", ".npmrc",
		".yarnrc.yml", ".pypirc", ".config/pip/pip.conf",
		".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml",
		".m2/settings-security.xml", ".gradle/gradle.properties", ".nuget/NuGet/NuGet.Config",
		".terraform.d/credentials.tfrc.json", ".vault-token", ".config/op", ".password-store", ".local/share/keyrings",
		".config/rclone", ".pgpass", ".my.cnf",
		".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".thunderbird",
		".bash_history", ".zsh_history", ".psql_history", ".mysql_history", ".python_history", ".node_repl_history",
	}
	for _, p := range program.All() {
		all = append(append(all, p.Credentials...), p.Hidden...)
	}
	return all
}

// EscapeSockets are the Unix sockets and their folders through which a process could have another
// one outside act for it: session services, agents for keys, container engines, terminal
// multiplexers. own are the places that belong to the agent.
func EscapeSockets(own []string) []string {
	var all []string
	uid := strconv.Itoa(os.Getuid())
	for _, folder := range []string{os.Getenv("XDG_RUNTIME_DIR"), "/run/user/" + uid, "/tmp/tmux-" + uid,
		os.Getenv("TMUX_TMPDIR"), "/tmp/.X11-unix", "/tmp/.ICE-unix", "/run/screen", "/run/docker", "/run/containerd",
		"/run/podman"} {
		if filepath.IsAbs(folder) && len(folder) > 4 && folder != "/tmp" {
			all = append(all, folder)
		}
	}
	data, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return all // no such list on this system
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) != 8 || !filepath.IsAbs(fields[7]) || resolvesNames(fields[7]) {
			continue
		}
		path := filepath.Clean(fields[7])
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSocket == 0 {
			continue // the list is made of names that anybody can choose
		}
		inside := slices.ContainsFunc(own, func(folder string) bool { return strings.HasPrefix(path, folder+"/") })
		if !inside && !slices.Contains(all, path) {
			all = append(all, path)
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
