package dialect

import (
	"encoding/json"
	"time"
)

// Notes reads what a program writes into a file of its own about its conversation, a JSON object a line, and prints
// late or not at all: what codex, gemini and copilot use up, which they tell at the end of a turn, and why qwen waits.
// The zero Notes is ready.
type Notes struct {
	counted map[string]bool // answers of gemini's model, by their id: each is written down more than once
	usage   Usage
}

// note has the fields of all forms.
type note struct {
	Time    time.Time `json:"timestamp"`
	ID      string    `json:"id"` // gemini
	Type    string    `json:"type"`
	Subtype string    `json:"subtype"` // qwen
	Payload struct {  // codex
		Type string `json:"type"`
		Info struct {
			Total codexTokens `json:"total_token_usage"`
		} `json:"info"`
		Total codexTokens `json:"thread_token_usage"`
	} `json:"payload"`
	Tokens struct { // gemini
		Input  int `json:"input"`
		Output int `json:"output"`
		Cached int `json:"cached"`
	} `json:"tokens"`
	Data struct { // copilot
		Usage copilotTokens `json:"usage"`
	} `json:"data"`
	System struct { // qwen
		Event struct {
			Name    string `json:"event.name"`
			Message string `json:"error_message"`
		} `json:"uiEvent"`
	} `json:"systemPayload"`
}

type codexTokens struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Cached int `json:"cached_input_tokens"`
}

func (t codexTokens) usage() Usage {
	return Usage{Input: t.Input, Output: t.Output, Cached: t.Cached, Whole: true}
}

// Read takes the next line: what it says, and when it was written.
func (n *Notes) Read(line []byte) (found []Event, at time.Time) {
	var l note
	if json.Unmarshal(line, &l) != nil {
		return nil, time.Time{}
	}
	switch {
	case l.Type == "token_usage_record": // with the answer, before the tools that it asks for have run
		n.usage = l.Payload.Total.usage()
	case l.Payload.Type == "token_count": // when they have run; older versions write nothing else
		n.usage = l.Payload.Info.Total.usage()
	case l.Type == "gemini" && l.Tokens.Input > 0 && !n.counted[l.ID]:
		n.add(Usage{Input: l.Tokens.Input, Output: l.Tokens.Output, Cached: l.Tokens.Cached})
		if n.counted == nil {
			n.counted = map[string]bool{}
		}
		n.counted[l.ID] = true
	case l.Type == "session.usage_record":
		n.add(l.Data.Usage.usage())
	case l.Subtype == "ui_telemetry" && l.System.Event.Name == "qwen-code.api_error":
		why := l.System.Event.Message
		return triesAgain(why, FaultOf(why), time.Time{}), l.Time
	default:
		return nil, time.Time{}
	}
	return []Event{{Kind: Used, Usage: n.usage}}, l.Time
}

// add counts one answer of a model.
func (n *Notes) add(u Usage) {
	n.usage = n.usage.plus(u)
	n.usage.Whole = true
}
