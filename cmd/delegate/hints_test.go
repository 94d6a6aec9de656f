//go:build !windows

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"delegate/internal/turn/agent"

	"github.com/spf13/cobra"
)

// operand stands in a text for what is only known when the program runs.
const operand = "AGT-007"

var (
	begun = regexp.MustCompile(`(?:^|[^-\w/.~])delegate ([^\n]*)`)
	verb  = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)
	// asWord is what may stand for an argument: a name in capitals, an id, a quoted text, a number
	// or a duration, a path, a list of several.
	asWord = regexp.MustCompile(`^(?:\[?[A-Z][-A-Z_0-9]*(?:…|\.\.\.)?\]?|agt-\d+|DEL-\S+|[A-Z]+-\d+|"[^"]*"|'[^']*'|\d+[smh]?|[\w./~-]*[./][\w./~-]*|…)$`)
)

// suggestion is one command line that a text tells somebody to type.
type suggestion struct {
	at    string
	words []string
	// open says that the text may go on with words of its own, so that what follows the command
	// need not be its arguments.
	open bool
}

// suggestions finds the command lines of a text. In prose a line ends where no word of a command line follows any more.
func suggestions(at, text string, open bool) (all []suggestion) {
	for _, m := range begun.FindAllStringSubmatch(verb.ReplaceAllString(text, operand), -1) {
		all = append(all, suggestion{at, wordsOf(m[1]), open})
		if _, again, more := strings.Cut(m[1], "delegate "); more {
			all = append(all, suggestions(at, "delegate "+again, open)...)
		}
	}
	return all
}

// wordsOf splits up to what ends a command line: a mark, a pipe, a comment, or two blanks as in a table.
func wordsOf(rest string) (words []string) {
	if i := strings.Index(rest, "  "); i >= 0 {
		rest = rest[:i]
	}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimLeft(rest, " ") {
		word := rest
		switch quote := rest[:1]; {
		case quote == `"` || quote == `'`:
			end := strings.Index(rest[1:], quote)
			if end < 0 {
				return words
			}
			word = rest[:end+2]
		case strings.Contains(rest, " "):
			word, _, _ = strings.Cut(rest, " ")
		}
		rest = rest[len(word):]
		if slices.Contains([]string{"#", "|", ">", "<", "&&", "→"}, word) || strings.HasPrefix(word, "(") {
			return words
		}
		plain := word
		if !strings.ContainsAny(word[:1], `"'`) && !strings.HasSuffix(word, "...") {
			plain = strings.TrimRight(word, ".,;:)`\"'")
		}
		if plain != "" {
			words = append(words, plain)
		}
		if plain != word {
			return words
		}
	}
	return words
}

// fault is what is wrong with a command line, "" if it can be typed.
func (l suggestion) fault() string {
	if len(l.words) == 0 || strings.HasPrefix(l.words[0], "__") || // which no person types
		slices.Contains([]string{hookVerb, agent.BridgeVerb}, l.words[0]) {
		return ""
	}
	root := (&app{}).rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.InitDefaultVersionFlag()
	c, path := root, 0
	for path < len(l.words) {
		at := slices.IndexFunc(c.Commands(), func(below *cobra.Command) bool { return below.Name() == l.words[path] })
		if at < 0 {
			break
		}
		c, path = c.Commands()[at], path+1
	}
	rest := l.words[path:]
	if c == root && !strings.HasPrefix(strings.TrimLeft(rest[0], "["), "-") && !asWord.MatchString(rest[0]) {
		return fmt.Sprintf("there is no command %q", rest[0])
	}
	if c.HasSubCommands() && c != root && len(rest) > 0 && regexp.MustCompile(`^[a-z-]+$`).MatchString(rest[0]) &&
		!strings.HasPrefix(rest[0], "-") && !slices.Contains(behindNames(), rest[0]) {
		return fmt.Sprintf("%q has no command %q", c.CommandPath(), rest[0])
	}
	c.InitDefaultHelpFlag()
	end := len(rest)
	for i, word := range rest {
		isFlag := strings.HasPrefix(word, "-") || strings.HasPrefix(word, "[-")
		ofFlag := i > 0 && strings.HasPrefix(rest[i-1], "-")
		if l.open && !isFlag && !ofFlag && !asWord.MatchString(word) {
			end = i
			break
		}
	}
	words := make([]string, 0, end)
	for _, word := range rest[:end] {
		if strings.HasSuffix(word, "]") || strings.HasPrefix(word, "[") { // what may be left out is tried as well
			word = strings.Trim(word, "[]")
		}
		if word == "…" && len(words) > 0 && words[len(words)-1] == "AGT" { // a text of the person's
			word = operand
		}
		word = strings.TrimSuffix(strings.TrimSuffix(word, "…"), "...")
		if word != "" {
			words = append(words, strings.Trim(word, `"'`))
		}
	}
	if last := len(words) - 1; l.open && last >= 0 && strings.HasPrefix(words[last], "-") {
		words = append(words, "--") // what the flag needs may be left out where it is only named
		if f := c.Flags().Lookup(strings.TrimLeft(words[last], "-")); f != nil && f.NoOptDefVal == "" ||
			len(words[last]) == 2 {
			words[last+1] = operand
		}
	}
	if err := c.ParseFlags(words); err != nil {
		return err.Error()
	}
	if help, _ := c.Flags().GetBool("help"); help || c == root {
		return ""
	}
	args := c.Flags().Args()
	if len(args) == 0 && l.open { // the command is only named
		return ""
	}
	if err := c.ValidateArgs(args); err != nil {
		return err.Error()
	}
	return ""
}

// literals are the texts of a Go file; texts that are put together count as one, with an operand
// for each part that is not known.
func literals(tree *ast.File, set *token.FileSet) (texts []suggestion) {
	var text func(e ast.Expr) (string, bool)
	text = func(e ast.Expr) (string, bool) {
		switch v := e.(type) {
		case *ast.BasicLit:
			if v.Kind == token.STRING {
				s, err := strconv.Unquote(v.Value)
				return s, err == nil
			}
		case *ast.ParenExpr:
			return text(v.X)
		case *ast.BinaryExpr:
			left, isLeft := text(v.X)
			right, isRight := text(v.Y)
			if v.Op == token.ADD && (isLeft || isRight) {
				return left + right, true
			}
		}
		return operand, false
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		e, isExpr := n.(ast.Expr)
		if _, imports := n.(*ast.ImportSpec); imports {
			return false
		}
		if !isExpr {
			return true
		}
		s, found := text(e)
		if found {
			texts = append(texts, suggestions(set.Position(e.Pos()).String(), s, true)...)
		}
		return !found
	})
	return texts
}

// prose are words behind "delegate" in texts where it is the name of the program or a plain verb.
func prose() []string { return []string{"gives", "work", "landing", "that"} }

// behindNames are words of prose behind the name of a command that has others below it.
func behindNames() []string { return []string{"in"} }

// TestWhatIsToldToTypeExists tries every command line in the texts of the program and in its
// documents against the commands that there are.
func TestWhatIsToldToTypeExists(t *testing.T) {
	var all []suggestion
	top := filepath.Join("..", "..")
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != top &&
			(d.Name() == "testdata" || d.Name() == "bench" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			all = append(all, literals(tree, set)...)
		case strings.HasSuffix(path, ".md") && d.Name() != "decisions.md": // decisions stay as they were written
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all = append(all, inPage(path, string(data))...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if len(l.words) > 0 && l.open && slices.Contains(prose(), l.words[0]) {
			continue
		}
		if fault := l.fault(); fault != "" {
			t.Errorf("%s: delegate %s: %s", l.at, strings.Join(l.words, " "), fault)
		}
	}
	if len(all) < 200 {
		t.Errorf("only %d command lines were found", len(all))
	}
}

// inPage are the command lines of a page: in code spans and fenced blocks.
func inPage(path, page string) (all []suggestion) {
	fenced := false
	for number, text := range strings.Split(page, "\n") {
		at := fmt.Sprintf("%s:%d", path, number+1)
		if strings.HasPrefix(strings.TrimSpace(text), "```") {
			fenced = !fenced
			continue
		}
		if fenced {
			trimmed := strings.TrimPrefix(strings.TrimSpace(text), "$ ")
			if strings.HasPrefix(trimmed, "delegate ") {
				all = append(all, suggestions(at, trimmed, false)...)
			}
			continue
		}
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(m[1], "delegate ") {
				all = append(all, suggestions(at, m[1], true)...)
			}
		}
	}
	return all
}

func TestCommandLinesAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"look at it with delegate status; end it with delegate sync abort": "",
		"see every fault with delegate registry check, and fix it":         "",
		"move it, then: delegate retry AGT":                                "",
		"delegate retry %s":                                                "",
		"delegate continue AGT-001 \"ANSWER\"":                             "",
		"delegate wait            until each has ended":                    "",
		"type delegate reply AGT-001":                                      `no command "reply"`,
		"delegate sync lend":                                               `no command "lend"`,
		"delegate status AGT-001":                                          "1 word was given",
		"delegate abort AGT --force":                                       "unknown flag: --force",
		"delegate retry AGT-001 AGT-002 now":                               "2 words were given",
		"first delegate status, then delegate stat":                        `no command "stat"`,
	} {
		var faults []string
		for _, l := range suggestions("", text, true) {
			faults = append(faults, l.fault())
		}
		got := strings.Join(faults, "")
		if len(faults) == 0 || want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, faults, want)
		}
	}
}
