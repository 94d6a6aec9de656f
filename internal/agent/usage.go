package agent

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// Usage is what a program reports to have used up in one turn so far.
type Usage struct {
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"`
}

// Tokens are all tokens of the turn.
func (u Usage) Tokens() int { return u.InputTokens + u.OutputTokens }

// UsageFile is the file on an agent's desk in which a program, or a wrapper around it, reports its usage.
func UsageFile(desk string) string { return filepath.Join(desk, "usage.json") }

// ReadUsage reads a report; the zero Usage if there is none that makes sense.
func ReadUsage(path string) Usage {
	const largest, most = 64 << 10, 1 << 40
	file, err := os.Open(path)
	if err != nil {
		return Usage{}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return Usage{}
	}
	data, err := io.ReadAll(io.LimitReader(file, largest))
	var u Usage
	if err != nil || json.Unmarshal(data, &u) != nil {
		return Usage{}
	}
	sane := u.InputTokens >= 0 && u.OutputTokens >= 0 && u.InputTokens < most && u.OutputTokens < most && u.CostUSD >= 0 && u.CostUSD < most
	if !sane {
		return Usage{}
	}
	return u
}
