package sandbox

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"delegate/scope"
)

// seatbeltProfile is the policy as a profile for macOS's sandbox-exec. It was written from what is known
// of that language and never run by its authors.
//
// Everything may be read but what is hidden, and nothing be written but what the policy opens. In a
// profile the last rule that fits decides; each rule about writing names the kinds of writing that
// other rules single out as well, so it holds also if a narrower kind were asked first.
//
// Unlike a namespace it has no loopback interface, no devices and no processes of its own: with the
// network None there is none at all, with Listed there is the proxy's port on the machine's own
// loopback interface. Sockets are reached below the agent's own folders only. No hard links are
// made, since a link would give a file that is closed a path that is open. Services of the system
// that would act for the agent from outside are refused: opening things (LaunchServices), Apple
// events, jobs, preferences, downloads of the system. Other services stay, as encrypted connections
// need them; the keychain is one of them, and it asks the person by itself. Binds cannot be carried
// out, and of Caches the spare ones only; Programs are refused instead of replaced.
//
// The paths have to be without links, except for the three of the system's root (/tmp, /var, /etc):
// the kernel compares what a path leads to.
func seatbeltProfile(p Policy) string {
	s := seatbelt{policy: p, pinned: map[string]bool{}}
	s.line("(version 1)")
	s.line("(allow default)")
	s.outside()
	s.network()
	s.line("(deny %s)", writes)
	s.devices()
	for _, folder := range p.Writable {
		s.rule("allow", writes, folder, within)
		s.pin(folder)
	}
	s.rule("deny", writes, p.Worktree, within) // one of those folders may hold it
	for _, o := range p.Openings {
		s.open(o.Path, o.Kind)
		s.way(o.Path)
	}
	for _, seal := range p.Seals {
		s.seal(seal)
	}
	for _, file := range p.Fixed {
		s.rule("deny", writes, file, within)
		s.pinTo(file, "/")
	}
	for _, place := range p.Hidden {
		s.rule("deny", "file-read* file-clone "+writes, place, within)
		s.pinTo(place, "/")
	}
	for _, place := range p.Shown {
		s.rule("allow", "file-read*", place, within)
	}
	for _, program := range p.Programs {
		s.rule("deny", "process-exec*", program, within)
	}
	s.keepPinned()
	return s.text.String()
}

// writes are all kinds of writing, with those that single rules are about.
const writes = "file-write* file-write-create file-write-unlink"

type seatbelt struct {
	policy Policy
	text   strings.Builder
	// paths whose own entries are neither made nor removed, so that nothing is moved away with what is closed inside
	pinned map[string]bool
}

func (s *seatbelt) line(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n", args...) }

// rule writes a rule for every spelling of the path; fits writes the condition for one.
func (s *seatbelt) rule(verdict, operations, path string, fits func(path string) string) {
	for _, path := range spellings(path) {
		s.line("(%s %s %s)", verdict, operations, fits(path))
	}
}

// within fits the path and everything below it.
func within(path string) string { return "(subpath " + quoted(path) + ")" }

func only(path string) string { return "(literal " + quoted(path) + ")" }

// entries fits what lies directly in the folder and is no folder.
func entries(folder string) string {
	return "(require-all (regex " + quoted("^"+escaped(folder)+"/[^/]+$") + ") (require-not (vnode-type DIRECTORY)))"
}

// folders fits the folder and those below it.
func folders(path string) string { return "(require-all " + within(path) + " (vnode-type DIRECTORY))" }

// asFolder fits the path while it is a folder, or becomes one.
func asFolder(path string) string { return "(require-all " + only(path) + " (vnode-type DIRECTORY))" }

// outside closes the ways on which something else would act for the agent.
func (s *seatbelt) outside() {
	for _, operation := range []string{"signal", "process-info*", "mach-priv-task-port"} {
		s.line("(deny %s)", operation)
		s.line("(allow %s (target same-sandbox))", operation)
	}
	for _, operation := range []string{"appleevent-send", "lsopen", "job-creation", "user-preference-write",
		"file-link"} {
		s.line("(deny %s)", operation)
	}
	for _, service := range []string{"com.apple.coreservices.appleevents", "com.apple.coreservices.launchservicesd",
		"com.apple.coreservices.quarantine-resolver", "com.apple.xpc.smd", "com.apple.nsurlsessiond"} {
		s.line("(deny mach-lookup (global-name %s))", quoted(service))
	}
}

// network closes it as the policy says, and sockets that are files in every case. The last of these
// rules open what is left.
func (s *seatbelt) network() {
	switch s.policy.Network.Mode {
	case Open:
		s.line("(deny network-outbound (remote unix-socket))")
		// names are resolved there
		s.line("(allow network-outbound (remote unix-socket (path-literal \"/private/var/run/mDNSResponder\")))")
	default:
		s.line("(deny network*)")
		s.line("(deny mach-lookup (global-name \"com.apple.dnssd.service\"))")
	}
	if n := s.policy.Network; n.Mode == Listed {
		s.line("(allow network-outbound (remote ip \"localhost:%d\"))", n.Port)
	}
	for _, folder := range s.policy.Writable {
		for _, path := range spellings(folder) {
			s.line("(allow network-bind network-inbound (local unix-socket (subpath %s)))", quoted(path))
			s.line("(allow network-outbound (remote unix-socket (subpath %s)))", quoted(path))
		}
	}
}

// devices opens those that programs need, and of the terminals those that were made inside.
func (s *seatbelt) devices() {
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
		"/dev/stdout", "/dev/stderr", "/dev/dtracehelper"} {
		s.rule("allow", "file-write*", device, only)
	}
	s.line("(allow file-write* (regex \"^/dev/fd/[0-9]+$\"))")
	s.line("(deny file-read* file-write* file-ioctl (regex \"^/dev/ttys[0-9]+$\"))")
	s.line("(allow file-read* file-write* file-ioctl (require-all (regex \"^/dev/ttys[0-9]+$\") (extension " +
		"\"com.apple.sandbox.pty\")))")
}

func (s *seatbelt) at(below string) string { return path.Join(s.policy.Worktree, below) }

// open gives what an opening of the kind gives.
func (s *seatbelt) open(below string, kind Kind) {
	switch folder := s.at(below); kind {
	case Whole:
		s.rule("allow", writes, folder, within)
	case Files:
		s.rule("allow", writes, folder, entries)
	case Deep:
		s.rule("allow", writes, folder, within)
		s.rule("deny", "file-write-unlink", folder, folders)
	}
}

// way lets the folders on the way to an opening, and its own, be made where they are missing.
func (s *seatbelt) way(below string) {
	for at := below; at != ""; at = parent(at) {
		s.pin(s.at(at))
	}
	s.pin(s.policy.Worktree)
}

// seal takes from the openings, or gives back what they give at a path that is held.
func (s *seatbelt) seal(seal Seal) {
	s.pinTo(s.at(seal.Path), s.policy.Worktree)
	if seal.Access == ReadOnly {
		s.rule("deny", writes, s.at(seal.Path), within)
		if seal.Make && seal.Path != "" {
			// However the part below the worktree is written: what is not there yet can be made by any of its
			// spellings, which a file system that does not tell them apart takes for the same.
			s.rule("deny", writes, s.policy.Worktree, func(worktree string) string {
				return "(regex " + quoted("^"+escaped(worktree)+"/"+folded(seal.Path)+"(/|$)") + ")"
			})
		}
		return
	}
	for _, o := range s.policy.Openings {
		switch {
		case scope.Within(o.Path, seal.Path):
			s.open(o.Path, o.Kind)
		case scope.Within(seal.Path, o.Path) && o.Kind != Files:
			s.open(seal.Path, o.Kind)
		}
	}
	s.pin(s.at(seal.Path))
}

func (s *seatbelt) pin(path string) { s.pinned[path] = true }

// pinTo pins the folders above the path, up to one of them.
func (s *seatbelt) pinTo(place, top string) {
	for at := path.Dir(place); at != path.Dir(at) && scope.Within(at, strings.TrimSuffix(top, "/")); at = path.Dir(at) {
		s.pin(at)
	}
}

// keepPinned writes the last rules: a pinned folder stays; one that an opening needs may be made, as a folder.
func (s *seatbelt) keepPinned() {
	for _, place := range slices.Sorted(maps.Keys(s.pinned)) {
		s.rule("deny", "file-write-create file-write-unlink", place, only)
		if s.needed(place) {
			s.rule("allow", "file-write-create", place, asFolder)
		}
	}
}

// needed reports whether the folder leads to an opening, or lies in one that may get folders, and is not sealed.
func (s *seatbelt) needed(place string) bool {
	below, inside := strings.CutPrefix(place, s.policy.Worktree+"/")
	if !inside {
		return false
	}
	access := Held
	for _, seal := range s.policy.Seals { // outer ones first
		if scope.Within(below, seal.Path) {
			access = seal.Access
		}
	}
	return access == Held && slices.ContainsFunc(s.policy.Openings, func(o Opening) bool {
		return scope.Within(o.Path, below) || o.Kind != Files && scope.Within(below, o.Path)
	})
}

// resolved is the policy with the paths that links lead to, where there is something.
func (p Policy) resolved() Policy {
	led := func(path string) string {
		if to, err := filepath.EvalSymlinks(path); err == nil {
			return to
		}
		return path
	}
	all := func(paths []string) (to []string) {
		for _, path := range paths {
			to = append(to, led(path))
		}
		return to
	}
	p.Worktree = led(p.Worktree)
	p.Writable, p.Fixed, p.Hidden, p.Shown, p.Programs = all(p.Writable), all(p.Fixed), all(p.Hidden), all(p.Shown),
		all(p.Programs)
	return p
}

// spellings are the path as the system's three links have it, and as it is behind them.
func spellings(path string) []string {
	const behind = "/private"
	for _, link := range []string{"/tmp", "/var", "/etc"} {
		switch {
		case scope.Within(path, link):
			return []string{path, behind + path}
		case scope.Within(path, behind+link):
			return []string{strings.TrimPrefix(path, behind), path}
		}
	}
	return []string{path}
}

// quoted is a text as the language has it.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
}

// escaped is an expression that fits the text alone.
func escaped(text string) string { return expression(text, func(c byte) string { return string(c) }) }

// folded is an expression that fits the text with its ASCII letters in either case.
func folded(text string) string {
	return expression(text, func(c byte) string {
		if upper, lower := c&^0x20, c|0x20; upper >= 'A' && upper <= 'Z' {
			return "[" + string(upper) + string(lower) + "]"
		}
		return string(c)
	})
}

func expression(text string, one func(c byte) string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case strings.IndexByte(`.*+?()[]{}^$|\`, c) >= 0:
			b.WriteString(`\` + string(c))
		case c < 0x80:
			b.WriteString(one(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
