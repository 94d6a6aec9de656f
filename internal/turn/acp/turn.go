package acp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/coder/acp-go-sdk"

	"delegate/internal/fence/guard"
)

// useAnswer adds what the answer to a prompt says.
func (t *turn) useAnswer(answer acp.PromptResponse) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if answer.Usage != nil {
		t.use(*answer.Usage)
	}
	counted := decode[struct {
		Tokens struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		} `json:"token_count"`
	}](answer.Meta["quota"])
	t.input, t.output = t.input+counted.Tokens.Input, t.output+counted.Tokens.Output
}

// useMeta adds what is told beside a piece of a message.
func (t *turn) useMeta(meta map[string]any) {
	if raw, found := meta["usage"]; found {
		t.use(decode[acp.Usage](raw))
	}
}

// use counts tokens read from a cache as input, whether or not the program does.
func (t *turn) use(u acp.Usage) {
	t.input += max(u.InputTokens, u.TotalTokens-u.OutputTokens-value(u.ThoughtTokens))
	t.output += u.OutputTokens
}

// decode reads a value in another form; what does not fit stays zero.
func decode[T any](raw any) T {
	var v T
	if data, err := json.Marshal(raw); err == nil {
		_ = json.Unmarshal(data, &v) // a field of another type leaves the rest readable
	}
	return v
}

// turn is a Bridge at work: what the program said and did so far.
type turn struct {
	Bridge
	interrupted context.Context

	mu            sync.Mutex // guards everything below: questions come beside updates
	session       string
	muted         bool // what comes is of earlier turns, or too late
	words         strings.Builder
	message       string // id of the message that words are of
	calls         map[acp.ToolCallId]*call
	stuck         string                  // why the last use of a tool was refused, while nothing came after it
	others        map[acp.ToolCallId]bool // calls at work that started an agent, whose words are not this one's
	input, output int                     // tokens
}

type object = map[string]any

// longestWords is how much text is held back, in bytes, while a message goes on.
const longestWords = 1 << 20

// print writes one event. It begins a line of its own: what the program complains about comes on
// the same way and may end without a line's end.
func (t *turn) print(event object) {
	line, err := json.Marshal(event)
	if err != nil {
		return // texts and numbers always marshal
	}
	_, _ = t.Out.Write([]byte("\n" + string(line) + "\n"))
}

// begin names the conversation and listens from now on.
func (t *turn) begin(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session, t.muted = session, false
	clear(t.calls)
	t.print(object{"type": "thread.started", "thread_id": session})
}

// end prints how the turn ended; nothing is printed after it.
func (t *turn) end(err error, cancelled bool) Ending {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endWords()
	t.muted = true
	switch {
	case cancelled:
		return Cancelled
	case err != nil:
		t.print(object{"type": "turn.failed", "error": object{"message": strings.ReplaceAll(err.Error(), "\n", ": ")}})
		return Failed
	}
	t.print(object{"type": "result", "status": "success",
		"stats": object{"input_tokens": t.input, "output_tokens": t.output}})
	return Done
}

// endWords prints the words that were gathered.
func (t *turn) endWords() {
	if t.words.Len() > 0 {
		t.print(object{"type": "item.completed", "item": object{"type": "agent_message", "text": t.words.String()}})
		t.words.Reset()
	}
}

// update takes in what the program tells. A message comes in pieces; what does not interrupt it for
// a reader leaves it whole.
func (t *turn) update(u acp.SessionUpdate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.muted:
	case u.AgentMessageChunk != nil:
		t.say(u.AgentMessageChunk)
	case u.ToolCall != nil:
		c := u.ToolCall
		t.endWords()
		t.stuck = ""
		t.learn(acp.ToolCallUpdate{
			Meta: c.Meta, ToolCallId: c.ToolCallId, Kind: &c.Kind, Title: &c.Title, RawInput: c.RawInput,
			Locations: c.Locations, Content: c.Content, Status: &c.Status,
		})
	case u.ToolCallUpdate != nil:
		c := u.ToolCallUpdate
		t.endWords()
		t.learn(acp.ToolCallUpdate{
			Meta: c.Meta, ToolCallId: c.ToolCallId, Kind: c.Kind, Title: c.Title, RawInput: c.RawInput,
			Locations: c.Locations, Content: c.Content, Status: c.Status,
		})
	case u.AgentThoughtChunk != nil, u.Plan != nil:
		t.endWords()
	}
}

func (t *turn) say(chunk *acp.SessionUpdateAgentMessageChunk) {
	t.useMeta(chunk.Meta)
	if chunk.Content.Text == nil || chunk.Content.Text.Text == "" || len(t.others) > 0 {
		return
	}
	if id := value(chunk.MessageId); id != t.message || t.words.Len() > longestWords {
		t.endWords()
		t.message = id
	}
	t.stuck = ""
	t.words.WriteString(chunk.Content.Text.Text)
}

// learn adds to what is known of a use of a tool, and tells when it begins and when it is over.
func (t *turn) learn(u acp.ToolCallUpdate) *call {
	c := t.calls[u.ToolCallId]
	if c == nil {
		c = &call{}
		t.calls[u.ToolCallId] = c
	}
	c.learn(u)
	status := value(u.Status)
	over := status == acp.ToolCallStatusCompleted || status == acp.ToolCallStatusFailed
	if !c.reported && (over || status == acp.ToolCallStatusInProgress || len(c.input)+len(c.paths)+len(c.diffs) > 0) {
		c.reported = true
		t.print(object{"type": "item.started", "item": object{"type": "command_execution", "command": c.line()}})
	}
	if t.startsAgent(c.name) {
		t.others[u.ToolCallId] = true
	}
	if over {
		delete(t.others, u.ToolCallId)
		t.print(object{"type": "item.completed",
			"item": object{"type": "command_execution", "command": c.line(), "aggregated_output": c.said}})
		c.said = ""
	}
	return c
}

// startsAgent reports whether a tool of that name is refused whatever it is used for, which only
// those that start agents are.
func (t *turn) startsAgent(tool string) bool {
	v, err := guard.Decide(t.Policy, guard.Call{Tool: tool})
	return err == nil && !v.Allowed
}

// stuckOn is why the last use of a tool was refused if nothing came after it, "" otherwise.
func (t *turn) stuckOn() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stuck
}

func (t *turn) unstick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stuck = ""
}

// value is what p points to, or nothing.
func value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
