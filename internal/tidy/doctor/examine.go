// Package doctor looks at all that delegation needs on a machine and in a repository, and at what it leaves there, and
// says for each what to type. It changes nothing.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/record/audit"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/tidy/cleanup"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/program"
	"delegate/internal/turn/turnsetup"
	"delegate/internal/view/status"
	"delegate/registry"
)

// there says whether something lies in the folder under the name.
func there(folder, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(name)))
	return err == nil
}

// addState looks at the registry, at the session in it, and at what others left.
func (e *examination) addState(ctx context.Context, p *project.Project) {
	state, err := p.Store.View(ctx)
	var faults *registry.SyntaxError
	switch {
	case errors.As(err, &faults):
		for _, f := range faults.Faults {
			e.add("registry", Fault, f.String(),
				"delegate registry check, and fix "+p.RecordPath(filepath.Base(p.RegistryFile()))+
					" by hand, or: delegate registry restore")
		}
	case err != nil:
		e.diagnose("registry", "", err)
	default:
		e.addRegistry(p, state)
		e.addMergeDriver(ctx, p)
		e.addSession(p, state)
		for _, d := range audit.Disagreements(ctx, p, state) {
			e.add("record", Fault, d.Text, strings.Join(d.Next, ", or: "))
		}
	}
	e.addHalfDone(ctx, p)
	if err != nil {
		e.add("leftovers", Warning,
			"not looked for: the registry says which sessions have ended, and it cannot be read", "")
		return
	}
	left, err := cleanup.Find(ctx, p)
	if err != nil {
		e.diagnose("leftovers", "", err)
		return
	}
	e.addLeftovers(state, left)
}

// addLeftovers tells of what sessions that ended left, without what every session leaves.
func (e *examination) addLeftovers(state registry.State, left []cleanup.Item) {
	var kept []cleanup.Item
	reported := false
	for _, it := range left {
		active := state.Session != nil && it.Session == state.Session.ID
		switch {
		case active || it.IsUsual():
			continue
		case it.Kind == cleanup.References:
			kept = append(kept, it)
			continue
		}
		text := it.String()
		if it.Refusal != nil {
			text += "; " + it.Refusal.Reason
		}
		e.add(string(it.Kind), Warning, text, it.Next())
		reported = true
	}
	held := cleanup.KeptReferences(kept)
	if held != "" {
		e.add(string(cleanup.References), OK, held, "git for-each-ref refs/delegate")
	}
	if !reported && held == "" {
		e.add("leftovers", OK, "none", "")
	}
}

func (e *examination) addRegistry(p *project.Project, state registry.State) {
	for _, notice := range state.Notices {
		e.add("registry", Warning, notice,
			"delegate registry restore, or go on: the next command that changes something does it")
	}
	switch {
	case len(state.Notices) > 0:
	case there(p.RecordDir(), filepath.Base(p.RegistryFile())):
		e.add("registry", OK, "readable", "")
	default:
		e.add("registry", OK, "none yet; the first session makes it", "")
	}
}

// addMergeDriver looks whether git can join the records of two branches where .gitattributes says that it shall.
func (e *examination) addMergeDriver(ctx context.Context, p *project.Project) {
	problem, mend, err := p.MergesRecord(ctx)
	switch {
	case err != nil:
		e.diagnose("registry", "", err)
	case problem != "":
		e.add("registry", Warning, problem, mend)
	}
}

// addSession looks at the active session: whether it waits for the person, and whether somebody supervises it.
func (e *examination) addSession(p *project.Project, state registry.State) {
	s := state.Session
	switch {
	case s == nil:
		e.add("session", OK, "none is active", "")
		return
	case session.Unapproved(state):
		e.add("session", Warning, fmt.Sprintf("the plan of %s waits for approval since %s", s.ID,
			s.Created.UTC().Format("2006-01-02 15:04 UTC")), "delegate approve, or to drop it: delegate sync abort")
	default:
		e.add("session", OK, fmt.Sprintf("%s is %s", s.ID, s.Status.Word()), "")
	}
	watching, unwell := session.FindSupervisor(p), status.Unwell(p, state)
	for _, point := range unwell {
		e.add("supervisor", Fault, point.Text, point.Next)
	}
	switch {
	case len(unwell) > 0, p.Inside: // from where its process is not to be seen
	case watching != nil:
		e.add("supervisor", OK, fmt.Sprintf("running, process %d", watching.PID), "")
	default:
		e.add("supervisor", OK, "none, and nothing needs one", "")
	}
	for _, ag := range state.Agents {
		if !ag.Status.Ended() && p.Lost(ag) {
			e.add(string(cleanup.Worktree), Fault,
				fmt.Sprintf("the worktree of %s is gone, or cut off from git: %s", ag.ID, ag.Worktree),
				"delegate restore "+ag.ID)
		}
	}
}

// addHalfDone looks for what was cut short and waits for the person's word.
func (e *examination) addHalfDone(ctx context.Context, p *project.Project) {
	if journal.Unfinished(p) {
		e.add("landing", Fault, journal.ErrUnfinished.Error(), e.hint(journal.ErrUnfinished))
	}
	branch, _, _ := p.Repo.Head(ctx) // where there is none, nothing is merged into it
	for _, lock := range p.Repo.Locks("refs/heads/" + branch) {
		e.add("lock", Fault, lock.Error(), lock.Next())
	}
	if state, _, cut := journal.CutShort(ctx, p); cut {
		e.add("completion", Fault, state.Session.ID+" was closed, but not all of its worktrees were removed",
			"delegate sync complete")
	}
}

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
	// Credentials are the usual places of logins, keys and histories that are here, as ~/…; Hidden says whether this
	// machine can keep them from agents, and does.
	Credentials []string `json:"credentials"`
	Hidden      bool     `json:"credentials_hidden"`
	// Readable is what of the home agents read, null where that is everything else.
	Readable []string `json:"readable"`
	// ClosedNetwork says that agents reach the hosts of their programs and of sandbox.hosts alone.
	ClosedNetwork bool `json:"closed_network"`
	// Engine is the engine that was looked at in place of this machine, null for that.
	Engine *EngineReport `json:"engine"`
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
	if p != nil && p.Inside { // where to try the layers would be an attempt to get out
		e.add("sandbox", OK, "what holds a turn cannot be seen from inside it", "")
	} else {
		e.addSandbox(ctx, settings)
	}
	if p != nil && settings.Sandbox.Read == config.ReadByList && e.Hidden {
		e.Readable = p.Readable()
	}
	if p != nil && !p.Inspects() {
		e.add("checkers", Missing, "no compiler confirms or refutes conflicts: each reads what agents wrote, "+
			"and is run in a sandbox with namespaces or not at all", "")
	}
	if p != nil {
		e.addState(ctx, p)
		e.addDisk(ctx, p)
	}
	e.addSelf(dir, version)
	profiles := e.addPrograms(ctx, settings, dir)
	if p != nil {
		e.addGiven(ctx, p, profiles)
	}
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
func (e *examination) addPrograms(ctx context.Context, settings config.Config, dir string) (profiles []agent.Profile) {
	for _, name := range profileNames(settings) {
		profile, err := agent.Find(settings, name)
		if err != nil {
			e.diagnose("profile "+name, "", err)
			continue
		}
		profiles = append(profiles, profile)
	}
	e.Programs = agent.InspectAll(ctx, profiles, dir)
	for _, found := range e.Programs {
		if s := settings.Sandbox; s.Network == config.NetworkHosts && found.Program != "" &&
			len(found.Hosts)+len(s.Hosts) == 0 {
			e.add("network", Warning, "nobody here knows which hosts "+found.Name+" needs, and it reaches none",
				"name them in "+config.FileName+": sandbox: {hosts: [api.example.org]}")
		}
	}
	e.ClosedNetwork = settings.Sandbox.Network == config.NetworkHosts
	if profile, err := agent.Find(settings, ""); err == nil {
		e.Default = profile.Name
	}
	return profiles
}

// addGiven says what installed programs would be given beside their prompts by an agent that begins at the last commit.
func (e *examination) addGiven(ctx context.Context, p *project.Project, profiles []agent.Profile) {
	_, base, err := p.Repo.Head(ctx)
	if err != nil {
		return // said of the repository
	}
	for i, profile := range profiles {
		if e.Programs[i].Program == "" {
			continue
		}
		in, err := turnsetup.Instructions(ctx, p, profile, base, nil)
		if err != nil {
			e.diagnose("profile "+profile.Name, "", err)
		}
		e.Programs[i].Given = in.Given.Whole()
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
	if err == nil && p.Config.Sandbox.Level != config.SandboxOff && !p.Inside {
		err = turnsetup.CheckReplaced(p, sandbox.Detect(ctx))
	}
	switch {
	case err == nil:
		e.add("repository", OK, text, "")
	case errors.Is(err, git.ErrUnborn), errors.Is(err, git.ErrNoIdentity), errors.Is(err, git.ErrDetached):
		e.add("repository", Warning, text+": "+ui.ErrorText(err), e.hint(err))
	default:
		e.add("repository", Fault, text+": "+ui.ErrorText(err), e.hint(err))
	}
}

// addConfiguration names every fault by itself.
func (e *examination) addConfiguration(p *project.Project, faults *config.Error) {
	next := "fix it in an editor; what follows was checked with the defaults"
	if faults == nil && p.Config.Sandbox.Level != config.SandboxOff && errors.As(p.CheckShared(), &faults) {
		next = "fix it in an editor; until then no agent starts"
	}
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
		e.add("configuration", Fault, config.FileName+": "+text, next)
	}
}

// addSandbox tries the layers that hold agents in.
func (e *examination) addSandbox(ctx context.Context, c config.Config) {
	support := sandbox.Detect(ctx)
	e.Layers = append(turnsetup.MachineLayers(c, support), turnsetup.Outer()...)
	home, _ := os.UserHomeDir() // without one there is nothing below it
	e.Credentials = sandbox.CredentialsIn(home)
	e.Hidden = c.Sandbox.Level != config.SandboxOff && (support.Namespaces || support.Seatbelt)
	e.judgeSandbox(c, support, "allow user namespaces for ordinary users (sysctl user.max_user_namespaces, "+
		"kernel.apparmor_restrict_unprivileged_userns)")
}

// judgeSandbox says how agents are held where the kernel supports so much, and whether that is as much as is wanted;
// more is what to do for more.
func (e *examination) judgeSandbox(c config.Config, support sandbox.Support, more string) {
	if c.Sandbox.Read == config.ReadByList && c.Sandbox.Level != config.SandboxOff && !support.Namespaces {
		e.add("sandbox", Fault, "sandbox.read: list cannot be held here, and no agent starts: "+
			cmp.Or(support.Fault, "that needs Linux"), "write  read: home  into sandbox of "+config.FileName)
	}
	switch {
	case c.Sandbox.Level == config.SandboxOff:
		e.add("sandbox", Missing, "switched off in "+config.FileName+": agents have your rights",
			"take sandbox.level: off out of "+config.FileName)
	case !support.Fenced():
		e.add("sandbox", Missing, "no layer of the kernel can hold agents in: "+support.Fault,
			e.hint(&turnsetup.UnfencedError{Support: support}))
	case !support.Namespaces && !support.Seatbelt:
		e.add("sandbox", Fault, "Landlock alone holds agents in: "+support.Fault, more)
	default:
		e.add("sandbox", OK, "agents run in a sandbox of the kernel", "")
	}
}

// addDisk measures what delegation takes and will take.
func (e *examination) addDisk(ctx context.Context, p *project.Project) {
	space, err := measure(ctx, p)
	if err != nil {
		e.diagnose("disk", "", err)
		return
	}
	e.Disk = &space
	if space.short() {
		e.add("disk", Warning, space.String(),
			"make room there, or name a folder on another disk: worktree_dir in "+config.FileName)
		return
	}
	e.add("disk", OK, space.String(), "")
}

// diagnose notes what is said of something, or the error in its place.
func (e *examination) diagnose(name, text string, err error) {
	if err != nil {
		e.add(name, Fault, ui.ErrorText(err), e.hint(err))
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
