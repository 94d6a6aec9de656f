package session

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// Conversation is the program's own name for what was said in the agent's attempt: the one that the program named, else
// one that it is given. named says which.
func Conversation(p *project.Project, session string, a registry.Agent) (id string, named bool) {
	for n := a.Turns; n > 0; n-- {
		turn := keeper.Turn{Dir: p.TurnDir(session, a.ID, n)}
		spec, err := turn.Spec()
		if err == nil && spec.Attempt != a.Attempt {
			break
		}
		if err == nil && spec.On != "" {
			continue // it is told to a program elsewhere, and went with that one's home
		}
		if id := turn.SessionID(); id != "" {
			return id, true
		}
	}
	sum := sha256.Sum256([]byte(session + "\x00" + a.ID + "\x00" + strconv.Itoa(a.Attempt) + "\x00" + p.Main))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a version 8 UUID, made of what names the attempt
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]), false
}

// Resumption is how a person goes on with an agent's conversation by hand, without its sandbox.
type Resumption struct {
	ID      string   `json:"id"`
	Command []string `json:"command"`
	Dir     string   `json:"dir"`
	Env     []string `json:"env"` // what leads the program to the agent's home
}

// ResumptionOf is that of the agent's attempt; false without a conversation, and where nobody told how.
func ResumptionOf(p *project.Project, session string, a registry.Agent) (Resumption, bool) {
	id, named := Conversation(p, session, a)
	profile, err := agent.Find(p.Config, a.Profile)
	if err != nil || len(profile.Takeover) == 0 || a.Turns == 0 || !named && profile.Output == dialect.EventLines {
		return Resumption{}, false
	}
	root := p.AgentRoot(session, a.ID)
	place := agent.Place{Worktree: a.Worktree, Home: filepath.Join(root, "home"), Tmp: filepath.Join(root, "tmp"),
		AgentDir: p.AgentDir(session, a.ID), Turn: p.TurnDir(session, a.ID, a.Turns), Model: a.Model, Effort: a.Effort,
		Confinement: agent.Fenced}
	r := Resumption{ID: id, Dir: a.Worktree, Env: []string{"HOME=" + place.Home},
		Command: profile.Invoke(profile.Takeover, agent.Values{SessionID: id, Place: place}).Args}
	for name := range profile.Env {
		if value := run.Variable(place.Environ(profile), name); strings.HasPrefix(value, place.Home) {
			r.Env = append(r.Env, name+"="+value)
		}
	}
	slices.Sort(r.Env)
	return r, true
}

// Line is it as a person types it.
func (r Resumption) Line() string {
	words := []string{"cd", run.Quote(r.Dir), "&&", "env"}
	for _, word := range slices.Concat(r.Env, r.Command) {
		if strings.IndexFunc(word, func(c rune) bool {
			return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_./=:,+", c)
		}) >= 0 || word == "" {
			word = run.Quote(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
