package keeper

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"delegate/internal/fence/guard"
	"delegate/internal/fence/sandbox"
	"delegate/internal/turn/agentdir"
)

// Refusal is something that the kernel refused inside a turn's fence, and how often.
type Refusal struct {
	sandbox.Tried
	Times int `json:"times"`
}

// refusalsFile is where they stand, beside the policy: no process inside sees that folder. It is written anew.
const refusalsFile = "refused.json"

// Refusals are those of the turn so far, in the order in which each was first tried, an error wrapping fs.ErrNotExist
// if there was none.
func (t Turn) Refusals() ([]Refusal, error) {
	return readJSON[[]Refusal](filepath.Join(t.Dir, refusalsFile))
}

// RefusalsAt is when Refusals last changed, an error wrapping fs.ErrNotExist if there was none.
func (t Turn) RefusalsAt() (time.Time, error) {
	info, err := os.Stat(filepath.Join(t.Dir, refusalsFile))
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// mostRefusals bounds the different ones that are kept of one turn; of more, their kinds are.
const mostRefusals = 100

// serving is how many answer the kernel.
const serving = 4

// writeEvery is how long a refusal may stand in memory alone.
const writeEvery = time.Second

// refusals are collected while a fence asks.
type refusals struct {
	file     string            // "" where nobody wants to know
	agentDir string            // where starts of other programs are reported, "" for nowhere
	listener *sandbox.Listener // nil: it does not ask
	serve    sync.WaitGroup
	stop     chan struct{}
	written  chan struct{}

	mu      sync.Mutex
	all     []Refusal
	changed bool
	ended   bool
}

// begin answers what a fence that stands asks, if it does.
func (r *refusals) begin(from *sandbox.Channel, policyFile string, built sandbox.Support) error {
	if !built.Listener {
		return nil
	}
	policy, err := sandbox.Load(policyFile)
	if err != nil {
		return err
	}
	l, err := from.Listener(policy, built)
	if err != nil || l == nil {
		return err
	}
	r.mu.Lock()
	r.listener = l
	r.mu.Unlock()
	for range serving {
		r.serve.Go(func() { l.Serve(r.add, r.serve.Go) }) // finish waits for it
	}
	if r.file != "" {
		r.stop, r.written = make(chan struct{}), make(chan struct{})
		go r.write() // finish waits for it
	}
	return nil
}

func (r *refusals) add(t sandbox.Tried) {
	if t.Kind == sandbox.TriedStart {
		r.report(t.Path)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true
	for _, want := range []sandbox.Tried{t, {Kind: t.Kind}} {
		if i := slices.IndexFunc(r.all, func(old Refusal) bool { return old.Tried == want }); i >= 0 {
			r.all[i].Times++
			return
		}
		if len(r.all) < mostRefusals || want.Path == "" {
			r.all = append(r.all, Refusal{want, 1})
			return
		}
	}
}

// report leaves word of a start that the script in the program's place could not report, in the same form.
func (r *refusals) report(program string) {
	if r.agentDir == "" {
		return
	}
	v := guard.RefuseStart(program)
	_ = agentdir.Dir(r.agentDir).Report(agentdir.Refusal{Time: time.Now().UTC(), Layer: guard.StartLayer,
		Operation: guard.StartOperation, Path: strings.ToValidUTF8(v.Path, "\ufffd"), Pattern: v.Pattern})
}

// write writes what was added, until stop.
func (r *refusals) write() {
	defer close(r.written)
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-tick.C:
		case <-r.stop:
			over = true
		}
		r.mu.Lock()
		all, changed := slices.Clone(r.all), r.changed
		r.changed = false
		r.mu.Unlock()
		if changed {
			if err := writeJSON(r.file, all); err != nil { // as on a full disk: tried again
				r.mu.Lock()
				r.changed = true
				r.mu.Unlock()
			}
		}
	}
}

// end has finish return, also where a process inside were left.
func (r *refusals) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listener != nil && !r.ended {
		r.ended = true
		r.listener.End()
	}
}

// finish returns once everything stands in the file.
func (r *refusals) finish() {
	if r.listener == nil {
		return
	}
	r.listener.Drop()
	r.serve.Wait()
	r.end()
	r.listener.Close()
	if r.stop != nil {
		close(r.stop)
		<-r.written
	}
}
