package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"delegate/internal/sys/run"
	"delegate/internal/turn/program"
)

// kind is what a tool does, as far as it matters here.
type kind int

const (
	harmless kind = iota // or not known
	startsAgent
	writesFile
	patchesFiles
	runsShell
	readsFile
	looksAround // reads what lies below a folder, the worktree if none is named
	asksPerson
)

// kindOf knows the tools of all the programs by name; no two mean different things by one name.
func kindOf(tool string) kind {
	for _, p := range program.All() {
		for does, names := range [...][]string{startsAgent: p.Tools.Start, writesFile: p.Tools.Write,
			patchesFiles: p.Tools.Patch, runsShell: p.Tools.Shell, readsFile: p.Tools.Read, looksAround: p.Tools.Look,
			asksPerson: p.Tools.Ask} {
			if slices.Contains(names, tool) {
				return kind(does)
			}
		}
	}
	return harmless
}

// patched lists the paths that a patch in codex's format writes, deletes or moves to.
// Content has "+", "-" or a blank before it, so a line that begins with stars is part of the
// format, and must be a known one.
func patched(patch string) ([]string, error) {
	var paths []string
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, " \t\r\n")
		path, names := fileLine(strings.TrimSpace(line))
		switch {
		case names:
			if err := checkPath(path); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		case slices.Contains([]string{"*** Begin Patch", "*** End Patch", "*** End of File"}, line),
			strings.HasPrefix(line, "*** Environment ID:"):
		case strings.HasPrefix(line, "***"):
			return nil, fmt.Errorf("the patch has the line %q", line)
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("the patch names no file")
	}
	return paths, nil
}

func fileLine(line string) (path string, names bool) {
	for _, word := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
		if path, names = strings.CutPrefix(line, word); names {
			return strings.TrimPrefix(path, " "), true
		}
	}
	return "", false
}

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

// Call is one use of a tool that a program asks about.
type Call struct {
	Tool    string
	Dir     string   // the program's working folder, absolute
	Paths   []string // what a file tool or a patch writes, as given; relative ones begin at Dir
	Reads   []string // what a reading tool reads, as Paths
	Command string   // what a shell tool runs, as shell text
	// Question and Choices are what a tool for asking asks the person, "" and none of any other.
	Question string
	Choices  []string
}

// Parse reads the payload of a pre-tool hook. A dialect is the name of a program that has one.
// A shape that is not known for a tool that is known is an error, as is a path that programs read
// differently than it is written.
func Parse(dialect string, payload []byte) (Call, error) {
	c, err := parse(dialect, payload)
	if err != nil {
		return c, fmt.Errorf("read %q payload: %w", dialect, err)
	}
	return c, nil
}

func parse(dialect string, payload []byte) (Call, error) {
	hook := hookOf(dialect)
	if hook == nil {
		return Call{}, errors.New("the dialect is not known")
	}
	if !utf8.Valid(payload) {
		return Call{}, errors.New("it is not UTF-8")
	}
	var all object
	if err := json.Unmarshal(payload, &all); err != nil {
		return Call{}, err
	}
	got, err := all.text("hook_event_name")
	if err != nil || got != hook.Event {
		return Call{}, errors.Join(err, fmt.Errorf("the event is %q, not %q", got, hook.Event))
	}
	tool, err := all.text("tool_name")
	if err != nil || tool == "" {
		return Call{}, errors.Join(err, errors.New("it names no tool"))
	}
	c := Call{Tool: tool}
	if c.Dir, err = all.text("cwd"); err != nil || !filepath.IsAbs(c.Dir) {
		return c, errors.Join(err, fmt.Errorf("the working folder %q is not absolute", c.Dir))
	}
	if err := c.parseInput(all["tool_input"]); err != nil {
		return c, fmt.Errorf("%s: %w", tool, err)
	}
	return c, nil
}

// hookOf is how the program of a dialect calls the hook; nil for one that is not known.
func hookOf(dialect string) *program.Hook {
	p, _ := program.Named(dialect)
	return p.Hook
}

// Refusal is what a hook prints to refuse a call in a dialect that Parse knows.
func Refusal(dialect, reason string) ([]byte, error) {
	hook := hookOf(dialect)
	if hook == nil {
		return nil, fmt.Errorf("refuse in dialect %q: it is not known", dialect)
	}
	return json.Marshal(hook.Refuse(hook.Event, reason))
}

// parseInput takes from a tool's input what its kind needs.
func (c *Call) parseInput(raw json.RawMessage) error {
	does := kindOf(c.Tool)
	if does == harmless || does == startsAgent {
		return nil
	}
	var patch string
	if (does == writesFile || does == patchesFiles) && json.Unmarshal(raw, &patch) == nil {
		var err error
		c.Paths, err = patched(patch) // copilot's with models that were taught to write patches
		return err
	}
	var input object
	err := json.Unmarshal(raw, &input)
	if err != nil {
		return fmt.Errorf("its input: %w", err)
	}
	switch does {
	case writesFile:
		c.Paths, err = input.paths("file_path", "notebook_path", "path", "absolute_path")
	case patchesFiles:
		if patch, err = input.only("command", "input"); err == nil {
			c.Paths, err = patched(patch)
		}
	case readsFile:
		c.Reads, err = input.paths("file_path", "notebook_path", "path", "absolute_path")
	case looksAround:
		c.Reads, err = input.paths("path", "dir_path", "include", "paths")
		if errors.Is(err, errMissing) {
			err = nil
		}
	case runsShell:
		c.Command, err = input.only("command", "cmd")
	case asksPerson:
		return c.parseQuestions(raw)
	}
	return err
}

// parseQuestions takes the questions of a tool for asking, which all programs but copilot write in one form, for
// several. Several are one text.
func (c *Call) parseQuestions(raw json.RawMessage) error {
	var input struct {
		Questions []struct {
			Question string
			Options  []struct{ Label string }
		}
		Question string // copilot
		Choices  []string
	}
	if err := json.Unmarshal(raw, &input); err != nil {
		return fmt.Errorf("its input: %w", err)
	}
	c.Question, c.Choices = input.Question, input.Choices
	for _, q := range input.Questions {
		c.Question = strings.TrimSpace(c.Question + " " + q.Question)
		for _, o := range q.Options {
			c.Choices = append(c.Choices, o.Label)
		}
	}
	if c.Question == "" {
		return errMissing
	}
	return nil
}

// errMissing is an input without any of the fields that its tool needs.
var errMissing = errors.New("it has none of the fields that are known")

// object is a JSON object by the exact names of its fields; encoding/json's own matching ignores case, programs do not.
type object map[string]json.RawMessage

// only is the one field there is of these names: text, or a list of words as shell text.
func (o object) only(names ...string) (string, error) {
	name := ""
	for _, n := range names {
		if _, found := o[n]; found && name != "" {
			return "", fmt.Errorf("it has both %q and %q", name, n)
		} else if found {
			name = n
		}
	}
	if name == "" {
		return "", errMissing
	}
	words, err := o.texts(name)
	if err != nil || !o.isList(name) {
		return strings.Join(words, " "), err
	}
	for i, w := range words {
		words[i] = run.Quote(w)
	}
	return strings.Join(words, " "), nil
}

func (o object) isList(name string) bool { return bytes.HasPrefix(o[name], []byte("[")) }

// text is a field that is text; "" if there is none.
func (o object) text(name string) (string, error) {
	raw, found := o[name]
	if !found {
		return "", nil
	}
	var value string
	if err := json.Unmarshal(raw, &value); err != nil {
		return "", fmt.Errorf("field %q: %w", name, err)
	}
	return value, nil
}

// texts are all the fields of these names, each text or a list of texts; errMissing if that is nothing.
func (o object) texts(names ...string) ([]string, error) {
	var all []string
	for _, name := range names {
		raw, found := o[name]
		if !found || string(raw) == "null" {
			continue
		}
		if o.isList(name) {
			var list []string
			if err := json.Unmarshal(raw, &list); err != nil {
				return nil, fmt.Errorf("field %q: %w", name, err)
			}
			all = append(all, list...)
			continue
		}
		value, err := o.text(name)
		if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
	if len(all) == 0 {
		return nil, errMissing
	}
	return all, nil
}

// paths are texts that mean one path each to every program.
func (o object) paths(names ...string) ([]string, error) {
	all, err := o.texts(names...)
	if err != nil {
		return nil, err
	}
	for _, path := range all {
		if err := checkPath(path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// checkPath refuses what programs rewrite before they use it: they cut blanks off and put the home folder for "~".
func checkPath(path string) error {
	isBlank := func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }
	switch {
	case path == "":
		return errors.New("a path is empty")
	case strings.TrimFunc(path, isBlank) != path:
		return fmt.Errorf("path %q begins or ends with a blank", path)
	case path == "~" || strings.HasPrefix(path, "~/"):
		return fmt.Errorf("path %q begins with ~; write it out", path)
	}
	return nil
}
