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

	"delegate/internal/control/session"
	"delegate/internal/fence/sandbox"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/program"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// hasRefusals reports whether something was refused to the agent that is not recorded yet.
func (s *supervisor) hasRefusals(a registry.Agent, w *watch) bool {
	at, err := w.Turn.RefusalsAt()
	if err == nil && at.After(w.refusalsAt) {
		w.refusalsAt = at
		return true
	}
	return agentdir.Dir(s.p.AgentDir(s.state.Session.ID, a.ID)).HasRefusals()
}

// takeKernelRefusals records what the kernel refused in a turn: a row for each kind, however often it was tried, and
// its paths.
func (s snapshot) takeKernelRefusals(ctx context.Context, a registry.Agent, turn keeper.Turn) error {
	refusals, err := turn.Refusals()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	tried, err := s.triedOutside(a, refusals)
	if err != nil || len(tried) == 0 {
		return err
	}
	recorded, err := session.RefusedKinds(turn)
	if err != nil {
		return err
	}
	_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		for _, t := range tried {
			if err := recordRefused(tx, a, t, recorded[t.kind]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var kinds []string
	for _, t := range tried {
		kinds = append(kinds, t.kind)
	}
	return session.AddRefusedKinds(ctx, turn, kinds)
}

// triedKind is what was refused of one kind.
type triedKind struct {
	kind  string
	paths []string // of the worktree as git names them; none for a call without one
}

// mostNamed bounds the paths that a row names.
const mostNamed = 5

// recordRefused records one kind, with a row if the turn has none of it.
func recordRefused(tx *registry.Tx, a registry.Agent, t triedKind, hasRow bool) error {
	add := func(now *registry.Agent) {
		if t.kind == sandbox.TriedWrite {
			addRefused(now, t.paths)
			return
		}
		for _, call := range t.calls() {
			if !slices.Contains(now.RefusedCalls, call) && len(now.RefusedCalls) < mostRefused {
				now.RefusedCalls = append(now.RefusedCalls, call)
			}
		}
	}
	if hasRow {
		return tx.Edit(a.ID, add)
	}
	e := registry.Event{Kind: registry.EventViolation, Agent: a.ID, By: session.BySupervisor,
		Details: fmt.Sprintf("refused by the kernel in turn %d: %s", a.Turns, t.kind)}
	if t.kind == sandbox.TriedWrite {
		e.Details += " outside its scope"
	}
	if len(t.paths) > 0 {
		e.Details += ": " + strings.Join(t.paths[:min(len(t.paths), mostNamed)], ", ")
		if more := len(t.paths) - mostNamed; more > 0 {
			e.Details += " and " + strconv.Itoa(more) + " more"
		}
	}
	return tx.Record(e, func(now *registry.Agent) {
		now.AddViolation()
		add(now)
	})
}

// calls are the kind as a call, with each path that it was tried at.
func (t triedKind) calls() (all []string) {
	for _, path := range t.paths {
		all = append(all, t.kind+" "+path)
	}
	if all == nil {
		all = []string{t.kind}
	}
	return all
}

// ofProgram reports whether the program tries that on its own account.
func (s snapshot) ofProgram(p program.Program, r keeper.Refusal) bool {
	return r.Kind == sandbox.TriedWrite && slices.ContainsFunc(p.Tries, func(place string) bool {
		return strings.HasPrefix(r.Path+"/", filepath.Join(s.p.Repo.CommonDir, place)+"/")
	})
}

// triedOutside is what was refused, by kind. A write that the scope allows and the kernel cannot open was refused as
// well, and is nobody's fault, and neither is what the program tries on its own account.
func (s snapshot) triedOutside(a registry.Agent, refusals []keeper.Refusal) (all []triedKind, err error) {
	limits, err := s.p.Scope(a)
	if err != nil {
		return nil, err
	}
	profile, err := agent.Find(s.p.Config, a.Profile)
	known := err == nil // else somebody took it out of the configuration meanwhile
	for _, r := range refusals {
		if known && s.ofProgram(profile.Program, r) {
			continue
		}
		name := ""
		if r.Kind == sandbox.TriedWrite || r.Kind == sandbox.TriedSocket {
			rel, err := filepath.Rel(a.Worktree, r.Path)
			switch {
			case r.Path == "":
				name = "others"
			case strings.HasPrefix(r.Path, "@"):
				name = r.Path
			case err != nil || rel == ".." || strings.HasPrefix(rel, "../"):
				name = s.p.RecordedPath(a, r.Path)
			case r.Kind == sandbox.TriedWrite && limits.Check(filepath.ToSlash(rel)).Allowed:
				continue
			default:
				name = rel
			}
		}
		i := slices.IndexFunc(all, func(t triedKind) bool { return t.kind == r.Kind })
		if i < 0 {
			all, i = append(all, triedKind{kind: r.Kind}), len(all)
		}
		if name = transcript.FirstLine(name); name != "" && !slices.Contains(all[i].paths, name) {
			all[i].paths = append(all[i].paths, name)
		}
	}
	return all, nil
}
