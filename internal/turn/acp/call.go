package acp

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"delegate/internal/fence/guard"
	"delegate/internal/text/shorten"

	"github.com/coder/acp-go-sdk"
)

// call is what is known of one use of a tool. Programs tell it in pieces.
type call struct {
	kind     acp.ToolKind
	name     string // the program's own name of the tool, "" if it does not say
	title    string
	input    map[string]any
	paths    []string // that it is about
	diffs    []string // paths that it would change
	said     string   // what it answered
	reported bool
}

// longestAnswer is how much of a tool's answer is told, in bytes.
const longestAnswer = 64 << 10

func (c *call) learn(u acp.ToolCallUpdate) {
	if kind := value(u.Kind); kind != "" {
		c.kind = kind
	}
	if title := value(u.Title); title != "" {
		c.title = title
	}
	if name, ok := u.Meta["toolName"].(string); ok {
		c.name = name
	}
	if input, ok := u.RawInput.(map[string]any); ok && len(input) > 0 {
		c.input = input
	}
	if len(u.Locations) > 0 {
		c.paths = nil
	}
	for _, l := range u.Locations {
		c.paths = append(c.paths, l.Path)
	}
	if len(u.Content) > 0 {
		c.learnContent(u.Content)
	}
}

// learnContent takes the paths of differences and the texts that are for a reader, in place of earlier ones.
func (c *call) learnContent(content []acp.ToolCallContent) {
	c.diffs = nil
	var text strings.Builder
	for _, part := range content {
		switch {
		case part.Diff != nil:
			c.diffs = append(c.diffs, part.Diff.Path)
		case part.Content != nil && part.Content.Content.Text != nil:
			text.WriteString(part.Content.Content.Text.Text)
		}
	}
	c.said = shorten.Prefix(text.String(), longestAnswer)
}

// line is the call for a reader: the command, or the title and the paths that it does not name.
func (c *call) line() string {
	if command := c.command(); command != "" {
		return command
	}
	words := []string{cmp.Or(c.title, c.name, string(c.kind))}
	for _, path := range c.about() {
		if !strings.Contains(c.title, path) {
			words = append(words, path)
		}
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// about are the paths of the call, from everything that says one.
func (c *call) about() []string {
	all := slices.Concat(c.paths, c.diffs)
	files, _ := c.input["files"].([]any)
	for _, f := range files {
		if file, ok := f.(map[string]any); ok {
			all = append(all, texts(file, "filePath", "movePath", "path")...)
		}
	}
	if len(files) == 0 { // else these are the list once more, in one text
		all = append(all, texts(c.input, "file_path", "filePath", "filepath", "path", "absolute_path", "notebook_path",
			"source", "destination")...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// command is the command line that the input holds, "" if it holds none.
func (c *call) command() string {
	for _, name := range []string{"command", "cmd"} {
		switch value := c.input[name].(type) {
		case string:
			return value
		case []any:
			words := make([]string, 0, len(value))
			for _, w := range value {
				text, _ := w.(string)
				words = append(words, "'"+strings.ReplaceAll(text, "'", `'\''`)+"'")
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

// texts are the fields of these names that are texts.
func texts(from map[string]any, names ...string) []string {
	var all []string
	for _, name := range names {
		if text, ok := from[name].(string); ok && text != "" {
			all = append(all, text)
		}
	}
	return all
}

// question is the call as guard judges it, for a program that works in dir. An error means doubt.
// It goes through guard's own reading of a payload, so that one place says which paths mean one thing to every program.
func (c *call) question(dir string) (guard.Call, error) {
	tool, input := c.toolOf()
	if tool == "" {
		return guard.Call{Tool: c.title}, errors.New("the program does not say what the tool is about")
	}
	payload, err := json.Marshal(object{"hook_event_name": "PreToolUse", "cwd": dir, "tool_name": tool,
		"tool_input": input})
	if err != nil {
		return guard.Call{Tool: tool}, err
	}
	return guard.Parse("claude", payload)
}

// toolOf is the tool that guard knows for what this one does, and its input. What neither writes,
// runs nor reads goes by the name it has.
func (c *call) toolOf() (tool string, input object) {
	switch c.kind {
	case acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove:
		return "edit", object{"path": c.about()}
	case acp.ToolKindExecute:
		if command := c.shell(); command != "" {
			return "shell", object{"command": command}
		}
		return "", nil
	case acp.ToolKindRead:
		return "read_file", object{"path": c.about()}
	case acp.ToolKindSearch:
		return "grep_search", object{"path": c.about()}
	case "": // a program need not say; writing is what is judged most strictly
		switch {
		case len(c.about()) > 0:
			return "edit", object{"path": c.about()}
		case c.command() != "":
			return "shell", object{"command": c.command()}
		}
		return "", nil
	}
	for _, name := range []string{c.name, c.title, string(c.kind)} {
		if name != "" {
			return name, c.input
		}
	}
	return "", nil
}

// shell is the command line of a call that runs one: its input's, else the title, as programs show it.
func (c *call) shell() string {
	if command := c.command(); command != "" {
		return command
	}
	return strings.Trim(c.title, "`")
}
