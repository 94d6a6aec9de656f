//go:build bench && linux

package soak

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"delegate/internal/turn/keeper"
	"delegate/internal/view/status"
)

// checkWork looks for everything the agent made: in a commit of its, else in a worktree of its.
func (s *session) checkWork(ctx context.Context, id string) {
	out, err := s.run(ctx, "git", "rev-list", "--objects",
		"--glob=refs/delegate/"+s.id+"/"+id+"/*", "--glob=refs/heads/delegate/"+s.id+"/"+id+"/*")
	if err != nil {
		s.fault("list the commits of %s: %v", id, err)
		return
	}
	committed := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		object, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		committed[object] = true
	}
	for _, m := range s.made(id) {
		s.count["contents looked for"]++
		if committed[blobID(m.text+"\n")] {
			continue
		}
		if !s.inWorktree(id, m) {
			s.fault("%s (%s): lost: %s of %s: %q", id, s.agents[id].does.name, m.path, m.turn, m.text)
			continue
		}
		s.count["contents in a worktree only"]++
	}
}

// made is one content that an agent noted.
type made struct{ turn, path, text string }

// made lists what each turn left; what a turn wrote over itself is gone by its own will.
func (s *session) made(id string) []made {
	type place struct{ turn, path string }
	last := map[place]string{}
	var order []place
	for _, line := range s.noted(id+".made", "turn-") {
		fields := strings.SplitN(line, " ", 3)
		at := place{fields[0], fields[1]}
		if _, known := last[at]; !known {
			order = append(order, at)
		}
		last[at] = fields[2]
	}
	all := make([]made, 0, len(order))
	for _, at := range order {
		all = append(all, made{at.turn, at.path, last[at]})
	}
	return all
}

func (s *session) inWorktree(id string, m made) bool {
	found, _ := filepath.Glob(filepath.Join(s.repo+".delegate", s.id, id, "work*", m.path))
	return slices.ContainsFunc(found, func(path string) bool {
		data, err := os.ReadFile(path)
		return err == nil && string(data) == m.text+"\n"
	})
}

// blobID is the name that git gives to a content.
func blobID(content string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content))
	return hex.EncodeToString(sum[:])
}

// checkMessages holds what the agent was given against what was sent: everything once, in the order of the log,
// except for the last ones, which may still be queued. Of a doubtful one only a second time is wrong.
func (s *session) checkMessages(a status.AgentView, rows []row) {
	f := s.agents[a.ID]
	sure := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(token string) bool {
			return slices.Contains(f.doubtful, token)
		})
	}
	sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	var logged []string
	for _, r := range rows {
		if r.agent == a.ID && r.by == person {
			logged = append(logged, tokens(r.details)...)
		}
	}
	if !slices.Equal(sorted(sure(logged)), sorted(f.sent)) {
		s.fault("%s (%s): sent %s, logged %s", a.ID, f.does.name, join(f.sent), join(logged))
	}
	got := s.given(a)
	s.count["messages given"] += len(got)
	want := sure(logged)
	waiting := max(0, len(want)-len(sure(got)))
	inOrder := slices.Equal(sure(got), want[:len(want)-waiting])
	once := len(slices.Compact(sorted(got))) == len(got)
	if !inOrder || !once || waiting > a.Queued || waiting < a.Queued && len(f.doubtful) == 0 {
		s.fault("%s (%s): messages given: %s; sent: %s, of which %d wait (doubtful: %s)", a.ID, f.does.name, join(got),
			join(logged), a.Queued, join(f.doubtful))
	}
}

func tokens(text string) []string {
	return regexp.MustCompile(`soak-message-\d+`).FindAllString(text, -1)
}

// lastMessage is the section of a prompt that holds what is said with it, "" if nothing is.
func lastMessage(prompt string) string {
	at := strings.LastIndex(prompt, "\n## Message from")
	if at < 0 {
		return ""
	}
	return prompt[at:]
}

// given is what the agent's turns got, in their order. A program that was ended before it could
// note anything got what its prompt says.
func (s *session) given(a status.AgentView) []string {
	var all []string
	for n := 1; n <= a.Turns; n++ {
		var got []string
		for _, line := range s.noted(a.ID+".got", fmt.Sprintf("turn-%d ", n)) {
			for _, token := range tokens(line) {
				// a keeper that died before it noted its program is followed by another for the same turn
				if !slices.Contains(got, token) {
					got = append(got, token)
				}
			}
		}
		if s.agents[a.ID].cut {
			prompt, err := os.ReadFile(keeper.Turn{Dir: s.p.TurnDir(s.id, a.ID, n)}.PromptFile())
			if handed := tokens(lastMessage(string(prompt))); err == nil && len(handed) > len(got) {
				s.count["prompts cut short"]++
				got = handed
			}
		}
		all = append(all, got...)
	}
	return all
}
