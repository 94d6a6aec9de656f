package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"delegate/internal/sys/run"
)

// Inspection is what a look at one agent program on this machine shows.
type Inspection struct {
	Name     string `json:"name"`
	Program  string `json:"program"` // where it is, "" if it is not installed
	Version  string `json:"version"`
	Tested   string `json:"tested"`   // version that its profile was run with, "" if none
	Untested bool   `json:"untested"` // its profile was written from documentation alone
	Login    bool   `json:"login"`    // a login or a key of it was found, or nobody here knows what it needs
	LoginBy  string `json:"login_by"` // what was found: a file or a variable; "" for nothing
	// Unsure says that nothing was found and that this means little: the program keeps its login
	// where nobody here can look.
	Unsure bool `json:"login_unsure"`
	// Hosts are those that it reaches with sandbox.network: hosts, beside those of sandbox.hosts.
	Hosts []string `json:"hosts"`
	Next  string   `json:"next"`  // what to type, "" if nothing is missing
	Given Given    `json:"given"` // beside its prompt
}

// versionLimit is how long a program may take to say its version.
const versionLimit = 20 * time.Second

// InspectAll inspects several at the same time, since most of it is waiting for programs to say
// their version. The order stays.
func InspectAll(ctx context.Context, profiles []Profile, dir string) []Inspection {
	all := make([]Inspection, len(profiles))
	var each sync.WaitGroup
	for i, p := range profiles {
		each.Go(func() {
			all[i] = p.Inspect(ctx, dir)
			all[i].Given = all[i].Given.Whole()
		})
	}
	each.Wait()
	return all
}

// Inspect looks for the profile's program, asks for its version and looks for a login that it would be given.
func (p Profile) Inspect(ctx context.Context, dir string) Inspection {
	found := Inspection{Name: p.Name, Tested: p.Tested, Hosts: append([]string{}, p.Hosts()...)}
	if len(p.Command) == 0 {
		found.Next = "give the profile a command in .delegate.yaml"
		return found
	}
	builtin := p.Program.Name != ""
	found.Untested = builtin && p.Tested == ""
	path, err := run.Which(p.executable(), dir, os.Getenv("PATH"))
	if err != nil {
		found.Next = "install " + p.executable() + ", or name its path under profiles: " + p.Name + ": command:"
		return found
	}
	found.Program = path
	if !builtin {
		found.Login, found.Unsure = true, true // nobody here knows what it needs
		return found
	}
	found.Version = versionOf(ctx, path)
	found.LoginBy = p.loginBy()
	if found.Login = found.LoginBy != ""; !found.Login {
		found.Next, found.Unsure = p.Login, len(p.Credentials) == 0 || p.Keychain && runtime.GOOS == "darwin"
	}
	return found
}

// versionOf is the first line that holds a digit of what the program says of its version.
func versionOf(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, versionLimit)
	defer cancel()
	var out, stderr bytes.Buffer // pi says it on standard error, where others have warnings
	if err := run.Group(ctx, run.Command{Path: path, Args: []string{"--version"}, Stdout: &out,
		Stderr: &stderr}); err != nil {
		return ""
	}
	for line := range strings.Lines(out.String() + "\n" + stderr.String()) {
		if strings.ContainsAny(line, "0123456789") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// PersonsModel is the model that the person's settings choose for a program that does not tell it; "" for none.
func (p Profile) PersonsModel() string {
	if p.Chosen == nil {
		return ""
	}
	settings, err := p.ofPerson(p.Settings)
	if err != nil {
		return ""
	}
	return p.Chosen(settings)
}

// loginBy is a credential that would be copied, or a variable with a key that would be passed on, as far as
// one is there. Whether it is valid only a run tells.
func (p Profile) loginBy() string {
	for _, c := range p.used() {
		return c.Switch // whose login may be of the machine itself
	}
	home, err := os.UserHomeDir()
	for _, name := range p.Credentials {
		at := p.At(home, name)
		if _, statErr := os.Stat(at); err == nil && statErr == nil {
			if below, inside := strings.CutPrefix(at, home+"/"); inside {
				return "~/" + below
			}
			return at
		}
	}
	if data, err := p.ofPerson(p.Provider.File); err == nil {
		var raw, settings map[string]json.RawMessage
		if json.Unmarshal(data, &raw) == nil && json.Unmarshal(raw[p.Provider.Name], &settings) == nil &&
			len(settings) > 0 {
			return "~/" + p.Provider.File
		}
	}
	for _, name := range p.PassEnv {
		if secret := strings.HasSuffix(name, "KEY") ||
			strings.HasSuffix(name, "TOKEN"); secret && os.Getenv(name) != "" {
			return name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		if strings.HasSuffix(name, "KEY") && p.Env[name] != "" {
			return name
		}
	}
	return ""
}
