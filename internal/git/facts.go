package git

import (
	"context"
	"slices"
	"strings"
	"sync"

	"delegate/change"
)

// facts holds git's answers about commits and trees, for the life of a Repo and its checkouts. An id stands for a
// content and its history, so that an answer stays true. A candidate is made once more when its person says yes, and
// what is the same in it is not asked for again: a quarter of the time from start to merged (make bench-peers).
type facts struct {
	mu    sync.Mutex
	known map[string]any
}

// mostFacts bounds the answers that are kept, and mostListed the files of one.
const mostFacts, mostListed = 2000, 1000

// keepsFacts reports whether answers about these are kept: not where a name is no full id, in a quarantine, whose
// objects go, and in a shallow repository, whose history can grow.
func (r *Repo) keepsFacts(ids []string) bool {
	return r.common != nil && !r.Quarantined() && !r.isShallow() &&
		!slices.ContainsFunc(ids, func(id string) bool { return !isFullID(id) })
}

func factKey(question string, ids []string) string { return question + " " + strings.Join(ids, " ") }

// findFact returns the answer to a question about objects, if it is known.
func findFact[T any](r *Repo, question string, ids ...string) (answer T, found bool) {
	if !r.keepsFacts(ids) {
		return answer, false
	}
	r.common.facts.mu.Lock()
	defer r.common.facts.mu.Unlock()
	answer, found = r.common.facts.known[factKey(question, ids)].(T)
	return answer, found
}

// keepFact keeps an answer. An error is none: an object can come.
func (r *Repo) keepFact(answer any, question string, ids ...string) {
	if files, _ := answer.([]change.File); len(files) > mostListed || !r.keepsFacts(ids) {
		return
	}
	f := &r.common.facts
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= mostFacts {
		f.known = map[string]any{}
	}
	f.known[factKey(question, ids)] = answer
}

// isMade reports whether an object that was made is there still: a collection takes what nothing names.
func (r *Repo) isMade(ctx context.Context, id string) bool {
	found, there := r.lookUp(ctx, id)
	return there && found.kind != ""
}

// fact returns the answer to a question about objects, for which git is asked once.
func fact[T any](r *Repo, ask func() (T, error), question string, ids ...string) (T, error) {
	if answer, found := findFact[T](r, question, ids...); found {
		return answer, nil
	}
	answer, err := ask()
	if err == nil {
		r.keepFact(answer, question, ids...)
	}
	return answer, err
}
