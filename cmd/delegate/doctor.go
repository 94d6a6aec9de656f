package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"delegate/internal/agent"
	"delegate/internal/config"
	"delegate/internal/git"
	"delegate/internal/sandbox"
	"delegate/internal/session"
	"delegate/internal/ui"

	"github.com/spf13/cobra"
)

// checkup is one thing that a doctor looked at.
type checkup struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, missing or fault
	Text  string `json:"text"`
	Next  string `json:"next"`
}

type doctorView struct {
	Checks   []checkup          `json:"checks"`
	Layers   []sandbox.Layer    `json:"layers"` // of the sandbox, as this machine has them
	Programs []agent.Inspection `json:"programs"`
	Default  string             `json:"default"` // the profile that a subtask without one gets, "" if there is none
}

// doctor is `delegate doctor`: what is here, what is missing, and what to type.
func (a *app) doctor() *cobra.Command {
	return a.jsonFlag(command("doctor", "look at git, the repository and the agent programs, and say what is missing", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		v := a.examine(cmd.Context())
		if a.json {
			return a.printJSON(v)
		}
		a.printDoctor(v)
		return nil
	}))
}

func (a *app) examine(ctx context.Context) doctorView {
	v := doctorView{Programs: []agent.Inspection{}}
	version, err := git.Program(ctx)
	v.Checks = append(v.Checks, diagnosis("git", version, err))
	settings, dir := config.Default(), "/"
	switch p, err := a.open(ctx); {
	case errors.Is(err, git.ErrNotRepository):
		v.Checks = append(v.Checks, checkup{"repository", "missing", "this folder is in none", hint(err)})
	case err != nil:
		v.Checks = append(v.Checks, diagnosis("repository", "", err))
	default:
		settings, dir = p.Config, p.Main
		v.Checks = append(v.Checks, diagnosis("repository", p.Main, nil))
		_, err := p.Store.View(ctx)
		v.Checks = append(v.Checks, diagnosis("registry", "readable", err))
	}
	v.addSandbox(ctx, settings)
	for _, name := range profileNames(settings) {
		profile, err := agent.Find(settings, name)
		if err != nil {
			v.Checks = append(v.Checks, diagnosis("profile "+name, "", err))
			continue
		}
		v.Programs = append(v.Programs, profile.Inspect(ctx, dir))
	}
	if profile, err := agent.Find(settings, ""); err == nil {
		v.Default = profile.Name
	}
	return v
}

// addSandbox tries the layers that hold agents in.
func (v *doctorView) addSandbox(ctx context.Context, c config.Config) {
	support := sandbox.Detect(ctx)
	v.Layers = append(support.Layers(), session.Outer()...)
	switch {
	case c.Sandbox.Level == config.SandboxOff:
		v.Checks = append(v.Checks, checkup{"sandbox", "missing", "switched off in " + config.FileName + ": agents have your rights", "take sandbox.level: off out of " + config.FileName})
	case !support.Fenced():
		v.Checks = append(v.Checks, checkup{"sandbox", "missing", "no layer of the kernel can hold agents in: " + support.Fault, hint(&session.UnfencedError{Support: support})})
	case !support.Namespaces && !support.Seatbelt:
		v.Checks = append(v.Checks, checkup{"sandbox", "fault", "Landlock alone holds agents in: " + support.Fault, "allow user namespaces for ordinary users (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns)"})
	default:
		v.Checks = append(v.Checks, diagnosis("sandbox", "agents are held in by the kernel", nil))
	}
}

func diagnosis(name, text string, err error) checkup {
	if err != nil {
		return checkup{name, "fault", err.Error(), hint(err)}
	}
	return checkup{name, "ok", text, ""}
}

// profileNames are the built-in profiles in the order of preference, then the configured ones.
func profileNames(c config.Config) []string {
	names := agent.Preferred()
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (a *app) printDoctor(v doctorView) {
	for _, c := range v.Checks {
		a.printf("%-11s %-8s %s\n", c.Name, c.State, text(c.Text))
		if c.Next != "" {
			a.printf("%-20s → %s\n", "", text(c.Next))
		}
	}
	a.printf("\n")
	var layers [][]string
	for _, l := range v.Layers {
		layers = append(layers, []string{l.Name, l.State, text(l.Detail)})
	}
	ui.Table(a.out, []string{"Layer", "State", "What It Does"}, layers, a.term.Width())
	a.printf("\n")
	var rows [][]string
	for _, p := range v.Programs {
		state := "installed"
		switch {
		case p.Program == "":
			state = "-"
		case p.Untested:
			state = "installed, untested profile"
		}
		version := text(p.Version)
		if p.Program != "" && p.Tested != "" && !strings.Contains(p.Version, p.Tested) {
			version += " (run here: " + p.Tested + ")"
		}
		rows = append(rows, []string{p.Name, state, version, text(p.Next)})
	}
	ui.Table(a.out, []string{"Agent Program", "State", "Version", "Next"}, rows, a.term.Width())
	if v.Default == "" {
		a.printf("\nNo agent program was found; a subtask needs one: install one of these, or write a profile in .delegate.yaml.\n")
		return
	}
	a.printf("\nA subtask without an agent gets: %s\n", v.Default)
}
