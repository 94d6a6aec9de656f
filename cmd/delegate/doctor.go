package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"delegate/internal/agent"
	"delegate/internal/config"
	"delegate/internal/doctor"
	"delegate/internal/git"
	"delegate/internal/program"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/sandbox"
	"delegate/internal/turnsetup"

	"github.com/spf13/cobra"
)

// checkup is one thing that a doctor looked at.
type checkup struct {
	Name  string `json:"name"`
	State string `json:"state"` // one of those below
	Text  string `json:"text"`
	Next  string `json:"next"`
}

// The states of a checkup: as it should be, not there, in the way of work, and worth a look.
const (
	stateOK      = "ok"
	stateMissing = "missing"
	stateFault   = "fault"
	stateWarning = "warning"
)

type doctorView struct {
	Checks   []checkup          `json:"checks"`
	Layers   []sandbox.Layer    `json:"layers"` // of the sandbox, as this machine has them
	Programs []agent.Inspection `json:"programs"`
	Default  string             `json:"default"` // the profile that a subtask without one gets, "" if there is none
	Disk     *doctor.Space      `json:"disk"`    // null outside of a repository
}

// doctorCommand is `delegate doctor`: what is here, what is missing, and what to type.
func (a *app) doctorCommand() *cobra.Command {
	c := a.jsonFlag(command("doctor", "look at git, the repository, the agent programs and what sessions left, and "+
		"say what to type", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		v := a.examine(ctx)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return a.answer(v, func() { a.printDoctor(v) })
	}))
	c.Long = "Looks at git, the repository, its configuration and registry, the session, the sandbox, the agent " +
		"programs, the disk, and at what sessions\n" +
		"that ended left, and says for each what to type. It changes nothing, starts no conversation and uses no " +
		"network; the exit code is 0 whatever it finds."
	return c
}

// examine looks at everything. What cannot be looked at is a fault in the view, and nothing else is left out for it.
func (a *app) examine(ctx context.Context) doctorView {
	var v doctorView
	version, err := git.Program(ctx)
	v.Checks = append(v.Checks, diagnosis("git", version, err))
	settings, dir := config.Default(), "/"
	p, err := a.open(ctx)
	var faults *config.Error
	switch {
	case errors.Is(err, git.ErrNotRepository):
		v.add("repository", stateMissing, "this folder is in none", hint(err))
	case err != nil && !errors.As(err, &faults):
		v.Checks = append(v.Checks, diagnosis("repository", "", err))
	default:
		settings, dir = p.Config, p.Main
		v.addRepository(ctx, p)
		v.addConfiguration(p, faults)
	}
	v.addSandbox(ctx, settings)
	if p != nil && !p.Inspects() {
		v.add("checkers", stateMissing, "no compiler confirms or refutes conflicts: each reads what agents wrote, "+
			"and is run in a sandbox with namespaces or not at all", "")
	}
	if p != nil {
		v.addState(ctx, p)
		v.addDisk(ctx, p)
	}
	v.addSelf(dir)
	v.addPrograms(ctx, settings, dir)
	return v
}

// addSelf looks whether others find this program: the commands of agent programs call it by its name.
func (v *doctorView) addSelf(dir string) {
	at, err := run.Which("delegate", dir, os.Getenv("PATH"))
	if err != nil {
		v.add("delegate", stateWarning, version+", which is in no folder of PATH: "+run.Program(),
			"put it into one: what delegate init writes for agent programs calls it by its name")
		return
	}
	v.add("delegate", stateOK, version+", found by others as "+at, "")
}

func (v *doctorView) add(name, state, text, next string) {
	v.Checks = append(v.Checks, checkup{name, state, text, next})
}

// addPrograms asks the installed agent programs for their versions.
func (v *doctorView) addPrograms(ctx context.Context, settings config.Config, dir string) {
	var profiles []agent.Profile
	for _, name := range profileNames(settings) {
		profile, err := agent.Find(settings, name)
		if err != nil {
			v.Checks = append(v.Checks, diagnosis("profile "+name, "", err))
			continue
		}
		profiles = append(profiles, profile)
	}
	v.Programs = agent.InspectAll(ctx, profiles, dir)
	if profile, err := agent.Find(settings, ""); err == nil {
		v.Default = profile.Name
	}
}

// addRepository looks at the checkout that the command was typed in.
func (v *doctorView) addRepository(ctx context.Context, p *project.Project) {
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
		v.add("repository", stateOK, text, "")
	case errors.Is(err, git.ErrUnborn), errors.Is(err, git.ErrNoIdentity), errors.Is(err, git.ErrDetached):
		v.add("repository", stateWarning, text+": "+err.Error(), hint(err))
	default:
		v.add("repository", stateFault, text+": "+err.Error(), hint(err))
	}
}

// addConfiguration names every fault by itself.
func (v *doctorView) addConfiguration(p *project.Project, faults *config.Error) {
	if faults == nil {
		if there(p.Main, config.FileName) {
			v.add("configuration", stateOK, config.FileName, "")
		} else {
			v.add("configuration", stateMissing, "no "+config.FileName+"; the defaults hold", "delegate init")
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
		v.add("configuration", stateFault, config.FileName+": "+text,
			"mend it in an editor; what follows is looked at with the defaults")
	}
}

// addSandbox tries the layers that hold agents in.
func (v *doctorView) addSandbox(ctx context.Context, c config.Config) {
	support := sandbox.Detect(ctx)
	v.Layers = append(support.Layers(), turnsetup.Outer()...)
	switch {
	case c.Sandbox.Level == config.SandboxOff:
		v.add("sandbox", stateMissing, "switched off in "+config.FileName+": agents have your rights",
			"take sandbox.level: off out of "+config.FileName)
	case !support.Fenced():
		v.add("sandbox", stateMissing, "no layer of the kernel can hold agents in: "+support.Fault,
			hint(&turnsetup.UnfencedError{Support: support}))
	case !support.Namespaces && !support.Seatbelt:
		v.add("sandbox", stateFault, "Landlock alone holds agents in: "+support.Fault, "allow user namespaces for "+
			"ordinary users (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns)")
	default:
		v.add("sandbox", stateOK, "agents are held in by the kernel", "")
	}
}

// addDisk measures what delegation takes and will take.
func (v *doctorView) addDisk(ctx context.Context, p *project.Project) {
	space, err := doctor.Measure(ctx, p)
	if err != nil {
		v.Checks = append(v.Checks, diagnosis("disk", "", err))
		return
	}
	v.Disk = &space
	if space.Short() {
		v.add("disk", stateWarning, space.String(),
			"make room there, or name a folder on another disk: worktree_dir in "+config.FileName)
		return
	}
	v.add("disk", stateOK, space.String(), "")
}

func diagnosis(name, text string, err error) checkup {
	if err != nil {
		return checkup{name, stateFault, err.Error(), hint(err)}
	}
	return checkup{name, stateOK, text, ""}
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
