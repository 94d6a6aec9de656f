package dialect

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"delegate/internal/text/lazyregexp"
)

// claude reads an event of claude or qwen.
func (d *Decoder) claude(l event, line []byte) []Event {
	found := []Event{{Kind: Session, Text: l.Session}}
	switch l.Type {
	case "system":
		found = append(found, Event{Kind: Model, Text: l.Model})
		return append(found, d.claudeSystem(l, line)...)
	case "assistant", "user":
		return append(found, d.claudeMessage(l, line)...)
	case "result":
		return append(found, d.claudeEnd(line)...)
	case "rate_limit_event":
		return append(found, claudeLimit(line)...)
	case "stream_event", "control_response", "control_request", "tool_progress", "keep_alive":
		return found
	}
	return append(found, Event{Kind: Unreadable, Text: "event " + strconv.Quote(l.Type)})
}

// claudeSystem tells a pause that the provider asked for.
func (d *Decoder) claudeSystem(l event, line []byte) []Event {
	if l.Subtype != "api_retry" {
		return nil
	}
	retry := decode[struct {
		Attempt int             `json:"attempt"`
		Delay   float64         `json:"retry_delay_ms"`
		Status  int             `json:"error_status"`
		Error   json.RawMessage `json:"error"`
	}](line)
	text := messageOf(retry.Error, "status "+strconv.Itoa(retry.Status))
	fault := FaultOf(text + " " + strconv.Itoa(retry.Status))
	switch retry.Status {
	case 429, 529: // it says which of the two its servers have
		fault = ProviderLimit
	case 0:
		fault = Passing // no answer came
	}
	if fault == NoLogin && retry.Attempt < 2 {
		return nil // it may have a newer login at hand
	}
	return triesAgain(text, fault, d.now().Add(time.Duration(retry.Delay)*time.Millisecond))
}

// claudeMessage reads what the agent said, which tools it calls and what they answered. A sub-agent's words are not its
// own.
func (d *Decoder) claudeMessage(l event, line []byte) []Event {
	m := decode[struct {
		Parent  *string `json:"parent_tool_use_id"`
		Message struct {
			ID      string          `json:"id"`
			Usage   claudeUsage     `json:"usage"`
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}](line)
	var found []Event
	if l.Type == "assistant" && m.Message.Usage != (claudeUsage{}) {
		found = append(found, d.answered(m.Message.ID, m.Message.Usage.usage()))
	}
	for _, part := range decode[[]struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Name    string          `json:"name"`
		Input   json.RawMessage `json:"input"`
		Content json.RawMessage `json:"content"`
		Error   bool            `json:"is_error"`
	}](m.Message.Content) {
		switch own := l.Type == "assistant"; {
		case own && part.Type == "text" && m.Parent == nil && part.Text != "":
			d.said = part.Text
			found = append(found, Event{Kind: Words, Text: part.Text + "\n"})
		case own && part.Type == "tool_use":
			found = append(found, Event{Kind: Tool, Tool: part.Name, Text: about(part.Input)})
		case !own && part.Type == "tool_result":
			found = append(found, Event{Kind: Result, Text: textOf(part.Content), Error: part.Error})
		}
	}
	return found
}

// claudeEnd reads the result: the last words unless they were said before, what was used and refused, and how it ended.
func (d *Decoder) claudeEnd(line []byte) []Event {
	end := decode[struct {
		Subtype string   `json:"subtype"`
		IsError bool     `json:"is_error"`
		Result  string   `json:"result"`
		Errors  []string `json:"errors"`
		Error   json.RawMessage
		Cost    float64     `json:"total_cost_usd"`
		Usage   claudeUsage `json:"usage"`
		Denials []struct {
			Tool  string          `json:"tool_name"`
			Input json.RawMessage `json:"tool_input"`
		} `json:"permission_denials"`
	}](line)
	var found []Event
	failed := end.IsError || end.Subtype != "success" || strings.HasPrefix(end.Result, "[API Error:")
	if end.Result != "" && end.Result != d.said && !failed {
		d.said = end.Result
		found = append(found, Event{Kind: Words, Text: end.Result + "\n"})
	}
	used, answers := end.Usage.usage(), d.answers()
	if used.Input+used.Output == 0 { // as at the end of a budget
		used = answers
	}
	d.usage, d.asked = d.usage.plus(used), nil
	d.usage.Cost = max(d.usage.Cost, end.Cost)
	found = append(found, Event{Kind: Used, Usage: d.usage})
	for _, denied := range end.Denials {
		found = append(found, Event{Kind: Refused, Tool: denied.Tool, Text: about(denied.Input)})
	}
	if !failed {
		return append(found, Event{Kind: Ended})
	}
	if end.Subtype == "error_max_budget_usd" {
		return append(found, Event{Kind: Failed, Text: BudgetUsedUp})
	}
	reason := cmp.Or(append(append([]string{end.Result}, end.Errors...), messageOf(end.Error, end.Subtype))...)
	if until, ok := usageLimit(reason); ok {
		return append(found, Event{Kind: Limited, Text: reason, Fault: ProviderLimit, Until: until},
			Event{Kind: Failed, Text: reason, Fault: ProviderLimit})
	}
	return append(found, d.gaveUp(strings.TrimSuffix(reason, " Run --model to pick a different model."))...)
}

// claudeUsage is what claude tells with each answer of its model, and of all together in the end.
type claudeUsage struct {
	Input   int `json:"input_tokens"`
	Output  int `json:"output_tokens"`
	Created int `json:"cache_creation_input_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Total   int `json:"total_tokens"` // of qwen, whose input has what came from a cache in it
}

func (u claudeUsage) usage() Usage {
	if u.Total > 0 && u.Total == u.Input+u.Output {
		return Usage{Input: u.Input, Output: u.Output, Cached: u.Read}
	}
	return Usage{Input: u.Input + u.Created + u.Read, Output: u.Output, Cached: u.Read}
}

// answered takes in what one answer used up, which is told with each of its parts.
func (d *Decoder) answered(id string, used Usage) Event {
	if d.asked == nil {
		d.asked = map[string]Usage{}
	}
	d.asked[id] = used
	return Event{Kind: Used, Usage: d.usage.plus(d.answers())}
}

// answers is the sum of the answers since the last result.
func (d *Decoder) answers() (sum Usage) {
	for _, each := range d.asked {
		sum = sum.plus(each)
	}
	return sum
}

// plus adds the tokens of another part.
func (u Usage) plus(more Usage) Usage {
	u.Input, u.Output, u.Cached = u.Input+more.Input, u.Output+more.Output, u.Cached+more.Cached
	return u
}

// resetTime is the end of a subscription's limit as claude prints it: behind a bar, in seconds since 1970.
var resetTime = lazyregexp.New(`limit reached\|(\d{9,11})\b`)

func usageLimit(reason string) (time.Time, bool) {
	m := resetTime.FindStringSubmatch(reason)
	if m == nil {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(m[1], 10, 64)
	return time.Unix(seconds, 0), err == nil
}

// claudeLimit reads the program's own report on the subscription's limit; only a limit that holds is told.
func claudeLimit(line []byte) []Event {
	l := decode[struct {
		Info struct {
			Status string `json:"status"`
			Resets int64  `json:"resetsAt"`
			Kind   string `json:"rateLimitType"`
		} `json:"rate_limit_info"`
	}](line)
	if l.Info.Status != "rejected" {
		return nil
	}
	e := Event{Kind: Limited, Text: "limit " + l.Info.Kind, Fault: ProviderLimit}
	if l.Info.Resets > 0 {
		e.Until = time.Unix(l.Info.Resets, 0)
	}
	return []Event{e}
}
