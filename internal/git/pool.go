package git

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
)

// common is what the checkouts of one repository share.
type common struct {
	settings settingsCache
	facts    facts

	mu    sync.Mutex
	pools map[string]*pool // by the checkouts' git folders
}

func newCommon() *common {
	return &common{pools: map[string]*pool{}}
}

// readers are the idle gits of this checkout, nil where none is kept: those that read with other settings, or
// in a quarantine, whose objects go.
func (r *Repo) readers(env []string) *pool {
	if r.common == nil || r.Quarantined() || len(env) > 0 {
		return nil
	}
	r.common.mu.Lock()
	defer r.common.mu.Unlock()
	p := r.common.pools[r.GitDir]
	if p == nil {
		p = &pool{}
		r.common.pools[r.GitDir] = p
	}
	return p
}

// pool holds gits that read objects and wait for the next reader.
type pool struct {
	mu   sync.Mutex
	idle []idleBlobs
}

type idleBlobs struct {
	*Blobs
	expiry *time.Timer
}

const (
	mostIdle = 4
	// idleTime is how long one waits: longer than from one question of a command to the next, and too short
	// for a supervisor that has nothing to do to hold processes.
	idleTime = time.Second
)

// take is one that nobody else has, nil if none waits.
func (p *pool) take() *Blobs {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		last := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if last.expiry.Stop() { // else it ends just now
			return last.Blobs
		}
	}
	return nil
}

// put keeps one for the next reader, and says whether it does.
func (p *pool) put(b *Blobs) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) >= mostIdle {
		return false
	}
	p.idle = append(p.idle, idleBlobs{b, time.AfterFunc(idleTime, func() { p.expire(b) })})
	return true
}

func (p *pool) expire(b *Blobs) {
	p.mu.Lock()
	for i, waiting := range p.idle {
		if waiting.Blobs == b {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			break
		}
	}
	p.mu.Unlock()
	_ = b.shut() // it had answered everything
}

// lookUp is the object that a name stands for. False says only that the answer is to be found in another way.
func (r *Repo) lookUp(ctx context.Context, name string) (head, bool) {
	return lookUp(ctx, r, name, (*Blobs).info)
}

// mostOfCommit bounds the commits that are read to know their trees and parents.
const mostOfCommit = 1 << 20

// lookInto is lookUp with the content of the object, a commit's.
func (r *Repo) lookInto(ctx context.Context, name string) (object, bool) {
	return lookUp(ctx, r, name, func(b *Blobs, name string) (object, error) { return b.read(name, mostOfCommit) })
}

func lookUp[T any](ctx context.Context, r *Repo, name string, ask func(*Blobs, string) (T, error)) (T, bool) {
	var none T
	if r.common == nil || r.Quarantined() || !isEverywhere(name) {
		return none, false
	}
	b := r.At(r.CommonDir, r.Worktree).openBlobs(ctx)
	answer, err := ask(b, name)
	return answer, errors.Join(err, b.Close()) == nil
}

// isEverywhere says whether a name stands for the same in all checkouts: a full id, or a reference
// that none has for itself, with what git lets follow, such as ^{commit}.
func isEverywhere(name string) bool {
	start, _, _ := strings.Cut(name, "^")
	below, isRef := strings.CutPrefix(start, "refs/")
	for _, own := range []string{"worktree/", "bisect/", "rewritten/"} {
		isRef = isRef && !strings.HasPrefix(below, own)
	}
	return isWord(name) && (isRef || isFullID(start))
}
