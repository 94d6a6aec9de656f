package guard

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// Probe is a payload in a dialect that the policy must refuse: a file written beside the worktree.
// Whoever starts an agent asks it of the hook first, as the program will.
func Probe(dialect string, p Policy) ([]byte, error) {
	event := eventOf(dialect)
	if event == "" {
		return nil, fmt.Errorf("probe in dialect %q: it is not known", dialect)
	}
	tool := "Write"
	if dialect == "gemini" || dialect == "qwen" {
		tool = "write_file"
	}
	outside := filepath.Join(filepath.Dir(p.Worktree), "outside-of-every-scope")
	return json.Marshal(map[string]any{
		"hook_event_name": event, "tool_name": tool, "cwd": p.Worktree,
		"tool_input": map[string]any{"file_path": outside, "content": ""},
	})
}
