package agentdir

import "encoding/json"

// Usage is what a program reports to have used up in one turn so far.
type Usage struct {
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"`
}

// Tokens are all tokens of the turn.
func (u Usage) Tokens() int { return u.InputTokens + u.OutputTokens }

// UsageName is the file in which a program, or a wrapper around it, reports its usage.
const UsageName = "usage.json"

// ParseUsage reads a report; the zero Usage if it makes no sense.
func ParseUsage(data []byte) Usage {
	const most = 1 << 40
	var u Usage
	if json.Unmarshal(data, &u) != nil {
		return Usage{}
	}
	sane := u.InputTokens >= 0 && u.OutputTokens >= 0 && u.InputTokens < most && u.OutputTokens < most &&
		u.CostUSD >= 0 && u.CostUSD < most
	if !sane {
		return Usage{}
	}
	return u
}

// Usage is what the program reports now.
func (d Dir) Usage() Usage {
	data, err := d.Read(UsageName, 64<<10)
	if err != nil {
		return Usage{}
	}
	return ParseUsage(data)
}
