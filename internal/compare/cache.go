package compare

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"

	"delegate/conflict"
	"delegate/internal/analyze"
	"delegate/internal/atomicfile"
	"delegate/internal/objects"
)

// cache is what comparisons found, by what they compared. Deleting its file only costs time.
type cache struct {
	file  string
	Build string // the program that found it and the checkers it had; others may know better
	Pairs map[string][]conflict.Finding
	grown bool
	// passing are the keys of what is not kept, since another look may say more.
	passing []string
}

// loadCache reads what was found at this depth by those who know as much as now. A file that cannot
// be read is forgotten.
func loadCache(private string, depth Depth, knowing string) *cache {
	m := &cache{file: filepath.Join(private, "conflicts-"+string(depth)+".json")}
	now := build() + knowing
	data, err := os.ReadFile(m.file)
	if err != nil || json.Unmarshal(data, m) != nil || m.Build != now {
		m.Build, m.Pairs = now, nil
	}
	if m.Pairs == nil {
		m.Pairs = map[string][]conflict.Finding{}
	}
	return m
}

// build tells one build of the program from another.
func build() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(info.ModTime().UnixNano(), 36) + "-" + strconv.FormatInt(info.Size(), 36)
}

func pairKey(p [2]objects.Span) string {
	key := ""
	for _, t := range p {
		key += strconv.Quote(t.Name) + " " + t.Base + " " + t.Head + " "
	}
	return key
}

func (m *cache) has(p [2]objects.Span) bool {
	_, known := m.Pairs[pairKey(p)]
	return known
}

func (m *cache) add(p [2]objects.Span, r analyze.Result) {
	m.Pairs[pairKey(p)] = r.Found
	if r.Unsettled {
		m.passing = append(m.passing, pairKey(p))
		return
	}
	m.grown = true
}

func (m *cache) found(p [2]objects.Span) []conflict.Finding { return m.Pairs[pairKey(p)] }

// mostRemembered bounds the memory; beyond it only the pairs of the last comparison are kept.
const mostRemembered = 8192

// save writes what is new. In a repository where nothing can be written, nothing is remembered.
func (m *cache) save(last [][2]objects.Span) error {
	if !m.grown {
		return nil
	}
	if len(m.Pairs) > mostRemembered {
		kept := map[string][]conflict.Finding{}
		for _, p := range last {
			kept[pairKey(p)] = m.found(p)
		}
		m.Pairs = kept
	}
	for _, key := range m.passing {
		delete(m.Pairs, key)
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if os.MkdirAll(filepath.Dir(m.file), 0o700) == nil {
		_ = atomicfile.WriteFile(m.file, data, 0o600)
	}
	return nil
}
