//go:build !windows

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// formatsVariable names docs/formats.md for the program `documented`.
const formatsVariable = "FORMATS"

// shared is the key by which an example takes in another one: `"…": "the agent object"`, `"…": "delegate status --json"`.
const shared = "…"

// examples are the JSON examples of a page by each code span of the text that leads to them since the example before, and by the first words of that text.
type examples struct {
	spans    map[string]any
	optional map[string]bool // keys that are said to be there only now and then
	nullable map[string]bool
}

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	onlyFor  = regexp.MustCompile("`([a-z_]+)` is there only")
	isNull   = regexp.MustCompile("`([a-z_]+)` is null")
)

func readExamples(page string) (examples, error) {
	e := examples{spans: map[string]any{}, optional: map[string]bool{}, nullable: map[string]bool{}}
	for _, m := range onlyFor.FindAllStringSubmatch(page, -1) {
		e.optional[m[1]] = true
	}
	for _, m := range isNull.FindAllStringSubmatch(page, -1) {
		e.nullable[m[1]] = true
	}
	for {
		before, rest, found := strings.Cut(page, "\n```")
		if !found {
			return e, nil
		}
		language, rest, _ := strings.Cut(rest, "\n")
		block, after, closed := strings.Cut(rest, "\n```")
		if !closed {
			return e, fmt.Errorf("an example is never closed: %.80q", block)
		}
		page = after
		if language != "json" {
			continue
		}
		var doc any
		if err := json.Unmarshal([]byte(block), &doc); err != nil {
			return e, fmt.Errorf("example %.80q: %w", block, err)
		}
		paragraphs := strings.Split(strings.TrimSpace(before), "\n\n")
		lead := paragraphs[len(paragraphs)-1]
		for _, m := range codeSpan.FindAllStringSubmatch(lead, -1) {
			if _, there := e.spans[m[1]]; !there {
				e.spans[m[1]] = doc
			}
		}
		if words, isNamed := strings.CutPrefix(lead, "The "); isNamed {
			name := strings.FieldsFunc(words, func(r rune) bool { return r == ',' || r == ';' || r == ':' })[0]
			e.spans["the "+name] = doc
		}
	}
}

// whole puts what an example takes in from others into it.
func (e examples) whole(doc any) (any, error) {
	switch v := doc.(type) {
	case []any:
		all := make([]any, len(v))
		for i, one := range v {
			var err error
			if all[i], err = e.whole(one); err != nil {
				return nil, err
			}
		}
		return all, nil
	case map[string]any:
		all := map[string]any{}
		if name, has := v[shared].(string); has {
			from, err := e.whole(e.spans[name])
			object, isObject := from.(map[string]any)
			if err != nil || !isObject {
				return nil, errors.Join(err, fmt.Errorf("an example takes in %q, and there is no such object", name))
			}
			for key, value := range object {
				all[key] = value
			}
		}
		for key, value := range v {
			if key == shared {
				continue
			}
			var err error
			if all[key], err = e.whole(value); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return doc, nil
}

// differences are the places where a real document has another form than the example: keys and types, not values.
// A list in the example has elements of one form; an empty one in the real document shows nothing, which is said unless the place is among the empty.
func (e examples) differences(at string, example, real any, empty []string) (wrong []string) {
	switch want := example.(type) {
	case map[string]any:
		got, isObject := real.(map[string]any)
		if !isObject {
			return []string{fmt.Sprintf("%s is %s, an object in the example", at, kind(real))}
		}
		for key, value := range got {
			if _, known := want[key]; !known {
				wrong = append(wrong, fmt.Sprintf("%s.%s is not in the example", at, key))
			} else if value == nil && e.nullable[key] || want[key] == nil && e.nullable[key] {
				continue
			} else {
				wrong = append(wrong, e.differences(at+"."+key, want[key], value, empty)...)
			}
		}
		for key := range want {
			if _, there := got[key]; !there && !e.optional[key] {
				wrong = append(wrong, fmt.Sprintf("%s.%s is in the example alone; if it is there only now and then the text must say so", at, key))
			}
		}
	case []any:
		got, isList := real.([]any)
		switch {
		case !isList:
			return []string{fmt.Sprintf("%s is %s, a list in the example", at, kind(real))}
		case len(want) == 0 && len(got) > 0:
			return []string{at + " has elements, and the example shows none"}
		case len(got) == 0 && len(want) > 0 && !slices.Contains(empty, at):
			return []string{at + " is empty, so it says nothing about the example"}
		}
		for i, one := range got {
			wrong = append(wrong, e.differences(fmt.Sprintf("%s[%d]", at, i), want[0], one, empty)...)
		}
	default:
		if kind(example) != kind(real) {
			wrong = append(wrong, fmt.Sprintf("%s is %s, %s in the example", at, kind(real), kind(example)))
		}
	}
	return wrong
}

func kind(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	}
	return "an object"
}

// documented holds the document on standard input against the example of a command line. Behind it stand places that are empty this time.
func documented(args []string) error {
	page, err := os.ReadFile(os.Getenv(formatsVariable))
	if err != nil {
		return err
	}
	e, err := readExamples(string(page))
	if err != nil {
		return err
	}
	example, found := e.spans[args[0]]
	if !found {
		return fmt.Errorf("docs/formats.md has no example behind `%s`", args[0])
	}
	if example, err = e.whole(example); err != nil {
		return err
	}
	var real any
	if err := json.NewDecoder(os.Stdin).Decode(&real); err != nil {
		return err
	}
	if wrong := e.differences("", example, real, args[1:]); len(wrong) > 0 {
		return fmt.Errorf("the example behind `%s` is another: %s", args[0], strings.Join(wrong, "; "))
	}
	return nil
}

// answering are the commands with --json by their names, without those that stand for others.
func answering(t *testing.T) (names []string) {
	t.Helper()
	root := (&app{}).root()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Flags().Lookup("json") != nil && !c.Hidden {
			names = append(names, strings.TrimPrefix(c.CommandPath(), "delegate "))
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(root)
	return names
}

// TestEveryAnswerHasAnExample: a command with --json has an example in docs/formats.md, and a script that holds a real answer against it.
func TestEveryAnswerHasAnExample(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := readExamples(string(page))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("testdata", "script", "reading_examples.txt"))
	if err != nil {
		t.Fatal(err)
	}
	root := (&app{}).root()
	shown := map[string][]string{} // spans with an example by the command that they are of
	for span := range e.spans {
		words := strings.Fields(strings.TrimPrefix(span, "delegate "))
		if c, _, err := root.Find(words); err == nil && c != root && (strings.HasPrefix(span, "delegate ") || len(words) == 1) {
			name := strings.TrimPrefix(c.CommandPath(), "delegate ")
			shown[name] = append(shown[name], span)
		}
	}
	names := answering(t)
	if len(names) < 20 {
		t.Errorf("only %q answer with --json", names)
	}
	for _, name := range names {
		if len(shown[name]) == 0 {
			t.Errorf("docs/formats.md has no example of `delegate %s --json`", name)
			continue
		}
		if !slices.ContainsFunc(shown[name], func(span string) bool { return strings.Contains(string(script), "documented '"+span+"'") }) {
			t.Errorf("no line of reading_examples.txt is: documented '%s'", shown[name][0])
		}
	}
}

func TestExamplesCanDiffer(t *testing.T) {
	page := "x\n\nThe thing object, as ever:\n\n```json\n{\"id\": \"A\", \"n\": 1, \"may\": null}\n```\n\n`may` is null where it is not known. `now` is there only on Sundays.\n\n" +
		"`delegate some --json`:\n\n```json\n{\"…\": \"the thing object\", \"now\": true, \"list\": [{\"p\": \"x\"}]}\n```\n"
	e, err := readExamples(page)
	if err != nil {
		t.Fatal(err)
	}
	example, err := e.whole(e.spans["delegate some --json"])
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"id": "B", "n": 2, "may": "x", "now": false, "list": [{"p": ""}]}`:       "",
		`{"id": "B", "n": 2, "may": null, "list": [{"p": ""}, {"p": "y"}]}`:        "",
		`{"id": "B", "n": 2, "may": null, "list": []}`:                             ".list is empty",
		`{"id": "B", "n": "2", "may": null, "list": [{"p": ""}]}`:                  ".n is a string",
		`{"id": "B", "may": null, "list": [{"p": ""}]}`:                            ".n is in the example alone",
		`{"id": "B", "n": 2, "new": 1, "may": null, "list": [{"p": ""}]}`:          ".new is not in the example",
		`{"id": null, "n": 2, "may": null, "list": [{"p": ""}]}`:                   ".id is null",
		`{"id": "B", "n": 2, "may": null, "list": [{"p": ""}, {"p": "", "q": 1}]}`: ".list[1].q is not in the example",
	} {
		var real any
		if err := json.Unmarshal([]byte(text), &real); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(e.differences("", example, real, nil), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
