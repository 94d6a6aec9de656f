package supervise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/agentdir"
	"delegate/internal/keeper"
	"delegate/internal/sandbox"
	"delegate/internal/session"
	"delegate/internal/transcript"
	"delegate/registry"
)

// hasRefusals reports whether something was refused to the agent that is not recorded yet.
func (s *supervisor) hasRefusals(a registry.Agent, w *watch) bool {
	at, err := w.Turn.RefusalsAt()
	if err == nil && at.After(w.toldAt) {
		w.toldAt = at
		return true
	}
	return agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID)).HasRefusals()
}

// takeTold records what the kernel refused in a turn: a row for each kind, however often it was tried, and its paths.
func (s *supervisor) takeTold(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
	refusals, err := turn.Refusals()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	outside, err := s.writesOutside(a, refusals)
	if err != nil {
		return err
	}
	var kinds []string
	if len(outside) > 0 {
		kinds = append(kinds, sandbox.TriedWrite)
	}
	for _, r := range refusals {
		if r.Kind != sandbox.TriedWrite {
			kinds = append(kinds, r.Kind)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		for _, kind := range kinds {
			if err := recordTold(tx, a, kind, outside); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// mostNamed bounds the paths that a row names.
const mostNamed = 5

// recordTold records one kind, with a row if the turn has none of it.
func recordTold(tx *registry.Tx, a registry.Agent, kind string, outside []string) error {
	begin := fmt.Sprintf("refused by the kernel in turn %d: %s", a.Turns, kind)
	if kind == sandbox.TriedWrite {
		begin += " outside its scope"
	}
	add := func(now *registry.Agent) {
		if kind == sandbox.TriedWrite {
			addRefused(now, outside)
		} else if !slices.Contains(now.RefusedCalls, kind) && len(now.RefusedCalls) < mostRefused {
			now.RefusedCalls = append(now.RefusedCalls, kind)
		}
	}
	if slices.ContainsFunc(tx.State().Events, func(old registry.Event) bool {
		return old.Agent == a.ID && old.Kind == registry.EventViolation &&
			(old.Details == begin || strings.HasPrefix(old.Details, begin+": "))
	}) {
		return tx.Edit(a.ID, add)
	}
	e := registry.Event{Kind: registry.EventViolation, Agent: a.ID, By: session.BySupervisor, Details: begin}
	if kind == sandbox.TriedWrite {
		e.Details += ": " + strings.Join(outside[:min(len(outside), mostNamed)], ", ")
		if more := len(outside) - mostNamed; more > 0 {
			e.Details += " and " + strconv.Itoa(more) + " more"
		}
	}
	return tx.Record(e, func(now *registry.Agent) {
		now.Violations++
		add(now)
	})
}

// writesOutside are the refused writes that the scope does not allow, those of the worktree as git names them. What it
// allows and the kernel cannot open was refused as well, and is nobody's fault.
func (s *supervisor) writesOutside(a registry.Agent, refusals []keeper.Refusal) (paths []string, err error) {
	limits, err := s.p.Scope(a)
	if err != nil {
		return nil, err
	}
	for _, r := range refusals {
		if r.Kind != sandbox.TriedWrite {
			continue
		}
		name, err := filepath.Rel(a.Worktree, r.Path)
		switch {
		case r.Path == "":
			name = "others"
		case err != nil || name == ".." || strings.HasPrefix(name, "../"):
			name = homeRelative(r.Path)
		case limits.Check(filepath.ToSlash(name)).Allowed:
			continue
		}
		if name = transcript.FirstLine(name); !slices.Contains(paths, name) {
			paths = append(paths, name)
		}
	}
	return paths, nil
}
