package git

import (
	"sync"

	"delegate/change"
)

// factCache keeps git's answers about objects that are named by their full ids, such as a merge
// base or what differs between two trees. An id stands for a content and a history, so the answer
// stays true and is asked for once in the life of a Repo and its checkouts.
type factCache struct {
	mu     sync.Mutex
	known  map[string]any
	weight int
}

func newFactCache() *factCache { return &factCache{known: map[string]any{}} }

// mostFacts bounds how many answers and elements of lists in them are kept, some 100 bytes each.
const mostFacts = 100_000

func (f *factCache) find(key string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[key]
}

func (f *factCache) keep(key string, answer any) {
	weight := 1
	switch all := answer.(type) {
	case []change.File:
		weight += len(all)
	case []string:
		weight += len(all)
	case map[string]string:
		weight += len(all)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.weight += weight; f.weight > mostFacts {
		clear(f.known)
		f.weight = weight
	}
	if weight <= mostFacts {
		f.known[key] = answer
	}
}
