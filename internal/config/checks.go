package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// checkHost accepts a host name or address with an optional port.
func checkHost(host string) string {
	name := strings.TrimPrefix(host, "*.")
	if name == "" || strings.ContainsAny(name, " /*@\t") {
		return fmt.Sprintf("%q is no host; write a name such as api.example.org or *.example.org:443", host)
	}
	return ""
}

// checkPlace accepts paths that mean the same in every folder. All of the home or the root would open or hide too much.
func checkPlace(p string) string {
	clean := path.Clean(p)
	switch {
	case clean == "/" || clean == "~":
		return fmt.Sprintf("%q is everything; name what is meant below it", p)
	case !path.IsAbs(clean) && !strings.HasPrefix(clean, "~/"):
		return fmt.Sprintf("%q is not absolute; write /… or ~/…", p)
	}
	return ""
}

func checkConfirmer(name string) string {
	if slices.Contains(Confirmers(), name) {
		return ""
	}
	return fmt.Sprintf("%q is no checker; name some of %s", name, strings.Join(Confirmers(), ", "))
}

// checkInside keeps what is copied into worktrees below the repository's root.
func checkInside(p string) string {
	slashed := strings.ReplaceAll(p, `\`, "/")
	drive := len(slashed) > 1 && slashed[1] == ':'
	clean := path.Clean(slashed)
	switch {
	case drive || path.IsAbs(slashed):
		return fmt.Sprintf("%q is absolute; name a path below the repository's root", p)
	case clean == "..", strings.HasPrefix(clean, "../"):
		return fmt.Sprintf("%q leaves the repository", p)
	case clean == ".":
		return fmt.Sprintf("%q is the whole repository; name what to copy", p)
	}
	return ""
}

// checkVariable accepts the names that an environment can carry
// and keeps the names of the tool itself out of the user's hands.
func checkVariable(name string) string {
	switch {
	case name == "" || strings.ContainsAny(name, "= \t\r\n\x00"):
		return fmt.Sprintf("%q is not the name of an environment variable", name)
	case strings.HasPrefix(name, "DELEGATE_"):
		return fmt.Sprintf("%q is reserved: names that begin with DELEGATE_ are set for each agent", name)
	}
	return ""
}

// checkName accepts profile names, which are typed in commands and plans
// and stand in file names.
func checkName(name string) string {
	ok := name != "" && len(name) <= 64
	for i, c := range []byte(name) {
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		ok = ok && (alnum || i > 0 && (c == '-' || c == '_' || c == '.'))
	}
	if !ok {
		return fmt.Sprintf("%q is no profile name; use letters, digits, and - _ . after the first", name)
	}
	return ""
}

func checkFolder(p string) string {
	if p == "~" || strings.HasPrefix(p, "~/") {
		return fmt.Sprintf("%q: ~ is not expanded; write the whole path", p)
	}
	return ""
}
