package dialect

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// copilot reads an event of copilot: what it is about stands in its data, and a last line without it tells how the turn
// ended. What it used up is in a file of its own alone, of which CopilotUsage knows the form.
func (d *Decoder) copilot(l event) []Event {
	if l.Type == "result" {
		return d.copilotEnd(l)
	}
	data := decode[struct {
		Model   string          `json:"model"`
		Parent  string          `json:"parentToolCallId"`
		Content string          `json:"content"`
		Tool    string          `json:"toolName"`
		Args    json.RawMessage `json:"arguments"`
		Result  struct {
			Content string `json:"content"`
		} `json:"result"`
		Success bool `json:"success"`
		Error   struct {
			Message string `json:"message"`
			Code    string `json:"code"`
		} `json:"error"`
		Message string `json:"message"`
		Status  int    `json:"statusCode"`
		Reason  string `json:"errorMessage"`
	}](l.Data)
	switch l.Type {
	case "assistant.turn_start":
		return []Event{{Kind: Session, Text: d.Given}} // there is one now, which it names in its last line alone
	case "session.tools_updated":
		return []Event{{Kind: Model, Text: data.Model}}
	case "assistant.message":
		if data.Content != "" && data.Parent == "" { // a sub-agent's words are not its own
			return []Event{{Kind: Words, Text: strings.TrimSuffix(data.Content, "\n") + "\n"}}
		}
	case "tool.execution_start":
		return []Event{{Kind: Tool, Tool: data.Tool, Text: about(data.Args)}}
	case "tool.execution_complete":
		if data.Error.Code == "denied" {
			return []Event{{Kind: Refused, Text: data.Error.Message,
				Own: !strings.HasPrefix(data.Error.Message, "Denied by preToolUse hook")}}
		}
		return []Event{{Kind: Result, Text: data.Result.Content + data.Error.Message, Error: !data.Success}}
	case "model.call_failure":
		status := strconv.Itoa(data.Status)
		text := messageOf(json.RawMessage(data.Reason), "status "+status)
		// Of a login and a model session.error tells.
		if fault := FaultOf(data.Reason + " " + status); fault != NoLogin && fault != NoModel {
			return triesAgain(text, fault, time.Time{})
		}
	case "session.error":
		d.fault = data.Message
	}
	return nil
}

// copilotEnd reads the last line.
func (d *Decoder) copilotEnd(l event) []Event {
	found, fault := []Event{{Kind: Session, Text: l.SessionID}}, d.fault
	d.fault = ""
	switch {
	case *l.ExitCode == 0:
		return append(found, Event{Kind: Ended})
	case fault == "":
		fault = "exit code " + strconv.Itoa(*l.ExitCode)
	}
	return append(found, d.gaveUp(fault)...)
}

// CopilotUsage reads the file in which copilot tells what the whole conversation used up; false if it is of another
// form.
func CopilotUsage(file []byte) (Usage, bool) {
	report := decode[struct {
		Models map[string]struct {
			Usage copilotTokens `json:"usage"`
		} `json:"modelMetrics"`
	}](file)
	sum := Usage{Whole: true}
	for _, m := range report.Models {
		sum = sum.plus(m.Usage.usage())
	}
	return sum, len(report.Models) > 0
}

// copilotTokens are what a model used up.
type copilotTokens struct {
	Input  int `json:"inputTokens"` // what came from a cache in it
	Output int `json:"outputTokens"`
	Read   int `json:"cacheReadTokens"`
}

func (t copilotTokens) usage() Usage { return Usage{Input: t.Input, Output: t.Output, Cached: t.Read} }
