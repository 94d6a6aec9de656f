package guard

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// Probe is a payload in a dialect that the policy must refuse: a file written beside the worktree.
// Whoever starts an agent asks it of the hook first, as the program will.
func Probe(dialect string, p Policy) ([]byte, error) {
	hook := hookOf(dialect)
	if hook == nil {
		return nil, fmt.Errorf("probe in dialect %q: it is not known", dialect)
	}
	outside := filepath.Join(filepath.Dir(p.Worktree), "outside-of-every-scope")
	return json.Marshal(map[string]any{
		"hook_event_name": hook.Event, "tool_name": hook.Write, "cwd": p.Worktree,
		"tool_input": map[string]any{"file_path": outside, "content": ""},
	})
}
