package supervise

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/internal/view/status"
	"delegate/registry"
)

const (
	// mostHolds is how many turns in a row may end by a limit of the provider's that names no end.
	mostHolds = 6
	// mostFaults is how often a turn that came to nothing for a fault of the network is tried again.
	mostFaults = 3
)

// Files that mark a turn that ended by a limit, or by a fault of the network, in its folder; begunAnew is what stands
// in one where the turn came to something before that, so that what was before it does not count.
const (
	limitFile = "limited"
	faultFile = "network-fault"
	begunAnew = "came to something"
)

// holdsBefore counts the turns in a row before the last one that the file marks.
func (s snapshot) holdsBefore(a registry.Agent, file string) (count int) {
	for n := a.Turns - 1; n > 0; n-- {
		said, err := os.ReadFile(filepath.Join(s.p.TurnDir(s.state.Session.ID, a.ID, n), file))
		if err != nil {
			return count
		}
		if count++; string(said) == begunAnew {
			return count
		}
	}
	return count
}

// hold holds the agent's next turn back until a time.
func (s snapshot) hold(a registry.Agent, turn keeper.Turn, e turnFacts, until time.Time) error {
	file, said := limitFile, ""
	if e.fault == dialect.Passing {
		file = faultFile
		if e.progressed {
			said = begunAnew
		}
	}
	if err := os.WriteFile(filepath.Join(turn.Dir, file), []byte(said), 0o600); err != nil {
		return err
	}
	return session.SetRateLimit(s.p, s.state.Session.ID, a, until)
}

// release takes the hold and its flag away once the turn begins.
func (s snapshot) release(ctx context.Context, a registry.Agent) error {
	if err := os.Remove(session.RateLimitFile(s.p, s.state.Session.ID, a)); err != nil {
		return nil // there was none
	}
	return s.flagWait(ctx, a, false, registry.Flag{})
}

// The waits for a provider that are told: those that last for a while, and where the end moves by more than a moment.
const (
	reportedWait = 15 * time.Second
	movedEnd     = time.Minute
)

// tellLimit records that the program waits for its provider or the network within its turn, and that it does no longer.
// It reports whether it began that.
func (s *supervisor) tellLimit(ctx context.Context, a registry.Agent, w *watch) bool {
	now := s.p.Now()
	wait, waits := w.WaitsForProvider(now)
	shown := a.Flags.Waits()
	switch {
	case waits && shown && wait.Fault == w.limit.Fault && wait.Until.IsZero() == w.limit.Until.IsZero() &&
		wait.Until.Sub(w.limit.Until).Abs() <= movedEnd:
		return false
	case waits && (wait.Until.IsZero() || wait.Until.Sub(now) >= reportedWait ||
		now.Sub(wait.Since) >= reportedWait || shown):
		w.limit = wait
	case !waits && shown:
		w.limit = transcript.Wait{}
	default:
		return false
	}
	var flag registry.Flag
	switch {
	case w.limit.Fault == dialect.Passing:
		flag = status.AgainSince(w.limit.Since)
	case w.limit.Until.IsZero():
		flag = registry.Flag{Kind: registry.FlagWaits, Text: w.limit.Since.UTC().Format(time.RFC3339)}
	default:
		flag = limitFlag(w.limit.Until)
	}
	s.begin(of(a), "tell the limit of the provider of", func(s snapshot) error {
		return s.flagWait(ctx, a, waits, flag)
	})
	return true
}

// flagWait sets the flag of a wait for the provider, or takes it away.
func (s snapshot) flagWait(ctx context.Context, a registry.Agent, waits bool, flag registry.Flag) error {
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Edit(a.ID, func(a *registry.Agent) {
			a.Flags = a.Flags.Without(registry.Waiting()...)
			if waits {
				a.Flags = a.Flags.With(flag)
			}
		})
	})
	return err
}

func limitFlag(until time.Time) registry.Flag {
	return registry.Flag{Kind: registry.FlagRateLimited, Text: until.UTC().Format(time.RFC3339)}
}

// faultPause is how long an agent waits after a fault of the network before it is tried again, the first time.
const faultPause = 30 * time.Second

// pauseAfter is the pause after so many tries that came to nothing.
func (s snapshot) pauseAfter(tries int) time.Duration {
	first := faultPause
	if s.o.FaultPause > 0 {
		first = s.o.FaultPause
	}
	return first << (2 * min(tries, mostFaults))
}
