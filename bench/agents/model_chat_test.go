//go:build bench && !windows

package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
)

func chat() wire {
	return wire{read: readChat, refuse: refuseOpenAI, fail: failOpenAI, answer: answerChat}
}

func readChat(body []byte) (talk, error) {
	var request struct {
		Model string `json:"model"`
		Tools []struct {
			Function struct {
				Name       string `json:"name"`
				Parameters schema `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Messages []struct {
			Role    string `json:"role"`
			Content texts  `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return talk{}, fmt.Errorf("read a request for a chat: %w", err)
	}
	t := talk{model: request.Model}
	for _, tool := range request.Tools {
		t.offer(tool.Function.Name)
		t.takes(tool.Function.Name, tool.Function.Parameters)
	}
	for _, m := range request.Messages {
		switch m.Role {
		case "tool":
			t.back()
		case "user":
			for _, p := range m.Content {
				t.hear(p.Text)
			}
		}
	}
	return t, nil
}

func answerChat(w http.ResponseWriter, a answer) {
	message, reason := object{"role": "assistant", "content": a.text}, "stop"
	if a.call != nil {
		message["tool_calls"] = list{object{"index": 0, "id": a.id("call"), "type": "function",
			"function": object{"name": a.call.name, "arguments": a.call.input()}}}
		reason = "tool_calls"
	}
	usage := object{"prompt_tokens": promptTokens, "prompt_tokens_details": object{"cached_tokens": cachedTokens},
		"completion_tokens": answerTokens, "total_tokens": promptTokens + answerTokens}
	chunk := object{"id": a.id("chatcmpl"), "object": "chat.completion.chunk", "created": 0, "model": a.talk.model}
	s := open(w)
	chunk["choices"] = list{object{"index": 0, "delta": message, "finish_reason": nil}}
	s.data(chunk)
	chunk["choices"], chunk["usage"] = list{object{"index": 0, "delta": object{}, "finish_reason": reason}}, usage
	s.data(chunk)
	fmt.Fprint(w, "data: [DONE]\n\n")
}
