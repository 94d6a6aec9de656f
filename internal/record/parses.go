package record

import (
	"bytes"
	"slices"
	"sync"

	"delegate/registry"
)

// parses has the documents that were parsed or written last: a reader beside a writer, and a writer after itself, find
// the file as it was parsed before. Nothing in these documents is ever changed.
type parses struct {
	mu   sync.Mutex
	last []parsed // the newest first
}

type parsed struct {
	data []byte
	doc  *registry.Document
}

// keptParses is room for a file, the version written before, and one that came in between.
const keptParses = 3

// parse is registry.Parse.
func (p *parses) parse(data []byte) (*registry.Document, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.IndexFunc(p.last, func(l parsed) bool { return bytes.Equal(l.data, data) }); at >= 0 {
		return p.last[at].doc, nil
	}
	doc, err := registry.Parse(data)
	if err == nil {
		p.add(data, doc)
	}
	return doc, err
}

// put has what was just written, which is parsed already.
func (p *parses) put(data []byte, doc *registry.Document) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.ContainsFunc(p.last, func(l parsed) bool { return bytes.Equal(l.data, data) }) {
		p.add(data, doc)
	}
}

func (p *parses) add(data []byte, doc *registry.Document) {
	p.last = slices.Insert(p.last, 0, parsed{data, doc})
	p.last = p.last[:min(len(p.last), keptParses)]
}
