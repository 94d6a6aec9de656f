package dialect

import (
	"encoding/json"
	"strconv"
	"strings"
)

// codex reads an event of codex exec.
func (d *Decoder) codex(l event) []Event {
	switch l.Type {
	case "thread.started":
		return []Event{{Kind: Session, Text: l.Thread}}
	case "item.started", "item.updated", "item.completed":
		return d.codexItem(l)
	case "turn.started":
		return nil
	case "turn.completed":
		u := decode[struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
			Cached int `json:"cached_input_tokens"`
		}](l.Usage)
		d.usage = Usage{Input: u.Input, Output: u.Output, Cached: u.Cached, Whole: true}
		return []Event{{Kind: Used, Usage: d.usage}, {Kind: Ended}}
	case "turn.failed":
		return d.gaveUp(messageOf(l.Error, ""))
	}
	return []Event{{Kind: Unreadable, Text: "event " + strconv.Quote(l.Type)}}
}

func (d *Decoder) codexItem(l event) []Event {
	item := decode[struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Command string `json:"command"`
		Output  string `json:"aggregated_output"`
		Message string `json:"message"`
		Changes []struct {
			Path string `json:"path"`
		} `json:"changes"`
		Tool string `json:"tool"`
	}](l.Item)
	begun, done := l.Type == "item.started", l.Type == "item.completed"
	switch item.Type {
	case "agent_message":
		if done {
			return []Event{{Kind: Words, Text: item.Text + "\n"}}
		}
	case "command_execution":
		if begun {
			return []Event{{Kind: Tool, Tool: "shell", Text: item.Command}}
		}
		if done {
			return []Event{{Kind: Result, Text: item.Output}}
		}
	case "file_change":
		var paths []string
		for _, c := range item.Changes {
			paths = append(paths, c.Path)
		}
		if done {
			return []Event{{Kind: Tool, Tool: "apply_patch", Text: strings.Join(paths, " ")}}
		}
	case "mcp_tool_call", "web_search", "todo_list", "reasoning":
		if begun && item.Tool != "" {
			return []Event{{Kind: Tool, Tool: item.Tool}}
		}
	case "error":
		return []Event{{Kind: Result, Text: item.Message, Error: true}}
	}
	return nil
}

// opencode reads an event of opencode run.
func (d *Decoder) opencode(l event) []Event {
	found := []Event{{Kind: Session, Text: l.SessionID}}
	part := decode[struct {
		Text   string `json:"text"`
		Tool   string `json:"tool"`
		Reason string `json:"reason"`
		State  struct {
			Status string          `json:"status"`
			Input  json.RawMessage `json:"input"`
			Output string          `json:"output"`
			Error  string          `json:"error"`
		} `json:"state"`
		Tokens struct {
			Input  int `json:"input"`
			Output int `json:"output"`
			Cache  struct {
				Read  int `json:"read"`
				Write int `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
		Cost float64 `json:"cost"`
	}](l.Part)
	switch l.Type {
	case "text":
		return append(found, Event{Kind: Words, Text: part.Text + "\n"})
	case "tool_use":
		use := Event{Kind: Tool, Tool: part.Tool, Text: about(part.State.Input)}
		if refusal(part.State.Error) {
			use.Kind, use.Own = Refused, true
		}
		return append(found, use, Event{Kind: Result, Text: part.State.Output + part.State.Error,
			Error: part.State.Error != ""})
	case "step_finish":
		d.usage.Input += part.Tokens.Input + part.Tokens.Cache.Read + part.Tokens.Cache.Write
		d.usage.Output += part.Tokens.Output
		d.usage.Cached += part.Tokens.Cache.Read
		d.usage.Cost += part.Cost
		found = append(found, Event{Kind: Used, Usage: d.usage})
		if part.Reason == "stop" {
			found = append(found, Event{Kind: Ended})
		}
		return found
	case "error":
		return append(found, d.gaveUp(messageOf(l.Error, ""))...)
	case "step_start", "reasoning":
		return found
	}
	return append(found, Event{Kind: Unreadable, Text: "event " + strconv.Quote(l.Type)})
}

// refusal tells a tool's error that is the program's own permission rule.
func refusal(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "permission") || strings.Contains(text, "rule which prevents") ||
		strings.Contains(text, "denied by policy") || strings.Contains(text, "blocked by hook")
}

// gemini reads an event of gemini.
func (d *Decoder) gemini(l event) []Event {
	found := []Event{{Kind: Session, Text: l.Session}, {Kind: Model, Text: l.Model}}
	switch l.Type {
	case "message":
		if l.Role != "assistant" && l.Role != "model" {
			return found
		}
		text := textOf(l.Content)
		if !l.Delta {
			text += "\n"
		}
		return append(found, Event{Kind: Words, Text: text})
	case "tool_use":
		return append(found, Event{Kind: Tool, Tool: l.ToolName, Text: about(l.Params)})
	case "tool_result":
		fault, kind := "", decode[struct {
			Type string `json:"type"`
		}](l.Error).Type
		if len(l.Error) > 0 {
			fault = messageOf(l.Error, "")
		}
		// its policy, and a path outside of the workspace, of which no hook hears
		if kind == "policy_violation" || kind == "invalid_tool_params" && strings.Contains(fault, "workspace") {
			return append(found, Event{Kind: Refused, Text: fault,
				Own: !strings.HasPrefix(fault, "Tool execution blocked:")})
		}
		return append(found, Event{Kind: Result, Text: textOf(l.Output) + fault, Error: fault != ""})
	case "result":
		s := decode[struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
			Cached int `json:"cached"`
		}](l.Stats)
		d.usage = Usage{Input: s.Input, Output: s.Output, Cached: s.Cached}
		found = append(found, Event{Kind: Used, Usage: d.usage})
		if l.Status == "success" {
			return append(found, Event{Kind: Ended})
		}
		return append(found, d.gaveUp(messageOf(l.Error, l.Status))...)
	}
	return found
}
