package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/audit"
	"delegate/internal/journal"
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
func (e *examination) addState(ctx context.Context, p *project.Project) {
	state, err := p.Store.View(ctx)
	var faults *registry.SyntaxError
	switch {
	case errors.As(err, &faults):
		for _, f := range faults.Faults {
			e.add("registry", Fault, f.String(),
				"delegate registry check, and mend "+project.RegistryPath+" by hand, or: delegate registry restore")
		}
	case err != nil:
		e.diagnose("registry", "", err)
	default:
		e.addRegistry(p, state)
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
	left, err := Leftovers(ctx, p, state)
	if err != nil {
		e.diagnose("leftovers", "", err)
		return
	}
	for _, l := range left {
		kind := Warning
		if l.Kept {
			kind = OK
		}
		e.add(l.Kind, kind, l.Text, l.Next)
	}
	if len(left) == 0 {
		e.add("leftovers", OK, "none", "")
	}
}

func (e *examination) addRegistry(p *project.Project, state registry.State) {
	for _, notice := range state.Notices {
		e.add("registry", Warning, notice, "delegate status (it does that, and keeps people's edits)")
	}
	switch {
	case len(state.Notices) > 0:
	case there(p.Main, project.RegistryPath):
		e.add("registry", OK, "readable", "")
	default:
		e.add("registry", OK, "none yet; the first session makes it", "")
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
		e.add("session", OK, fmt.Sprintf("%s is %s", s.ID, s.Status), "")
	}
	watching, unwell := session.FindSupervisor(p), status.Unwell(p, state)
	for _, point := range unwell {
		e.add("supervisor", Fault, point.Text, point.Next)
	}
	switch {
	case len(unwell) > 0:
	case watching != nil:
		e.add("supervisor", OK, fmt.Sprintf("running, process %d", watching.PID), "")
	default:
		e.add("supervisor", OK, "none, and nothing needs one", "")
	}
	for _, ag := range state.Agents {
		if ag.Worktree != "" && !ag.Status.Ended() && !there(ag.Worktree, ".") {
			e.add(Worktree, Fault, fmt.Sprintf("the worktree of %s is gone: %s", ag.ID, ag.Worktree),
				"delegate show "+ag.ID)
		}
	}
}

// addHalfDone looks for what was cut short and waits for the person's word.
func (e *examination) addHalfDone(ctx context.Context, p *project.Project) {
	if journal.Unfinished(p) {
		e.add("landing", Fault, journal.ErrUnfinished.Error(), e.hint(journal.ErrUnfinished))
	}
	if state, _, cut := journal.CutShort(ctx, p); cut {
		e.add("completion", Fault, state.Session.ID+" was closed, and its worktrees were not all taken away",
			"delegate sync complete")
	}
}
