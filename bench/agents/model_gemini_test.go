//go:build bench && !windows

package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// gemini serves the calls of a model, which are part of the last element of the path.
func (m *model) gemini(w http.ResponseWriter, r *http.Request) {
	name, verb, _ := strings.Cut(r.PathValue("call"), ":")
	switch verb {
	case "generateContent", "streamGenerateContent":
		m.serve(wire{read: readGemini(name, verb == "streamGenerateContent"), refuse: refuseGemini, fail: failGemini,
			answer: answerGemini})(w, r)
	case "countTokens":
		m.fixed(object{"totalTokens": promptTokens})(w, r)
	default:
		http.NotFound(w, r)
	}
}

func readGemini(name string, stream bool) func([]byte) (talk, error) {
	return func(body []byte) (talk, error) {
		var request struct {
			Contents []struct {
				Role  string `json:"role"`
				Parts []struct {
					Text     string          `json:"text"`
					Response json.RawMessage `json:"functionResponse"`
				} `json:"parts"`
			} `json:"contents"`
			Tools []struct {
				Functions []struct {
					Name string `json:"name"`
				} `json:"functionDeclarations"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(body, &request); err != nil {
			return talk{}, fmt.Errorf("read a request for content: %w", err)
		}
		t := talk{model: name, stream: stream}
		for _, tool := range request.Tools {
			for _, f := range tool.Functions {
				t.offer(f.Name)
			}
		}
		for _, c := range request.Contents {
			for _, p := range c.Parts {
				switch {
				case p.Response != nil:
					t.back()
				case c.Role != "model":
					t.hear(p.Text)
				}
			}
		}
		return t, nil
	}
}

func refuseGemini(l limit) object {
	name, message := "RESOURCE_EXHAUSTED", fmt.Sprintf("You exceeded your current quota, please check your plan "+
		"and billing details. Please retry in %ds.", l.After)
	if l.Status != http.StatusTooManyRequests {
		name, message = "UNAVAILABLE", "The model is overloaded. Please try again later."
	}
	return object{"error": object{"code": l.Status, "status": name, "message": message,
		"details": list{object{"@type": "type.googleapis.com/google.rpc.RetryInfo",
			"retryDelay": fmt.Sprintf("%ds", l.After)}}}}
}

func answerGemini(w http.ResponseWriter, a answer) {
	parts := list{}
	if a.text != "" || a.call == nil {
		parts = append(parts, object{"text": a.text})
	}
	if a.call != nil {
		parts = append(parts, object{"functionCall": object{"name": a.call.name, "args": a.call.args}})
	}
	content := object{
		"candidates": list{object{"index": 0, "finishReason": "STOP",
			"content": object{"role": "model", "parts": parts}}},
		"usageMetadata": object{"promptTokenCount": promptTokens, "cachedContentTokenCount": cachedTokens,
			"candidatesTokenCount": answerTokens, "totalTokenCount": promptTokens + answerTokens},
		"modelVersion": a.talk.model, "responseId": a.id("resp"),
	}
	if a.talk.stream {
		open(w).data(content)
		return
	}
	send(w, http.StatusOK, content)
}
