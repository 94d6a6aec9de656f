//go:build bench && !windows

package agents

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	scenarioMark = regexp.MustCompile(`\[\[scenario:([\w-]+)\]\]`)
	varMark      = regexp.MustCompile(`\[\[var:(\w+)=([^\]\n]*)\]\]`)
)

// talk is what a conversation comes to, whatever its format.
type talk struct {
	model  string
	stream bool            // the answer is to come in events
	tools  map[string]bool // that are offered
	paths  map[string]bool // those of them whose file stands in "path"

	prompt   string // the newest with a marker
	scenario string
	vars     map[string]string
	results  int // of tools, since that prompt
	total    int // of tools, in all
}

// offer adds a tool; some kinds of tools have no name.
func (t *talk) offer(name string) {
	if t.tools == nil {
		t.tools = map[string]bool{}
	}
	t.tools[name] = true
}

// takes notes the field in which a tool that writes takes its file, where programs differ in it.
func (t *talk) takes(name string, input schema) {
	if _, found := input.Properties["path"]; found {
		if t.paths == nil {
			t.paths = map[string]bool{}
		}
		t.paths[name] = true
	}
}

// schema is the part of a tool's description that says which fields its input has.
type schema struct {
	Properties map[string]json.RawMessage `json:"properties"`
}

func (t *talk) names() []string { return slices.Sorted(maps.Keys(t.tools)) }

// hear takes a text of the user.
func (t *talk) hear(text string) {
	marks := scenarioMark.FindAllStringSubmatch(text, -1)
	if marks == nil {
		return
	}
	t.prompt, t.scenario, t.results = text, marks[len(marks)-1][1], 0
	t.vars = map[string]string{}
	for _, v := range varMark.FindAllStringSubmatch(text, -1) {
		t.vars[v[1]] = v[2]
	}
}

// back takes the result of a tool.
func (t *talk) back() {
	t.results++
	t.total++
}

// texts are the parts of a message: a plain string is one part.
type texts []part

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (t *texts) UnmarshalJSON(data []byte) error {
	var plain string
	if json.Unmarshal(data, &plain) == nil {
		*t = texts{{Type: "text", Text: plain}}
		return nil
	}
	var parts []part
	err := json.Unmarshal(data, &parts)
	*t = parts
	return err
}

// call is a use of a tool, in the words of the program that offers it. A tool that takes text and
// no JSON has it in free.
type call struct {
	name  string
	space string // the first part of the name, where the format has it apart
	args  object
	free  string
}

// input is the arguments as JSON.
func (c call) input() string {
	data, err := json.Marshal(c.args)
	if err != nil {
		return "{}" // strings only: it cannot happen
	}
	return string(data)
}

// call puts a step into the tools that are offered; nil if the step uses none.
func (t *talk) call(s step) *call {
	switch {
	case s.Write != "":
		file := "filePath"
		if t.paths["write"] {
			file = "path"
		}
		return t.first(
			call{name: "Write", args: object{"file_path": s.Write, "content": s.Content}},
			call{name: "write_file", args: object{"file_path": s.Write, "content": s.Content}},
			call{name: "write", args: object{file: s.Write, "content": s.Content}},
			call{name: "create", args: object{"path": s.Write, "file_text": s.Content}},
			call{name: "apply_patch", free: addFile(s.Write, s.Content)},
			t.shell("mkdir -p "+quote(path.Dir(s.Write))+" && printf %s "+quote(s.Content)+" > "+quote(s.Write)),
		)
	case s.Shell != "":
		c := t.shell(s.Shell)
		return &c
	case s.Delegate != "":
		args := func(kind string) object {
			return object{"description": "a part of the work", "prompt": s.Delegate, "subagent_type": kind}
		}
		return t.first(
			call{name: "task", args: args("general")},
			call{name: "agent", args: args("general-purpose")},
			call{name: "invoke_agent", args: object{"agent_name": "generalist", "prompt": s.Delegate}},
			call{name: "Agent", args: args("general-purpose")},
		)
	case s.Use != "":
		c := t.under(s.Use)
		c.args = s.With
		return &c
	}
	return nil
}

// under is a call of a tool of a server, SERVER/TOOL, by the name under which it is offered:
// programs put the server's in front.
// Some offer such tools only to who searches for them, and take a call all the same.
func (t *talk) under(whole string) call {
	server, name, _ := strings.Cut(whole, "/")
	for _, offered := range t.names() {
		if strings.HasSuffix(offered, "_"+name) || offered == server+"-"+name {
			return call{name: offered}
		}
	}
	space := "mcp__" + server
	return call{name: space + "__" + name, space: space}
}

func (t *talk) shell(line string) call {
	const purpose = "a command of the script"
	return *t.first(
		call{name: "Bash", args: object{"command": line, "description": purpose}},
		call{name: "run_shell_command", args: object{"command": line, "description": purpose, "is_background": false}},
		call{name: "bash", args: object{"command": line, "description": purpose}},
		call{name: "exec_command", args: object{"cmd": line}},
	)
}

// first is the first call to a tool that is offered; the last one stands in for all, as models ask
// for tools that they do not have.
func (t *talk) first(calls ...call) *call {
	for i, c := range calls {
		if t.tools[c.name] {
			return &calls[i]
		}
	}
	return &calls[len(calls)-1]
}

func addFile(name, content string) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n*** Add File: " + name + "\n")
	for line := range strings.Lines(content) {
		b.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}

// quote makes one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
