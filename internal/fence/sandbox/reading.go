package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// systemFolders are the folders at the root of a file system that hold programs and what they need. People keep files
// in all others: /home, /root, /mnt, /media, /srv, /data, /workspace and whatever somebody made.
var systemFolders = []string{"bin", "boot", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "lost+found",
	"nix", "opt", "proc", "run", "sbin", "snap", "sys", "tmp", "usr", "var"}

// amongSystem is what of the system's folders is a person's.
var amongSystem = []string{"/run/media", "/var/home", "/var/mail", "/var/spool", "/var/backups"}

// Personal are the folders in which people keep files, as they are named on this machine: their home, everything at
// the root that is none of the system's, and what lies among the system's and is not. home is "" where nobody has one.
func Personal(home string) []string {
	all := slices.Clone(amongSystem)
	if entries, err := os.ReadDir("/"); err == nil {
		for _, e := range entries {
			if e.IsDir() && !slices.Contains(systemFolders, e.Name()) {
				all = append(all, "/"+e.Name())
			}
		}
	}
	if filepath.IsAbs(home) && home != "/" {
		all = append(all, home)
		if real, err := filepath.EvalSymlinks(home); err == nil && real != home {
			all = append(all, real) // what a link in PATH leads to may be named by it
		}
	}
	return all
}

// Contains reports whether a path is the folder or lies in it. Both are clean and absolute.
func Contains(folder, path string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder+"/")
}

// ways are the names that have to be there for the paths to be found: each symbolic link on the way, and what the
// path is in the end. What is not there is left out.
func ways(paths []string) []string {
	var all []string
	plain := map[string]bool{}
	for _, path := range paths {
		all = append(all, way(path, plain)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// mostLinks is how many links are followed on the way to one place, as the kernel has it.
const mostLinks = 40

// way remembers in plain what is there and no link.
func way(path string, plain map[string]bool) (all []string) {
	at, rest, links := "/", strings.Split(strings.Trim(filepath.Clean(path), "/"), "/"), 0
	for len(rest) > 0 {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		if plain[next] {
			at = next
			continue
		}
		info, err := os.Lstat(next)
		if err != nil {
			return nil
		}
		if info.Mode()&os.ModeSymlink == 0 {
			plain[next], at = true, next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > mostLinks {
			return nil
		}
		all = append(all, next)
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(strings.Trim(filepath.Clean(target), "/"), "/"), rest...)
	}
	return append(all, at)
}
