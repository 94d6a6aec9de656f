// Package suite says how a project is built and tested: the commands that its files call for, and which tests their
// output says have failed. It reads trees and texts and runs nothing.
package suite

import (
	"delegate/internal/text/lazyregexp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Command is one command line that builds or tests a tree, run by `sh -c` at its root.
type Command struct {
	Line string
	// Why is what calls for it: the file that says so, or the configuration.
	Why string
}

// Lines are the command lines alone.
func Lines(all []Command) []string {
	var lines []string
	for _, c := range all {
		lines = append(lines, c.Line)
	}
	return lines
}

// form is a command line of plain words, which means nothing else than these words to a shell.
type form struct {
	dir   string // folder that it is run in, "." for the root
	words []string
}

// plain matches words in which no shell finds anything to replace.
var plain = lazyregexp.New(`^[A-Za-z0-9_./:=@%+,-]+$`)

// parseForm takes a line apart; false if a shell could make more of it than its words.
// `cd FOLDER && …` is the one combination that is known, since Detect writes it.
func parseForm(line string) (form, bool) {
	f := form{dir: "."}
	words := strings.Fields(line)
	if len(words) > 3 && words[0] == "cd" && words[2] == "&&" {
		f.dir, words = path.Clean(words[1]), words[3:]
		if !plain.MatchString(f.dir) || !fs.ValidPath(f.dir) || strings.HasPrefix(f.dir, "-") {
			return form{}, false
		}
	}
	if len(words) == 0 || strings.Contains(words[0], "=") || strings.ContainsAny(line, "\n\r") {
		return form{}, false
	}
	for _, w := range words {
		if !plain.MatchString(w) {
			return form{}, false
		}
	}
	f.words = words
	return f, true
}

// Words are the words of a command line that no shell could make more of, without the folder that it goes to.
func Words(line string) ([]string, bool) {
	f, known := parseForm(line)
	return f.words, known
}

// in runs a line in the folder of the form.
func (f form) in(line string) string {
	if f.dir == "." {
		return line
	}
	return "cd " + quote(f.dir) + " && " + line
}

// quote is a word as `sh` takes it for itself.
func quote(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Upto is what has to be run to see whether the command line last passes: it, and those of the
// lines before it that may leave something behind that it needs. Builds and tests of tools that
// make themselves what they need leave nothing.
func Upto(lines []string, last string) []string {
	var needed []string
	for _, line := range lines {
		if line == last {
			break
		}
		if !leavesNothing(line) {
			needed = append(needed, line)
		}
	}
	return append(needed, last)
}

func leavesNothing(line string) bool {
	f, ok := parseForm(line)
	if !ok {
		return false
	}
	writes := slices.ContainsFunc(f.words, func(w string) bool {
		return w == "-o" || strings.HasPrefix(w, "-o=") || w == "-w" || strings.HasPrefix(w, "--out") ||
			strings.HasPrefix(w, "--target-dir")
	})
	known := []string{"go build", "go vet", "go test", "cargo build", "cargo check", "cargo clippy", "cargo test"}
	return !writes && len(f.words) > 1 && slices.Contains(known, f.words[0]+" "+f.words[1])
}

// IsTest tells files of tests by the names and places that test runners go by.
func IsTest(name string) bool {
	base := path.Base(name)
	stem, ext := strings.TrimSuffix(base, path.Ext(base)), path.Ext(base)
	in := func(folders ...string) bool {
		return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(part string) bool {
			return slices.Contains(folders, part)
		})
	}
	switch ext {
	case ".go":
		return strings.HasSuffix(stem, "_test")
	case ".py":
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "conftest"
	case ".rs":
		return in("tests")
	case ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts":
		return strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || in("__tests__", "test", "tests")
	case ".java", ".kt", ".scala", ".groovy":
		return strings.Contains(name, "src/test/") || strings.HasSuffix(stem, "Test") ||
			strings.HasSuffix(stem, "Tests")
	case ".cs", ".php":
		return strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests")
	case ".rb":
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec")
	case ".c", ".cc", ".cpp", ".cxx":
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_tests") ||
			strings.HasPrefix(stem, "test_") || in("tests", "test")
	}
	return false
}

// read is the text of a file, false if there is none. Other errors mean that the tree could not be read.
func read(tree fs.FS, name string) (string, bool, error) {
	data, err := fs.ReadFile(tree, name)
	if err == nil {
		return string(data), true, nil
	}
	info, statErr := fs.Stat(tree, name)
	if errors.Is(err, fs.ErrNotExist) || statErr == nil && !info.Mode().IsRegular() {
		err = nil
	}
	return "", false, err
}
