package acp

import (
	"encoding/json"

	"github.com/coder/acp-go-sdk"
)

// The protocol has one place for what a prompt used up, and programs have others: qwen tells it
// with each piece of a message that ends a question to its model, gemini beside the answer. All
// that were seen are of the prompt and not of the conversation.

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
