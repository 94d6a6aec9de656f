package land

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// traceRef holds the notes with Agent Trace records (agent-trace.dev), one for each landed commit.
const traceRef = "refs/notes/agent-trace"

// largestTraced bounds the files whose lines are told; of a larger one only the name is.
const largestTraced = 4 << 20

// traceRecord is an Agent Trace record, version 0.1.
type traceRecord struct {
	Version  string            `json:"version"`
	ID       string            `json:"id"`
	Time     time.Time         `json:"timestamp"`
	VCS      map[string]string `json:"vcs"`
	Tool     map[string]string `json:"tool"`
	Files    []tracedFile      `json:"files"`
	Metadata map[string]any    `json:"metadata"`
}

type tracedFile struct {
	Path          string               `json:"path"`
	Conversations []tracedConversation `json:"conversations"`
}

type tracedConversation struct {
	URL         string            `json:"url"`
	Contributor map[string]string `json:"contributor"`
	Ranges      []tracedRange     `json:"ranges"`
}

type tracedRange struct {
	Start int `json:"start_line"`
	End   int `json:"end_line"`
}

// trace notes for each commit which of its lines came from which program, where the configuration wants
// that. What hinders it is told and undoes nothing.
func (l *lander) trace(ctx context.Context) error {
	if !l.p.Config.Landing.AgentTrace || l.journal.IsRollback() {
		return nil
	}
	state, err := l.p.Store.View(ctx)
	for _, one := range l.journal.Agents {
		if err == nil {
			err = l.traceOne(ctx, state, one)
		}
	}
	if err != nil {
		l.untraced = "the Agent Trace record was not written: " + project.OneLine(err.Error())
	}
	return nil
}

// traceOne notes the commits of one agent, from its last to the first on top of what lies below.
func (l *lander) traceOne(ctx context.Context, state registry.State, one journal.Landed) error {
	a, err := state.Agent(one.Agent)
	if err != nil {
		return err
	}
	for at := one.Commit; at != one.Onto; {
		parents, err := l.p.Repo.Parents(ctx, at)
		if err != nil || len(parents) == 0 {
			return err
		}
		noted, err := l.p.Repo.HasNote(ctx, traceRef, at)
		if err != nil {
			return err
		}
		if !noted { // by a landing that was cut short
			files, err := l.tracedFiles(ctx, git.Span{Base: parents[0], Head: at}, l.conversation(a), one.Decided)
			if err != nil {
				return err
			}
			if err := l.writeTrace(ctx, a, at, files); err != nil {
				return err
			}
		}
		if at = parents[0]; one.Onto == "" {
			return nil
		}
	}
	return nil
}

func (l *lander) writeTrace(ctx context.Context, a registry.Agent, commit string, files []tracedFile) error {
	sum := sha256.Sum256([]byte(commit))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a version 8 UUID
	facts := map[string]any{"session": l.journal.Session, "agent": a.ID, "name": a.Name, "attempt": a.Attempt,
		"digest": l.journal.Digest}
	if _, conversation := l.answered(a); conversation != "" {
		facts["conversation"] = conversation
	}
	data, err := json.MarshalIndent(traceRecord{
		Version: "0.1", ID: fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]),
		Time: l.p.Now().UTC().Truncate(time.Second), VCS: map[string]string{"type": "git", "revision": commit},
		Tool: map[string]string{"name": a.Profile}, Files: files, Metadata: map[string]any{"delegate": facts},
	}, "", "  ")
	if err != nil {
		return err
	}
	return l.p.Repo.AddNote(ctx, git.Note{Ref: traceRef, Commit: commit, Text: string(data) + "\n"})
}

// answered are the model and the conversation that the program named in the agent's last turns.
func (l *lander) answered(a registry.Agent) (model, conversation string) {
	for n := a.Turns; n > 0 && (model == "" || conversation == ""); n-- {
		turn := keeper.Turn{Dir: l.p.TurnDir(l.journal.Session, a.ID, n)}
		if spec, err := turn.Spec(); err != nil || spec.Attempt != a.Attempt {
			break
		}
		if model == "" {
			model = turn.Model()
		}
		if conversation == "" {
			conversation = turn.SessionID()
		}
	}
	return model, conversation
}

func (l *lander) conversation(a registry.Agent) tracedConversation {
	by := map[string]string{"type": "ai"}
	model, _ := l.answered(a)
	if model = cmp.Or(model, a.Model); model != "" {
		by["model_id"] = modelID(model)
	}
	return tracedConversation{URL: "delegate:" + l.journal.Session + "/" + a.ID, Contributor: by}
}

// modelID is a model as provider/model, where its name tells whose it is.
func modelID(model string) string {
	model = model[:min(len(model), 200)]
	if strings.Contains(model, "/") {
		return model
	}
	for begin, provider := range map[string]string{"claude": "anthropic", "gemini": "google", "gpt": "openai",
		"qwen": "alibaba"} {
		if strings.HasPrefix(strings.ToLower(model), begin) {
			return provider + "/" + model
		}
	}
	return model
}

// tracedFiles are the lines that a commit adds. Those of a file that a person decided about are mixed.
func (l *lander) tracedFiles(ctx context.Context, of git.Span, by tracedConversation,
	decided []string) ([]tracedFile, error) {
	files, err := l.p.Repo.Changes(ctx, of.Base, of.Head, git.DetectRenames)
	if err != nil {
		return nil, err
	}
	blobs := l.p.Repo.OpenBlobs(ctx)
	defer blobs.Close()
	all := []tracedFile{}
	for _, f := range files {
		if f.NewID == "" || f.NewMode == change.ModeSubmodule {
			continue
		}
		contribution := by
		if contribution.Ranges, err = addedLines(blobs, f); err != nil {
			return nil, err
		}
		if slices.Contains(decided, f.Path) {
			contribution.Contributor = map[string]string{"type": "mixed"}
			if model := by.Contributor["model_id"]; model != "" {
				contribution.Contributor["model_id"] = model
			}
		}
		all = append(all, tracedFile{Path: f.Path, Conversations: []tracedConversation{contribution}})
	}
	return all, nil
}

// addedLines are none for a file that is binary or too large.
func addedLines(blobs *git.Blobs, f change.File) ([]tracedRange, error) {
	ranges := []tracedRange{}
	var sides [2][]byte
	for i, id := range []string{f.OldID, f.NewID} {
		if id == "" {
			continue
		}
		data, _, err := blobs.Read(id, largestTraced)
		if errors.Is(err, git.ErrTooLarge) || err == nil && change.IsBinary(data) {
			return ranges, nil
		}
		if err != nil {
			return nil, err
		}
		sides[i] = data
	}
	for _, h := range change.Hunks(sides[0], sides[1]) {
		if h.NewLines > 0 {
			ranges = append(ranges, tracedRange{h.NewStart, h.NewStart + h.NewLines - 1})
		}
	}
	return ranges, nil
}
