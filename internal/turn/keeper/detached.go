package keeper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// FollowVerb is the hidden command under which this program keeps a turn that runs on an engine.
const FollowVerb = "__follow"

// Where is where a turn runs that does not run here.
type Where struct {
	On   string `json:"on"` // the engine, by its name in the configuration
	Job  string `json:"job,omitempty"`
	Node string `json:"node,omitempty"`
	// Queued is since when it waits for room, zero once it has some.
	Queued time.Time `json:"queued_since,omitzero"`
	Why    string    `json:"why,omitempty"` // it waits, in the engine's words
	// Unreached is since when the engine, or the job there, could not be asked; zero while it answers.
	Unreached time.Time `json:"unreached_since,omitzero"`
	// Began is when its program started there, by the clock here; zero before.
	Began time.Time `json:"began_at,omitzero"`
}

func (t Turn) whereFile() string { return filepath.Join(t.Dir, "where.json") }

// Where is what the turn's keeper wrote of it last; false for a turn that runs here.
func (t Turn) Where() (Where, bool) {
	w, err := readJSON[Where](t.whereFile())
	return w, err == nil
}

// KeepWhere writes it.
func (t Turn) KeepWhere(w Where) error { return writeJSON(t.whereFile(), w) }

func (t Turn) stopFile() string { return filepath.Join(t.Dir, "stop") }

// StopAsked says that somebody wanted the turn ended while nobody kept it.
func (t Turn) StopAsked() bool {
	_, err := os.Stat(t.stopFile())
	return err == nil
}

// keeperVerb is the life of this program that keeps the turn.
func (t Turn) keeperVerb() string {
	if t.isRemote() {
		return FollowVerb
	}
	return KeeperVerb
}

// isRemote says that the turn runs on an engine.
func (t Turn) isRemote() bool {
	spec, err := t.Spec()
	return err == nil && spec.On != ""
}

// Follow keeps a turn that runs on an engine for as long as life does, which answers with its end. Another keeper
// before this one may have come to any point of it. It does nothing where another keeper has the turn, or the turn
// is over.
func (t Turn) Follow(life func(Spec, Record) Exit) error {
	lock, err := atomicfile.TryLock(t.lockFile())
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if _, err := t.Exit(); err == nil {
		return nil
	}
	spec, err := t.Spec()
	if err != nil {
		return err
	}
	record, err := t.Record()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	record.Keeper = run.Self()
	if err := t.KeepRecord(record); err != nil {
		return err
	}
	return t.leave(life(spec, record))
}

// KeepRecord writes who runs the turn.
func (t Turn) KeepRecord(r Record) error { return writeJSON(t.recordFile(), r) }

// KeepRefusals writes what the fence around a turn elsewhere refused, if that is a list of refusals.
func (t Turn) KeepRefusals(data []byte) error {
	var all []Refusal
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("take in what was refused: %w", err)
	}
	return writeJSON(filepath.Join(t.Dir, refusalsFile), all)
}

// stopDetached ends a turn on an engine that nobody keeps here: it is kept again, to be ended.
func (t Turn) stopDetached(grace time.Duration) error {
	if err := atomicfile.WriteFile(t.stopFile(), nil, 0o600); err != nil {
		return fmt.Errorf("stop turn: %w", err)
	}
	if err := t.Start(run.Program(), nil); err != nil {
		return err
	}
	const pause = 50 * time.Millisecond
	for deadline := time.Now().Add(2*grace + remotePatience); time.Now().Before(deadline); time.Sleep(pause) {
		if _, err := t.Exit(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the turn in %q does not end", t.Dir)
}

// remotePatience is how long the end of a turn on an engine is waited for, beside its grace.
const remotePatience = time.Minute
