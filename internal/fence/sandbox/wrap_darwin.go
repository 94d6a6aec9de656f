package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"

	"golang.org/x/sys/unix"
)

// Nothing in this file was ever run by its authors: it was built and read only, as the profiles of Seatbelt were.

const (
	sandboxExec = "/usr/bin/sandbox-exec"
	shell       = "/bin/sh"
)

// What the shell does behind the fence, and in the place of one that cannot be built. Its first argument is the report.
const (
	reportAndStart = `printf '%s\n' "$0" >&3; exec "$@" 3>&-`
	reportAndFail  = `printf '%s\n' "$0" >&3; exit `
	sayAndFail     = `printf '%s\n' "$0" >&2; exit `
)

// Wrap is the command under a policy: sandbox-exec with a profile, which is written beside the
// policy file, since it can be longer than an argument. The command's Path must be absolute. An
// Extra file, if it has one, gets the reports: that the fence stands is told from inside of it.
// Where the policy cannot be carried out, the command is one that says why, starts nothing and ends
// with StartFault.
func Wrap(c run.Command, policyFile string, _ NetworkMode, s Support) run.Command {
	keepDescriptors()
	heard := len(c.Extra) > 0
	profile, err := writeProfile(policyFile)
	if err != nil {
		return failing(c, err)
	}
	inside := append([]string{c.Path}, c.Args...)
	if heard {
		inside = append([]string{shell, "-c", reportAndStart, report(Report{Built: &s})}, inside...)
	}
	c.Path, c.Args = sandboxExec, append([]string{"-f", profile}, inside...)
	return c
}

// keepDescriptors keeps from all that this process starts what it was itself started with beside the standard streams.
func keepDescriptors() {
	open, _ := os.ReadDir("/dev/fd") // this system always has it
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= reportFD {
			unix.CloseOnExec(fd)
		}
	}
}

func writeProfile(policyFile string) (string, error) {
	p, err := Load(policyFile)
	if err != nil {
		return "", err
	}
	if len(p.Binds) > 0 || slices.ContainsFunc(p.Caches, func(c Cache) bool { return !c.Spare }) {
		return "", errors.New("build sandbox: this system can show no folder in the place of another")
	}
	file := policyFile + ".sb"
	if err := atomicfile.WriteFile(file, []byte(seatbeltProfile(p.resolved())), 0o600); err != nil {
		return "", fmt.Errorf("build sandbox: %w", err)
	}
	return file, nil
}

func failing(c run.Command, err error) run.Command {
	c.Path, c.Args = shell, []string{"-c", sayAndFail + strconv.Itoa(StartFault), err.Error()}
	if len(c.Extra) > 0 {
		c.Args = []string{"-c", reportAndFail + strconv.Itoa(StartFault), report(Report{Error: err.Error()})}
	}
	return c
}

// report is what WriteReport would write.
func report(r Report) string {
	data, err := json.Marshal(r)
	if err != nil {
		return "{}" // no report holds anything that could go wrong
	}
	return string(data)
}

// Detect looks for sandbox-exec.
func Detect(context.Context) Support {
	if _, err := os.Stat(sandboxExec); err != nil {
		return Support{Fault: fmt.Sprintf("this system has no namespaces, and %s is not there", sandboxExec)}
	}
	return Support{Seatbelt: true, Fault: "this system has no namespaces"}
}

// Enter cannot be done on this system: sandbox-exec does it.
func Enter([]string) error {
	return errors.New("build sandbox: this system does it by sandbox-exec, not in this process")
}

// WriteReport has nobody to tell on this system: the shell inside does.
func WriteReport(Report) {}

// CloseReportsOnExec has nothing to keep on this system: the shell inside closes the descriptor.
func CloseReportsOnExec() {}

// IgnoreFileSize has nothing to ignore: no size is limited on this system.
func IgnoreFileSize() {}

// AwaitNoListener waits for ever: nobody listens on this system.
func AwaitNoListener() { select {} }
