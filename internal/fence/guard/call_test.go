package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// recorded are payloads as the programs send them, one a line; their worktree is /root-folder/tree/work.
func recorded(t testing.TB, dialect string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "payloads", dialect+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// TestRecordedPayloads has each program do the same: write, write what is forbidden, use the shell,
// write outside, commit, push, delegate. codex was not offered a tool to delegate with, and gemini
// refused the path outside before it asked.
func TestRecordedPayloads(t *testing.T) {
	g := newGround(t)
	g.policy.Forbidden = []string{"secret/**"}
	for dialect, want := range map[string]string{
		"claude":  "allowed;secret/**;allowed;outside;allowed;git push;Agent",
		"codex":   "allowed;secret/**;allowed;outside;allowed;git push",
		"gemini":  "allowed;secret/**;allowed;allowed;git push;invoke_agent",
		"qwen":    "allowed;secret/**;allowed;outside;allowed;git push;agent",
		"copilot": "allowed;secret/**;allowed;outside;allowed;git push;Agent",
		"pi":      "allowed;secret/**;allowed;outside;allowed;git push;Agent",
	} {
		var got []string
		for _, line := range recorded(t, dialect) {
			c, err := Parse(dialect, []byte(strings.ReplaceAll(line, "/root-folder", g.root)))
			if err != nil {
				t.Fatal(err)
			}
			switch v := decided(t, g.policy, c); {
			case v.Allowed:
				got = append(got, "allowed")
			case v.Path == filepath.Join(g.root, "outside", "away.txt"):
				got = append(got, "outside")
			default:
				got = append(got, v.Pattern)
			}
		}
		if argv := strings.Join(got, ";"); argv != want {
			t.Errorf("%s: %s, want %s", dialect, argv, want)
		}
	}
}

// payload is what claude sends about a tool with an input.
func payload(tool, input string) string {
	return fmt.Sprintf(`{"cwd":"/w","hook_event_name":"PreToolUse","tool_name":%q,"tool_input":%s,"tool_use_id":"x"}`,
		tool, input)
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Call{
		payload("Write", `{"file_path":"/w/a","content":"x"}`):                     {Paths: []string{"/w/a"}},
		payload("NotebookEdit", `{"notebook_path":"a.ipynb"}`):                     {Paths: []string{"a.ipynb"}},
		payload("edit", `{"file_path":"a","path":"b"}`):                            {Paths: []string{"a", "b"}},
		payload("Write", `{"file_path":"/w/a","FILE_PATH":"/w/b"}`):                {Paths: []string{"/w/a"}},
		payload("Read", `{"file_path":"a"}`):                                       {Reads: []string{"a"}},
		payload("read_many_files", `{"include":["a","b/*.go"]}`):                   {Reads: []string{"a", "b/*.go"}},
		payload("Grep", `{"pattern":"x"}`):                                         {},
		payload("Grep", `{"pattern":"x","path":"src"}`):                            {Reads: []string{"src"}},
		payload("Bash", `{"command":"ls -l","timeout":5}`):                         {Command: "ls -l"},
		payload("shell", `{"command":["bash","-lc","git push 'x'"]}`):              {Command: `'bash' '-lc' 'git push '\''x'\'''`},
		payload("exec_command", `{"cmd":"ls"}`):                                    {Command: "ls"},
		payload("Edit", `"*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\n"`): {Paths: []string{"b"}},
		payload("Agent", `5`):                                                      {},
		payload("mcp__x__y", `"anything"`):                                         {},
		payload("apply_patch", patchOf("*** Add File: a b",
			"+x")): {Paths: []string{"a b"}},
		payload("apply_patch", patchOf("*** Update File: a", "*** Move to: b",
			"@@")): {Paths: []string{"a", "b"}},
		payload("apply_patch", patchOf("*** Delete File: /w/a\r",
			"*** Add File: b")): {Paths: []string{"/w/a", "b"}},
		payload("apply_patch", patchOf("  *** Update File: a", " x",
			"*** End of File")): {Paths: []string{"a"}},
		payload("apply_patch", patchOf("*** Add File: a", "+*** Something: b",
			"-***")): {Paths: []string{"a"}},
		payload("apply_patch", strings.Replace(patchOf("*** Add File: a"), "command", "input",
			1)): {Paths: []string{"a"}},
	} {
		got, err := Parse("claude", []byte(text))
		want.Tool, want.Dir = got.Tool, "/w"
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nis %+v, %v; want %+v", text, got, err, want)
		}
	}
}

// patchOf is the input of a tool that takes a patch.
func patchOf(lines ...string) string {
	text := strings.Join(slices.Concat([]string{"*** Begin Patch"}, lines, []string{"*** End Patch"}), "\n")
	data, err := json.Marshal(map[string]string{"command": text})
	if err != nil {
		panic(err) // of text
	}
	return string(data)
}

func TestUnknownShapes(t *testing.T) {
	good := payload("Write", `{"file_path":"a"}`)
	if _, err := Parse("qwen", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "null", "[]", "{}", "{", good + good, good + "x", good[:len(good)-1],
		strings.Replace(good, "/w", "/w\xff", 1),
		strings.Replace(good, "PreToolUse", "PostToolUse", 1), strings.Replace(good, "PreToolUse", "BeforeTool", 1),
		strings.Replace(good, `"PreToolUse"`, "3", 1),
		strings.Replace(good, "hook_event_name", "Hook_Event_Name", 1),
		strings.Replace(good, `"/w"`, `"w"`, 1), strings.Replace(good, "cwd", "dir", 1),
		strings.Replace(good, `"/w"`, "[]", 1),
		strings.Replace(good, `"Write"`, `""`, 1), strings.Replace(good, `"Write"`, "null", 1),
		strings.Replace(good, "tool_name", "tool", 1), strings.Replace(good, "tool_input", "input", 1),
		payload("Write", `null`), payload("Write", `"a"`), payload("Write", `{}`), payload("Write", `{"file":"a"}`),
		payload("Write", `{"file_path":null}`), payload("Write", `{"FILE_PATH":"a"}`),
		payload("Write", `{"file_path":3}`), payload("Write", `{"file_path":{}}`), payload("Write", `{"file_path":[]}`),
		payload("Write", `{"file_path":[3]}`), payload("Write", `{"file_path":""}`),
		payload("Write", `{"file_path":"a","path":3}`), payload("Write", `{"file_path":" /a"}`),
		payload("Write", `{"file_path":"a\n"}`), payload("Write", `{"file_path":"\ufeffa"}`),
		payload("Write", `{"file_path":"~/a"}`), payload("Write", `{"file_path":"~"}`),
		payload("Read", `{}`), payload("Grep", `{"path":3}`), payload("Grep", `{"path":"~/a"}`),
		payload("Bash", `{}`), payload("Bash", `{"":"ls"}`), payload("Bash", `{"command":3}`),
		payload("Bash", `{"command":"ls","cmd":"git push"}`), payload("Bash", `{"command":[]}`),
		payload("apply_patch", `{}`), payload("apply_patch", `{"command":""}`), payload("apply_patch", patchOf()),
		payload("apply_patch", patchOf("*** Add File: a", "*** Copy File: b")),
		payload("apply_patch", patchOf("*** Add File:")), payload("apply_patch", patchOf("*** Add File:  a")),
		payload("apply_patch", patchOf("*** Add File: a", "*** Update File: ~/b")),
	} {
		if c, err := Parse("claude", []byte(text)); err == nil {
			t.Errorf("%s\nis %+v", text, c)
		}
	}
	for _, dialect := range []string{"", "Claude", "opencode"} {
		if c, err := Parse(dialect, []byte(good)); err == nil {
			t.Errorf("dialect %q: %+v", dialect, c)
		}
		if answer, err := Refusal(dialect, "no"); err == nil {
			t.Errorf("dialect %q: %s", dialect, answer)
		}
	}
}

func TestRefusal(t *testing.T) {
	const reason = "\"a\" is <b>\nü"
	for _, dialect := range []string{"claude", "codex", "qwen", "gemini"} {
		data, err := Refusal(dialect, reason)
		var answer struct {
			Decision, Reason   string
			HookSpecificOutput struct{ HookEventName, PermissionDecision, PermissionDecisionReason string }
		}
		if err != nil || bytes.Contains(data, []byte("\n")) || json.Unmarshal(data, &answer) != nil {
			t.Fatalf("%s: %s, %v", dialect, data, err)
		}
		said := answer.HookSpecificOutput
		if dialect == "gemini" {
			if answer.Decision != "deny" || answer.Reason != reason {
				t.Errorf("%s: %s", dialect, data)
			}
		} else if said.HookEventName != "PreToolUse" || said.PermissionDecision != "deny" ||
			said.PermissionDecisionReason != reason {
			t.Errorf("%s: %s", dialect, data)
		}
	}
}

// TestQuestions holds that a question with its choices is read in both forms.
func TestQuestions(t *testing.T) {
	for dialect, input := range map[string]string{
		"copilot": `{"question":"Which form?","choices":["plain","JSON"]}`,
		"gemini":  `{"questions":[{"question":"Which form?","options":[{"label":"plain"},{"label":"JSON"}]}]}`,
	} {
		call, err := Parse(dialect, []byte(strings.Replace(payload("ask_user", input), "PreToolUse",
			hookOf(dialect).Event, 1)))
		if err != nil || call.Question != "Which form?" || len(call.Choices) != 2 {
			t.Errorf("%s: %+v, %v", dialect, call, err)
		}
	}
}
