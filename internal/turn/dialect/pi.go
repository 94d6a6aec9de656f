package dialect

import (
	"encoding/json"
	"strings"
	"time"
)

// isPi reports whether an event is one of pi's, whose names no other form has.
func isPi(kind string) bool {
	switch kind {
	case "session", "message_start", "message_update", "message_end", "tool_execution_start",
		"tool_execution_update", "tool_execution_end", "auto_retry_start", "auto_retry_end", "queue_update",
		"compaction_start", "compaction_end", "agent_start", "agent_end", "turn_start", "turn_end":
		return true
	}
	return false
}

// piEvent has what pi tells of a message or a tool.
type piEvent struct {
	ID      string `json:"id"`
	Message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Model   string          `json:"model"`
		Stop    string          `json:"stopReason"`
		Error   string          `json:"errorMessage"`
		Usage   struct {
			Input  int `json:"input"`
			Output int `json:"output"`
			Read   int `json:"cacheRead"`
			Write  int `json:"cacheWrite"`
			Cost   struct {
				Total float64 `json:"total"`
			} `json:"cost"`
		} `json:"usage"`
	} `json:"message"`
	Tool   string          `json:"toolName"`
	Args   json.RawMessage `json:"args"`
	Result struct {
		Content json.RawMessage `json:"content"`
	} `json:"result"`
	IsError bool    `json:"isError"`
	Delay   float64 `json:"delayMs"`
	Error   string  `json:"errorMessage"`
}

// pi reads an event of pi. A message that is still being written is told anew with each piece, and taken when it is
// whole.
func (d *Decoder) pi(l event, line []byte) []Event {
	e := decode[piEvent](line)
	switch l.Type {
	case "session":
		return []Event{{Kind: Session, Text: e.ID}}
	case "turn_start":
		d.fault = ""
	case "message_end":
		if e.Message.Role == "assistant" {
			return d.piMessage(e)
		}
	case "tool_execution_start":
		return []Event{{Kind: Tool, Tool: e.Tool, Text: about(e.Args)}}
	case "tool_execution_end":
		// as our extension says it
		if why, found := strings.CutPrefix(textOf(e.Result.Content), "refused: "); found && e.IsError {
			return []Event{{Kind: Refused, Tool: e.Tool, Text: why}}
		}
		return []Event{{Kind: Result, Text: textOf(e.Result.Content), Error: e.IsError}}
	case "auto_retry_start":
		until := d.now().Add(time.Duration(e.Delay * float64(time.Millisecond)))
		return triesAgain(e.Error, FaultOf(e.Error), until)
	case "agent_end":
		if d.fault == "" {
			return []Event{{Kind: Ended}}
		}
	}
	return nil
}

// piMessage reads an answer of the model. One that failed may be asked for again, which is known when nothing follows.
func (d *Decoder) piMessage(e piEvent) []Event {
	u := e.Message.Usage
	d.usage = d.usage.plus(Usage{Input: u.Input + u.Read + u.Write, Output: u.Output, Cached: u.Read})
	d.usage.Cost += u.Cost.Total
	found := []Event{{Kind: Model, Text: e.Message.Model}, {Kind: Used, Usage: d.usage}}
	if e.Message.Model == d.model {
		found = found[1:]
	}
	d.model = e.Message.Model
	if text := textOf(e.Message.Content); text != "" {
		found = append(found, Event{Kind: Words, Text: strings.TrimSuffix(text, "\n") + "\n"})
	}
	if e.Message.Stop == "error" || e.Message.Stop == "aborted" {
		d.fault = messageOf(nil, e.Message.Error)
	}
	return found
}
