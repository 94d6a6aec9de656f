//go:build !windows

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// formatsVariable names docs/json.md for the program `documented`.
const formatsVariable = "FORMATS"

// shared is the key by which an example takes in another one: `"…": "the agent object"`, `"…":
// "delegate status --json"`.
const shared = "…"

// examples are the JSON examples of a page by each code span of the text that leads to them since
// the example before, and by the first words of that text.
type examples struct {
	spans    map[string]any
	numbers  map[string]int  // of the example, from the top of the page
	nullable map[string]bool // keys that are said to be null now and then
}

// sometimes begins the keys of an example that the text around it calls there only now and then.
const sometimes = "?"

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	onlyFor  = regexp.MustCompile("`([a-z_]+)` is there only")
	isNull   = regexp.MustCompile("`([a-z_]+)` is null")
)

func readExamples(page string) (examples, error) {
	e := examples{spans: map[string]any{}, numbers: map[string]int{}, nullable: map[string]bool{}}
	for _, m := range isNull.FindAllStringSubmatch(page, -1) {
		e.nullable[m[1]] = true
	}
	for number := 0; ; number++ {
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
		below, _, _ := strings.Cut(strings.TrimSpace(after), "\n\n")
		for _, m := range onlyFor.FindAllStringSubmatch(lead+"\n"+below, -1) {
			mark(doc, m[1])
		}
		names := codeSpan.FindAllStringSubmatch(lead, -1)
		if words, isNamed := strings.CutPrefix(lead, "The "); isNamed {
			name := strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(",;:", r) })[0]
			names = append(names, []string{"", "the " + name})
		}
		for _, m := range names {
			if _, there := e.spans[m[1]]; !there {
				e.spans[m[1]], e.numbers[m[1]] = doc, number
			}
		}
	}
}

// mark notes in an example that a key is there only now and then.
func mark(doc any, key string) {
	switch v := doc.(type) {
	case []any:
		for _, one := range v {
			mark(one, key)
		}
	case map[string]any:
		for _, one := range v {
			mark(one, key)
		}
		if value, has := v[key]; has {
			delete(v, key)
			v[sometimes+key] = value
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
			maps.Copy(all, object)
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
// A list in the example has elements of one form; an empty one in the real document shows nothing,
// which is said unless the place is among the empty.
func (e examples) differences(at string, example, real any, empty []string) (wrong []string) {
	switch want := example.(type) {
	case map[string]any:
		got, isObject := real.(map[string]any)
		if !isObject {
			return []string{fmt.Sprintf("%s is %s, an object in the example", at, kind(real))}
		}
		for key, value := range got {
			shown, known := want[key]
			if !known {
				shown, known = want[sometimes+key]
			}
			switch {
			case !known:
				wrong = append(wrong, fmt.Sprintf("%s.%s is not in the example", at, key))
			case e.nullable[key] && (value == nil || shown == nil):
			default:
				wrong = append(wrong, e.differences(at+"."+key, shown, value, empty)...)
			}
		}
		for key := range want {
			if _, there := got[key]; !there && !strings.HasPrefix(key, sometimes) {
				wrong = append(wrong, fmt.Sprintf(
					"%s.%s is in the example alone; if it is there only now and then the text must say so", at, key))
			}
		}
	case []any:
		got, isList := real.([]any)
		switch {
		case !isList:
			return []string{fmt.Sprintf("%s is %s, a list in the example", at, kind(real))}
		case len(want) == 0:
			want = []any{""}
		case len(got) == 0 && kind(want[0]) == kind(map[string]any{}) && !slices.Contains(empty, at):
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

// documented holds the document on standard input against the example of a command line. Behind it
// stand places that are empty this time.
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
		return fmt.Errorf("docs/json.md has no example behind `%s`", args[0])
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
	root := (&app{}).rootCommand()
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

// TestEveryAnswerHasAnExample: a command with --json has an example in docs/json.md, and a
// script that holds a real answer against it.
func TestEveryAnswerHasAnExample(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := readExamples(string(page))
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob(filepath.Join(scriptFolder, "*.txt"))
	more, moreErr := filepath.Glob(filepath.Join(longScriptFolder, "*.txt"))
	if err := errors.Join(err, moreErr); err != nil {
		t.Fatal(err)
	}
	held := map[int]bool{} // examples that a script holds a real answer against
	for _, path := range append(scripts, more...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^documented '([^']+)'`).FindAllStringSubmatch(string(text), -1) {
			held[e.numbers[m[1]]] = true
		}
	}
	root := (&app{}).rootCommand()
	shown := map[string][]string{} // spans with an example by the command that they are of
	for span := range e.spans {
		words := strings.Fields(strings.TrimPrefix(span, "delegate "))
		if c, _, err := root.Find(words); err == nil && c != root &&
			(strings.HasPrefix(span, "delegate ") || len(words) == 1) {
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
			t.Errorf("docs/json.md has no example of `delegate %s --json`", name)
			continue
		}
		if !slices.ContainsFunc(shown[name], func(span string) bool { return held[e.numbers[span]] }) {
			t.Errorf("no line of a script is: documented '%s'", shown[name][0])
		}
	}
}

// TestManualHasTheExitCodes holds the manual page against the table of docs/commands.md.
func TestManualHasTheExitCodes(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want []meaning
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| (.*) \|$`).FindAllStringSubmatch(
		string(page[strings.Index(string(page), "\n## Exit codes"):]), -1) {
		want = append(want, meaning{m[1], strings.ReplaceAll(m[2], "`", "")})
	}
	if !slices.Equal(exitMeanings(), want) {
		t.Errorf("the manual has\n%q\nthe table is\n%q", exitMeanings(), want)
	}
}

func TestExamplesCanDiffer(t *testing.T) {
	page := "x\n\nThe thing object, as ever:\n\n```json\n{\"id\": \"A\", \"n\": 1, \"may\": null}\n```\n\n`may` is " +
		"null where it is not known.\n\n" +
		"`delegate some --json`:\n\n```json\n{\"…\": \"the thing object\", \"now\": true, \"list\": [{\"p\": " +
		"\"x\"}]}\n```\n\n`now` is there only on Sundays.\n"
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
		`{"id": "B", "n": 2, "may": null, "now": 1, "list": [{"p": ""}]}`:          ".now is a number",
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
