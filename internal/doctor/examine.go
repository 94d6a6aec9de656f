package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"delegate/internal/agent"
	"delegate/internal/config"
	"delegate/internal/git"
	"delegate/internal/program"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/sandbox"
	"delegate/internal/turnsetup"
)

// Check is one thing that was looked at.
type Check struct {
	Name  string `json:"name"`
	State string `json:"state"` // one of those below
	Text  string `json:"text"`
	Next  string `json:"next"`
}

// The states of a Check: as it should be, not there, in the way of work, and worth a look.
const (
	OK      = "ok"
	Missing = "missing"
	Fault   = "fault"
	Warning = "warning"
)

// Report is what there is and what is missing.
type Report struct {
	Checks   []Check            `json:"checks"`
	Layers   []sandbox.Layer    `json:"layers"` // of the sandbox, as this machine has them
	Programs []agent.Inspection `json:"programs"`
	Default  string             `json:"default"` // the profile that a subtask without one gets, "" if there is none
	Disk     *Space             `json:"disk"`    // null outside of a repository
}

// examination makes a report.
type examination struct {
	Report
	hint func(error) string // what to type after an error
}

// Examine looks at everything: the repository that was opened, or could not be, and the machine. What cannot be looked
// at is a fault in the report, and nothing else is left out for it.
func Examine(ctx context.Context, p *project.Project, opening error, version string, hint func(error) string) Report {
	e := &examination{hint: hint}
	gitVersion, err := git.Program(ctx)
	e.diagnose("git", gitVersion, err)
	settings, dir := config.Default(), "/"
	var faults *config.Error
	switch {
	case errors.Is(opening, git.ErrNotRepository):
		e.add("repository", Missing, "this folder is in none", hint(opening))
	case opening != nil && !errors.As(opening, &faults):
		e.diagnose("repository", "", opening)
	default:
		settings, dir = p.Config, p.Main
		e.addRepository(ctx, p)
		e.addConfiguration(p, faults)
	}
	e.addSandbox(ctx, settings)
	if p != nil && !p.Inspects() {
		e.add("checkers", Missing, "no compiler confirms or refutes conflicts: each reads what agents wrote, "+
			"and is run in a sandbox with namespaces or not at all", "")
	}
	if p != nil {
		e.addState(ctx, p)
		e.addDisk(ctx, p)
	}
	e.addSelf(dir, version)
	e.addPrograms(ctx, settings, dir)
	return e.Report
}

// addSelf looks whether others find this program: the commands of agent programs call it by its name.
func (e *examination) addSelf(dir, version string) {
	at, err := run.Which("delegate", dir, os.Getenv("PATH"))
	if err != nil {
		e.add("delegate", Warning, version+", which is in no folder of PATH: "+run.Program(),
			"put it into one: what delegate init writes for agent programs calls it by its name")
		return
	}
	e.add("delegate", OK, version+", found by others as "+at, "")
}

func (e *examination) add(name, state, text, next string) {
	e.Checks = append(e.Checks, Check{name, state, text, next})
}

// addPrograms asks the installed agent programs for their versions.
func (e *examination) addPrograms(ctx context.Context, settings config.Config, dir string) {
	var profiles []agent.Profile
	for _, name := range profileNames(settings) {
		profile, err := agent.Find(settings, name)
		if err != nil {
			e.diagnose("profile "+name, "", err)
			continue
		}
		profiles = append(profiles, profile)
	}
	e.Programs = agent.InspectAll(ctx, profiles, dir)
	if profile, err := agent.Find(settings, ""); err == nil {
		e.Default = profile.Name
	}
}

// addRepository looks at the checkout that the command was typed in.
func (e *examination) addRepository(ctx context.Context, p *project.Project) {
	text := p.Main
	if p.Repo.Worktree != p.Main {
		text += ", seen from " + p.Repo.Worktree
	}
	_, _, err := p.Repo.Head(ctx)
	if err == nil {
		_, err = p.Repo.Committer(ctx)
	}
	if err == nil {
		err = p.CheckPlaces(ctx)
	}
	switch {
	case err == nil:
		e.add("repository", OK, text, "")
	case errors.Is(err, git.ErrUnborn), errors.Is(err, git.ErrNoIdentity), errors.Is(err, git.ErrDetached):
		e.add("repository", Warning, text+": "+err.Error(), e.hint(err))
	default:
		e.add("repository", Fault, text+": "+err.Error(), e.hint(err))
	}
}

// addConfiguration names every fault by itself.
func (e *examination) addConfiguration(p *project.Project, faults *config.Error) {
	if faults == nil {
		if there(p.Main, config.FileName) {
			e.add("configuration", OK, config.FileName, "")
		} else {
			e.add("configuration", Missing, "no "+config.FileName+"; the defaults hold", "delegate init")
		}
		return
	}
	for _, f := range faults.Faults {
		text := f.Reason
		if f.Key != "" {
			text = f.Key + ": " + text
		}
		if f.Line > 0 {
			text = fmt.Sprintf("line %d: %s", f.Line, text)
		}
		e.add("configuration", Fault, config.FileName+": "+text,
			"mend it in an editor; what follows is looked at with the defaults")
	}
}

// addSandbox tries the layers that hold agents in.
func (e *examination) addSandbox(ctx context.Context, c config.Config) {
	support := sandbox.Detect(ctx)
	e.Layers = append(support.Layers(), turnsetup.Outer()...)
	switch {
	case c.Sandbox.Level == config.SandboxOff:
		e.add("sandbox", Missing, "switched off in "+config.FileName+": agents have your rights",
			"take sandbox.level: off out of "+config.FileName)
	case !support.Fenced():
		e.add("sandbox", Missing, "no layer of the kernel can hold agents in: "+support.Fault,
			e.hint(&turnsetup.UnfencedError{Support: support}))
	case !support.Namespaces && !support.Seatbelt:
		e.add("sandbox", Fault, "Landlock alone holds agents in: "+support.Fault, "allow user namespaces for "+
			"ordinary users (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns)")
	default:
		e.add("sandbox", OK, "agents are held in by the kernel", "")
	}
}

// addDisk measures what delegation takes and will take.
func (e *examination) addDisk(ctx context.Context, p *project.Project) {
	space, err := Measure(ctx, p)
	if err != nil {
		e.diagnose("disk", "", err)
		return
	}
	e.Disk = &space
	if space.Short() {
		e.add("disk", Warning, space.String(),
			"make room there, or name a folder on another disk: worktree_dir in "+config.FileName)
		return
	}
	e.add("disk", OK, space.String(), "")
}

// diagnose notes what is said of something, or the error in its place.
func (e *examination) diagnose(name, text string, err error) {
	if err != nil {
		e.add(name, Fault, err.Error(), e.hint(err))
		return
	}
	e.add(name, OK, text, "")
}

// profileNames are the built-in profiles in the order of preference, then the configured ones.
func profileNames(c config.Config) []string {
	names := program.Names()
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
