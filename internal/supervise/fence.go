package supervise

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"delegate/internal/fence/resource"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/turnsetup"
	"delegate/registry"
)

// endlessWait is how long a program waits for a person where permission_wait sets no limit.
const endlessWait = 24 * time.Hour

// confine makes what a turn's processes run in: the hook's policy, git's settings and hooks, and
// the fence, whose parts are noted in f.
func (s snapshot) confine(ctx context.Context, a registry.Agent, f *turnsetup.Setup) error {
	f.Place.Attended, f.Place.PermissionWait = takenOverBy(a) != "", s.permissionWait(a, *f)
	if err := turnsetup.WriteHooks(ctx, s.p, a, &f.Place); err != nil {
		return err
	}
	if s.state.Session.Sandbox != "" {
		return s.noteSurroundings(ctx, a, *f)
	}
	fence, err := turnsetup.FenceTurn(ctx,
		turnsetup.FenceRequest{Project: s.p, Session: s.state.Session.ID, Agent: a, Support: s.p.Support()}, &f.Place)
	if err != nil {
		return err
	}
	f.Fence = fence
	return s.noteSurroundings(ctx, a, *f)
}

// permissionWait is how long a person is asked about each use of a tool, 0 for not at all.
func (s snapshot) permissionWait(a registry.Agent, f turnsetup.Setup) time.Duration {
	if !f.Profile.Asks || takenOverBy(a) != "" {
		return 0
	}
	return cmp.Or(s.p.Config.PermissionWait.Value(), endlessWait)
}

// metLimits tells of limits that a turn's processes met, with the key and the number.
func metLimits(turn keeper.Turn, met resource.Met) (flags registry.Flags) {
	record, err := turn.Record()
	if err != nil || record.Resources == nil {
		return nil
	}
	limits := record.Resources.Limits
	if met.Killed > 0 {
		flags = append(flags, registry.Flag{Kind: registry.FlagMemoryLimit, Text: fmt.Sprintf(
			"the kernel killed %d of its processes at %s (sandbox.limits.memory)", met.Killed,
			resource.Size(limits.Memory))})
	}
	if met.Refused > 0 {
		flags = append(flags, registry.Flag{Kind: registry.FlagProcessLimit, Text: fmt.Sprintf(
			"new processes were refused %d times at %d (sandbox.limits.processes)", met.Refused, limits.Processes)})
	}
	return flags
}
