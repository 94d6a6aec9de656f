//go:build bench && !windows

package agents_test

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// journal is what the model was asked in one case. It passes every line on.
type journal struct {
	log io.Writer

	mu    sync.Mutex // guards asked
	asked []request
}

// request is a line of the model's log.
type request struct {
	at       time.Time
	Scenario string `json:"scenario"`
	Answer   string `json:"answer"`
	Asked    string `json:"told"`
	Marks    []string
	Tools    []string
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var r request
	if json.Unmarshal(bytes.TrimSpace(line), &r) == nil {
		r.at = time.Now()
		j.asked = append(j.asked, r)
	}
	return j.log.Write(line)
}

// count is how many requests of a scenario were given that answer; "" is any.
func (j *journal) count(scenario, answer string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, r := range j.asked {
		if r.Scenario == scenario && (answer == "" || r.Answer == answer) {
			n++
		}
	}
	return n
}

// called is how many requests of a scenario were answered with a call of a server's tool, under
// whatever name the program offers it.
func (j *journal) called(scenario, tool string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, r := range j.asked {
		if r.Scenario == scenario && strings.HasPrefix(r.Answer, "call ") && strings.HasSuffix(r.Answer, tool) {
			n++
		}
	}
	return n
}

// marked reports whether some request of a scenario carried the mark.
func (j *journal) marked(scenario, mark string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.asked, func(r request) bool {
		return r.Scenario == scenario && slices.Contains(r.Marks, mark)
	})
}

// carried reports whether some request of a scenario carried the whole text.
func (j *journal) carried(scenario, text string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.asked {
		if r.Scenario == scenario && strings.Contains(r.Asked, strings.TrimSpace(text)) {
			return true
		}
	}
	return false
}

// waited is the longest time between a refusal of a scenario's request for a limit and the next request.
func (j *journal) waited(scenario string) (longest time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var refused time.Time
	for _, r := range j.asked {
		switch {
		case r.Scenario != scenario:
			continue
		case !refused.IsZero():
			longest = max(longest, r.at.Sub(refused))
		}
		refused = time.Time{}
		if strings.HasPrefix(r.Answer, "limit ") {
			refused = r.at
		}
	}
	return longest
}

// offered reports whether some request offered a tool whose name has the part.
func (j *journal) offered(part string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.asked, func(r request) bool {
		return slices.ContainsFunc(r.Tools, func(tool string) bool { return strings.Contains(tool, part) })
	})
}
