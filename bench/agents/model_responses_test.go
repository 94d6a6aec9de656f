//go:build bench && !windows

package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

func responses() wire {
	return wire{read: readResponses, refuse: refuseOpenAI, fail: failOpenAI, answer: answerResponses}
}

func readResponses(body []byte) (talk, error) {
	var request struct {
		Model string `json:"model"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Input []struct {
			Type    string `json:"type"`
			Role    string `json:"role"`
			Content texts  `json:"content"`
		} `json:"input"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return talk{}, fmt.Errorf("read a request for a response: %w", err)
	}
	t := talk{model: request.Model}
	for _, tool := range request.Tools {
		t.offer(tool.Name)
	}
	for _, item := range request.Input {
		if strings.HasSuffix(item.Type, "_call_output") {
			t.back()
		}
		if item.Role == "user" {
			for _, p := range item.Content {
				t.hear(p.Text)
			}
		}
	}
	return t, nil
}

func refuseOpenAI(l limit) object {
	if l.Status != http.StatusTooManyRequests {
		return object{"error": object{"message": "That model is currently overloaded with other requests.",
			"type": "server_error"}}
	}
	return object{"error": object{"message": fmt.Sprintf("Rate limit reached for scripted on requests per min (RPM): "+
		"Limit 3, Used 3, Requested 1. Please try again in %ds.", l.After), "type": "rate_limit_error",
		"code": "rate_limit_exceeded"}}
}

// answerResponses sends each part of the answer as a finished item, which is all that the programs read.
func answerResponses(w http.ResponseWriter, a answer) {
	items := list{}
	if a.text != "" || a.call == nil {
		items = append(items, object{"type": "message", "id": a.id("msg"), "role": "assistant", "status": "completed",
			"content": list{object{"type": "output_text", "text": a.text, "annotations": list{}}}})
	}
	switch {
	case a.call == nil:
	case a.call.free != "":
		items = append(items, object{"type": "custom_tool_call", "id": a.id("ctc"), "call_id": a.id("call"),
			"status": "completed",
			"name":   a.call.name, "input": a.call.free})
	default:
		item := object{"type": "function_call", "id": a.id("fc"), "call_id": a.id("call"), "status": "completed",
			"name": a.call.name, "arguments": a.call.input()}
		if a.call.space != "" {
			item["namespace"], item["name"] = a.call.space, strings.TrimPrefix(a.call.name, a.call.space+"__")
		}
		items = append(items, item)
	}
	response := object{"id": a.id("resp"), "object": "response", "model": a.talk.model, "status": "in_progress",
		"output": list{}}
	s := open(w)
	s.event("response.created", object{"response": response})
	for i, item := range items {
		s.event("response.output_item.added", object{"output_index": i, "item": item})
		s.event("response.output_item.done", object{"output_index": i, "item": item})
	}
	response["status"], response["output"] = "completed", items
	response["usage"] = object{"input_tokens": promptTokens,
		"input_tokens_details": object{"cached_tokens": cachedTokens},
		"output_tokens":        answerTokens, "output_tokens_details": object{"reasoning_tokens": 0},
		"total_tokens": promptTokens + answerTokens}
	s.event("response.completed", object{"response": response})
}
