package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/doctor"
	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/status"
	"delegate/registry"
)

// there says whether something lies in the folder under the name.
func there(folder, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(name)))
	return err == nil
}

// addState looks at the registry, at the session in it, and at what others left.
func (v *doctorView) addState(ctx context.Context, p *project.Project) {
	state, err := p.Store.View(ctx)
	var faults *registry.SyntaxError
	switch {
	case errors.As(err, &faults):
		for _, f := range faults.Faults {
			v.add("registry", stateFault, f.String(),
				"delegate registry check, and mend "+project.RegistryPath+" by hand, or: delegate registry restore")
		}
	case err != nil:
		v.Checks = append(v.Checks, diagnosis("registry", "", err))
	default:
		v.addRegistry(p, state)
		v.addSession(p, state)
		for _, d := range merge.Disagreements(ctx, p, state) {
			v.add("record", stateFault, d.Text, strings.Join(d.Next, ", or: "))
		}
	}
	v.addHalfDone(ctx, p)
	if err != nil {
		v.add("leftovers", stateWarning,
			"not looked for: the registry says which sessions have ended, and it cannot be read", "")
		return
	}
	left, err := doctor.Leftovers(ctx, p, state)
	if err != nil {
		v.Checks = append(v.Checks, diagnosis("leftovers", "", err))
		return
	}
	for _, l := range left {
		kind := stateWarning
		if l.Kept {
			kind = stateOK
		}
		v.add(l.Kind, kind, l.Text, l.Next)
	}
	if len(left) == 0 {
		v.add("leftovers", stateOK, "none", "")
	}
}

func (v *doctorView) addRegistry(p *project.Project, state registry.State) {
	for _, notice := range state.Notices {
		v.add("registry", stateWarning, notice, "delegate status (it does that, and keeps people's edits)")
	}
	switch {
	case len(state.Notices) > 0:
	case there(p.Main, project.RegistryPath):
		v.add("registry", stateOK, "readable", "")
	default:
		v.add("registry", stateOK, "none yet; the first session makes it", "")
	}
}

// addSession looks at the active session: whether it waits for the person, and whether somebody supervises it.
func (v *doctorView) addSession(p *project.Project, state registry.State) {
	s := state.Session
	switch {
	case s == nil:
		v.add("session", stateOK, "none is active", "")
		return
	case session.Unapproved(state):
		v.add("session", stateWarning, fmt.Sprintf("the plan of %s waits for approval since %s", s.ID,
			s.Created.UTC().Format("2006-01-02 15:04 UTC")), "delegate approve, or to drop it: delegate sync abort")
	default:
		v.add("session", stateOK, fmt.Sprintf("%s is %s", s.ID, s.Status), "")
	}
	watching, unwell := session.FindSupervisor(p), status.Unwell(p, state)
	for _, point := range unwell {
		v.add("supervisor", stateFault, point.Text, point.Next)
	}
	switch {
	case len(unwell) > 0:
	case watching != nil:
		v.add("supervisor", stateOK, fmt.Sprintf("running, process %d", watching.PID), "")
	default:
		v.add("supervisor", stateOK, "none, and nothing needs one", "")
	}
	for _, ag := range state.Agents {
		if ag.Worktree != "" && !ag.Status.Ended() && !there(ag.Worktree, ".") {
			v.add(doctor.Worktree, stateFault, fmt.Sprintf("the worktree of %s is gone: %s", ag.ID, ag.Worktree),
				"delegate show "+ag.ID)
		}
	}
}

// addHalfDone looks for what was cut short and waits for the person's word.
func (v *doctorView) addHalfDone(ctx context.Context, p *project.Project) {
	if merge.Unfinished(p) {
		v.add("landing", stateFault, merge.ErrUnfinished.Error(), hint(merge.ErrUnfinished))
	}
	if state, _, cut := merge.CutShort(ctx, p); cut {
		v.add("completion", stateFault, state.Session.ID+" was closed, and its worktrees were not all taken away",
			"delegate sync complete")
	}
}
