package acp

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/fence/guard"

	"github.com/coder/acp-go-sdk"
)

// judge is what becomes of a question in JSON, as the programs ask it: "" allowed, "?" doubt, else what decided.
func judge(t *testing.T, p guard.Policy, tellings ...string) string {
	t.Helper()
	c := &call{}
	for _, text := range tellings {
		var u acp.ToolCallUpdate
		if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "WORK", p.Worktree)), &u); err != nil {
			t.Fatal(err)
		}
		c.learn(u)
	}
	asked, err := c.question(p.Worktree)
	if err != nil {
		return "?"
	}
	v, err := guard.Decide(p, asked)
	switch {
	case err != nil:
		return "?"
	case v.Allowed:
		return ""
	}
	return cmp.Or(v.Path, v.Pattern)
}

// TestQuestion holds the questions of real programs, and ones that try to look like others, to what must be answered.
func TestQuestion(t *testing.T) {
	root := t.TempDir()
	p := guard.Policy{
		Worktree: filepath.Join(root, "work"), AgentDir: filepath.Join(root, "desk"), Home: filepath.Join(root, "home"),
		Tmp:     filepath.Join(root, "tmp"),
		Allowed: []string{"src/**"}, Restricted: []string{"**/*.pem"},
	}
	for name, c := range map[string]struct {
		tellings []string
		want     string
	}{
		"opencode, a write": {[]string{
			`{"toolCallId":"c","title":"write","kind":"edit","status":"pending","locations":[],"rawInput":{}}`,
			`{"toolCallId":"c","status":"in_progress","kind":"edit","locations":[{"path":"WORK/src/a"}],"rawInput":{"content":"x","filePath":"WORK/src/a"}}`,
			`{"toolCallId":"c","kind":"edit","locations":[{"path":"WORK/src/a"}],"rawInput":{"filepath":"WORK/src/a","diff":"Index"}}`}, ""},
		"opencode, a patch of two files": {[]string{`{"toolCallId":"c","kind":"edit","rawInput":{"filepath":"src/a, secret/b","files":[{"filePath":"WORK/src/a"},{"filePath":"WORK/secret/b"}]}}`}, "secret/b"},
		"opencode, a patch that moves":   {[]string{`{"toolCallId":"c","kind":"edit","rawInput":{"files":[{"filePath":"WORK/src/a","movePath":"WORK/b"}]}}`}, "b"},
		"gemini, a write":                {[]string{`{"toolCallId":"c","kind":"edit","content":[{"type":"diff","path":"WORK/secret/a","newText":"x"}],"locations":[{"path":"WORK/secret/a"}]}`}, "secret/a"},
		"a difference elsewhere":         {[]string{`{"toolCallId":"c","kind":"edit","content":[{"type":"diff","path":"WORK/secret/a","newText":"x"}],"locations":[{"path":"WORK/src/a"}]}`}, "secret/a"},
		"a later place":                  {[]string{`{"toolCallId":"c","kind":"edit","locations":[{"path":"WORK/src/a"}]}`, `{"toolCallId":"c","locations":[{"path":"WORK/b"}]}`}, "b"},
		"a removal":                      {[]string{`{"toolCallId":"c","kind":"delete","locations":[{"path":"WORK/go.mod"}]}`}, "go.mod"},
		"a move out of the scope":        {[]string{`{"toolCallId":"c","kind":"move","rawInput":{"source":"src/a","destination":"b"}}`}, "b"},
		"a write to nowhere":             {[]string{`{"toolCallId":"c","kind":"edit"}`}, "?"},
		"a write to the home folder": {[]string{`{"toolCallId":"c","kind":"edit","locations":[{"path":"~/x"}]}`},
			"?"},
		"gemini, a command": {[]string{`{"toolCallId":"c","kind":"execute","title":"git push origin","content":[],"locations":[]}`}, "git push"},
		"a command in quotes": {[]string{"{\"toolCallId\":\"c\",\"kind\":\"execute\",\"title\":\"`git push`\"}"},
			"git push"},
		"qwen, a command":            {[]string{`{"toolCallId":"c","kind":"execute","title":"make (of the project)","rawInput":{"command":"make && git push","description":"x"}}`}, "git push"},
		"a command in words":         {[]string{`{"toolCallId":"c","kind":"execute","rawInput":{"command":["git","push"]}}`}, "git push"},
		"a command in odd words":     {[]string{`{"toolCallId":"c","kind":"execute","title":"git push","rawInput":{"command":7}}`}, "git push"},
		"a plain command":            {[]string{`{"toolCallId":"c","kind":"execute","title":"go test ./..."}`}, ""},
		"a command that is not said": {[]string{`{"toolCallId":"c","kind":"execute"}`}, "?"},
		"reading a key":              {[]string{`{"toolCallId":"c","kind":"read","locations":[{"path":"WORK/src/key.pem"}]}`}, "src/key.pem"},
		"reading":                    {[]string{`{"toolCallId":"c","kind":"read","locations":[{"path":"WORK/go.mod"}]}`}, ""},
		"reading nobody knows what":  {[]string{`{"toolCallId":"c","kind":"read"}`}, "?"},
		"searching everywhere":       {[]string{`{"toolCallId":"c","kind":"search","title":"grep"}`}, ""},
		"fetching":                   {[]string{`{"toolCallId":"c","kind":"fetch","title":"https://example.com"}`}, ""},
		"opencode, another agent":    {[]string{`{"toolCallId":"c","kind":"other","title":"task","rawInput":{"description":"x"}}`}, "task"},
		"qwen, another agent":        {[]string{`{"toolCallId":"c","kind":"other","title":"Agent: x","_meta":{"toolName":"agent"}}`}, "agent"},
		"no kind, a path":            {[]string{`{"toolCallId":"c","title":"x","locations":[{"path":"WORK/b"}]}`}, "b"},
		"no kind, a command": {[]string{`{"toolCallId":"c","title":"x","rawInput":{"cmd":"git push"}}`},
			"git push"},
		"no kind, nothing": {[]string{`{"toolCallId":"c","title":"x"}`}, "?"},
	} {
		if got := judge(t, p, c.tellings...); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// FuzzQuestion holds that no question to write, whatever it says, is allowed while one of the
// places it names is outside of the scope.
func FuzzQuestion(f *testing.F) {
	f.Add("src/a", "secret/b", "edit", "move")
	f.Add("~", "", " a", "../x")
	f.Add("src/../b", "/etc/passwd", "src/a", "\x00")
	f.Fuzz(func(t *testing.T, location, diff, input, moved string) {
		root := t.TempDir()
		p := guard.Policy{Worktree: filepath.Join(root, "work"), AgentDir: filepath.Join(root, "desk"),
			Home: filepath.Join(root, "home"), Tmp: filepath.Join(root, "tmp"), Allowed: []string{"src/**"}}
		c := &call{}
		kind := acp.ToolKindEdit
		c.learn(acp.ToolCallUpdate{
			Kind: &kind, Locations: []acp.ToolCallLocation{{Path: location}},
			Content:  []acp.ToolCallContent{acp.ToolDiffContent(diff, "x")},
			RawInput: map[string]any{"path": input, "files": []any{map[string]any{"movePath": moved}}},
		})
		asked, err := c.question(p.Worktree)
		if err != nil {
			return
		}
		v, err := guard.Decide(p, asked)
		if err != nil || !v.Allowed {
			return
		}
		for _, path := range []string{location, diff, moved} {
			if path == "" {
				continue
			}
			alone, err := guard.Decide(p, guard.Call{Tool: "edit", Dir: p.Worktree, Paths: []string{path}})
			if err != nil || !alone.Allowed {
				t.Errorf("%q is allowed among %q: %v", path, asked.Paths, err)
			}
		}
	})
}
