package completion

import (
	"strings"
	"testing"

	"delegate/registry"
)

const progress = `# Progress
**Active Task**: Limits
**Progress**: 10%
**Last Updated**: 2025-12-31

## I. Active Task
### Limits
- [ ] Limiter core
  - [ ] Limiter docs
- [x] Design
-  [ ] Limiter core
text - [ ] Limiter core

## II. Recent Updates

- 2025-12-31: began

## V. Known Issues & Blockers
- [ ] Limiter core of another kind
no line break at the end`

func landedAgents() []registry.Agent {
	return []registry.Agent{{Subtask: "Limiter core"}, {Subtask: "Write about it", Task: "Limiter docs"},
		{Subtask: "Design", Task: "other"}}
}

func TestProgressText(t *testing.T) {
	const id = "DEL-20260102-150405"
	want := strings.NewReplacer(
		"**Progress**: 10%", "**Progress**: 100%", "2025-12-31\n\n## I", "2026-01-02\n\n## I",
		"\n- [ ] Limiter core\n", "\n- [x] Limiter core\n", "  - [ ] Limiter docs", "  - [x] Limiter docs",
		"- 2025-12-31: began", "- 2026-01-02: landed Limiter core; Write about it; Design ("+id+
			")\n- 2025-12-31: began",
	).Replace(progress)
	got := progressText(progress, landedAgents(), id, "2026-01-02")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := progressText(got, landedAgents(), id, "2026-01-03"); again != got {
		t.Errorf("a second time:\n%s", again)
	}
	windows := strings.ReplaceAll(progress, "\n", "\r\n")
	if got := progressText(windows, landedAgents(), id, "2026-01-02"); got != strings.ReplaceAll(want, "\n", "\r\n") {
		t.Errorf("with CRLF:\n%q", got)
	}
}

func TestProgressTextInventsNothing(t *testing.T) {
	const id = "DEL-20260102-150405"
	bullet := "- 2026-01-02: landed Limiter core; Write about it; Design (" + id + ")"
	for text, want := range map[string]string{
		"": "", "nothing of the form\n": "nothing of the form\n",
		"**Progress**: 10%\n": "**Progress**: 10%\n", // nothing was ticked
		// ends without a line break as before
		"## II. Recent Updates":   "## II. Recent Updates\n" + bullet,
		"## II. Recent Updates\n": "## II. Recent Updates\n" + bullet + "\n",
		"## II. Recent Updates\n\n## IV. Completed Tasks": "## II. Recent Updates\n\n" + bullet +
			"\n\n## IV. Completed Tasks",
		"**Last Updated**: x": "**Last Updated**: 2026-01-02",
	} {
		if got := progressText(text, landedAgents(), id, "2026-01-02"); got != want {
			t.Errorf("of %q\n got %q\nwant %q", text, got, want)
		}
	}
}
