package sandbox

import (
	"context"
	"encoding/json"
	"errors"

	"delegate/internal/sys/run"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Wrap is the command under a policy: this program, which carries the policy file out on itself and
// becomes the command's program. The command's Path must be absolute. An Extra file, if it has one,
// gets the reports.
func Wrap(c run.Command, policyFile string, mode NetworkMode, s Support) run.Command {
	audience := silent
	if len(c.Extra) > 0 {
		audience = reporting
	}
	c.Args = append([]string{Verb, policyFile, audience, c.Path}, c.Args...)
	c.Path = run.Program()
	if s.Namespaces {
		c.Namespaces = run.OwnNamespaces
		if mode != Open {
			c.Namespaces = run.OwnNetworkToo
		}
	}
	return c
}

// Detect tries what this machine can do. It takes a few milliseconds.
func Detect(ctx context.Context) Support {
	s := Support{Seccomp: filtersCalls()}
	if abi, err := ll.LandlockGetABIVersion(); err == nil {
		s.Landlock = abi
	}
	out, err := run.Output(ctx, run.Command{Path: run.Program(), Args: []string{Verb, probeWord}, Dir: "/",
		Namespaces: run.OwnNamespaces})
	var exit *run.ExitError
	switch {
	case errors.As(err, &exit) && exit.Stderr != "":
		s.Fault = exit.Stderr
	case err != nil:
		s.Fault = "namespaces cannot be made here: " + err.Error()
	}
	if err != nil {
		return s
	}
	var found Support
	if err := json.Unmarshal(out, &found); err != nil {
		s.Fault = "namespaces could not be tried: " + err.Error()
		return s
	}
	s.Namespaces, s.Overlay, s.Proc = true, found.Overlay, found.Proc
	return s
}
