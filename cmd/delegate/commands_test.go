//go:build !windows

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestCommandsAreWhereTheyBelong holds that each command has a file and a method of its name, and stands in each of the
// places where all others are: a script, the table of docs/commands.md, and docs/json.md for what it prints as JSON.
// What its words and flags can be is held by TestAgentWordsAreCompleted, its manual page is made of it.
func TestCommandsAreWhereTheyBelong(t *testing.T) {
	readme, formats := commandsOn(t, "docs/commands.md", "## Table"), commandsOn(t, "docs/json.md", "")
	scripts := typedInScripts(t)
	methods := commandMethods(t)
	for _, c := range allCommands(t) {
		words := strings.Fields(c.CommandPath())[1:]
		name := strings.Join(words, " ")
		file := strings.ReplaceAll(strings.Join(words, "_"), "-", "_") + ".go"
		if method := methodName(words); methods[method] != file {
			t.Errorf("delegate %s: its method %s is not in its file %s", name, method, file)
		}
		delete(methods, methodName(words))
		if c.Hidden || isGroup(c) {
			continue
		}
		if !slices.Contains(readme, name) {
			t.Errorf("delegate %s: the table of docs/commands.md does not have it", name)
		}
		if !slices.Contains(scripts, name) && name != "mcp" { // which a client of the protocol starts
			t.Errorf("delegate %s: no script in testdata/script types it", name)
		}
		if c.Flags().Lookup("json") != nil && !slices.Contains(formats, name) {
			t.Errorf("delegate %s: docs/json.md does not have what it prints with --json", name)
		}
	}
	delete(methods, "rootCommand")
	for method, file := range methods {
		t.Errorf("%s: %s makes no command of the tree (rootCommand)", file, method)
	}
}

// isGroup says whether a command only leads to others, or is a page of help.
func isGroup(c *cobra.Command) bool {
	return slices.Contains([]string{"config", "registry", "sandbox"}, c.Name())
}

// allCommands are those of this program, without cobra's own.
func allCommands(t *testing.T) (all []*cobra.Command) {
	t.Helper()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			if below.Name() == "completion" || below.Name() == "help" {
				continue
			}
			all = append(all, below)
			visit(below)
		}
	}
	visit((&app{}).rootCommand())
	return all
}

// methodName is the name of the method that makes a command: syncMergeCommand.
func methodName(words []string) string {
	var name strings.Builder
	for i, part := range strings.FieldsFunc(strings.Join(words, "-"), func(r rune) bool { return r == '-' }) {
		if i > 0 {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		name.WriteString(part)
	}
	return name.String() + "Command"
}

// commandMethods are the methods of the name that makes a command, with their files.
func commandMethods(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]string{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			f, is := d.(*ast.FuncDecl)
			if is && f.Recv != nil && strings.HasSuffix(f.Name.Name, "Command") {
				methods[f.Name.Name] = file
			}
		}
	}
	return methods
}

// commandsOn are the commands that a page names in a section: of `delegate sync status`, `merge [AGT...]` both.
func commandsOn(t *testing.T, page, heading string) (names []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	_, below, found := strings.Cut(string(data), heading)
	if !found {
		t.Fatalf("%s has no %q", page, heading)
	}
	if heading != "" {
		below, _, _ = strings.Cut(below, "\n## ")
	}
	words := regexp.MustCompile(`[a-z][-a-z]*`)
	for line := range strings.Lines(below) {
		parent := ""
		for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
			typed, whole := strings.CutPrefix(span[1], "delegate ")
			var name []string
			for word := range strings.FieldsSeq(strings.ReplaceAll(typed, "[add", "add")) {
				if words.FindString(word) != word {
					break
				}
				name = append(name, word)
			}
			if whole && len(name) > 1 {
				parent = name[0] + " "
			}
			for n := range name {
				names = append(names, strings.Join(name[:n+1], " "), parent+strings.Join(name[:n+1], " "))
			}
		}
	}
	return names
}

// typedInScripts are the commands that scripts type, also those below a command.
func typedInScripts(t *testing.T) (names []string) {
	t.Helper()
	line := regexp.MustCompile(`\bdelegate +(?:-[a-z-]+ +)*([a-z][-a-z]*)(?: +([a-z][-a-z]*))?`)
	for _, pattern := range []string{"testdata/script/*.txt", "testdata/script/*/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range line.FindAllStringSubmatch(string(data), -1) {
				names = append(names, m[1], m[1]+" "+m[2])
			}
		}
	}
	return names
}
