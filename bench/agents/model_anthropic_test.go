//go:build bench && !windows

package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
)

func anthropic() wire {
	return wire{read: readAnthropic, refuse: refuseAnthropic, fail: failAnthropic, answer: answerAnthropic}
}

func readAnthropic(body []byte) (talk, error) {
	var request struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Tools  []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Messages []struct {
			Role    string `json:"role"`
			Content texts  `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return talk{}, fmt.Errorf("read a request for a message: %w", err)
	}
	t := talk{model: request.Model, stream: request.Stream}
	for _, tool := range request.Tools {
		t.offer(tool.Name)
	}
	for _, m := range request.Messages {
		for _, p := range m.Content {
			switch {
			case p.Type == "tool_result":
				t.back()
			case m.Role == "user":
				t.hear(p.Text)
			}
		}
	}
	return t, nil
}

func refuseAnthropic(l limit) object {
	kind, message := "rate_limit_error", "This request would exceed your account's rate limit. Please try again later."
	if l.Status != http.StatusTooManyRequests {
		kind, message = "overloaded_error", "Overloaded"
	}
	return object{"type": "error", "error": object{"type": kind, "message": message}}
}

func answerAnthropic(w http.ResponseWriter, a answer) {
	blocks, reason := list{}, "end_turn"
	if a.text != "" {
		blocks = append(blocks, object{"type": "text", "text": a.text})
	}
	if a.call != nil {
		blocks = append(blocks, object{"type": "tool_use", "id": a.id("toolu"), "name": a.call.name,
			"input": a.call.args})
		reason = "tool_use"
	}
	usage := object{"input_tokens": promptTokens - cachedTokens, "cache_creation_input_tokens": 0,
		"cache_read_input_tokens": cachedTokens, "output_tokens": answerTokens}
	message := object{"id": a.id("msg"), "type": "message", "role": "assistant", "model": a.talk.model,
		"content": blocks, "stop_reason": reason, "stop_sequence": nil, "usage": usage}
	if !a.talk.stream {
		send(w, http.StatusOK, message)
		return
	}
	empty := maps.Clone(message)
	empty["content"], empty["stop_reason"] = list{}, nil
	s := open(w)
	s.event("message_start", object{"message": empty})
	for i := range blocks {
		start, delta := blockStart(a, i)
		s.event("content_block_start", object{"index": i, "content_block": start})
		s.event("content_block_delta", object{"index": i, "delta": delta})
		s.event("content_block_stop", object{"index": i})
	}
	s.event("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": usage})
	s.event("message_stop", object{})
}

// blockStart is how a block of an answer begins and all that follows: words come first, then the call.
func blockStart(a answer, i int) (start, delta object) {
	if i == 0 && a.text != "" {
		return object{"type": "text", "text": ""}, object{"type": "text_delta", "text": a.text}
	}
	return object{"type": "tool_use", "id": a.id("toolu"), "name": a.call.name, "input": object{}},
		object{"type": "input_json_delta", "partial_json": a.call.input()}
}
