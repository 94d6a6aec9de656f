package delegate

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sum is a count of the whole tree that may only fall: whoever raises one takes something away, or says in the commit
// why not.
type sum struct {
	name string
	most int
	// slack is by how much the count may be below most before most has to follow it.
	slack int
	count func(*testing.T, []string) int
}

// sums lists what is held. Change a number here to a smaller one only.
func sums() []sum {
	return []sum{
		{"lines of code outside of tests", 113_820, 150, codeLines},
		{"packages", 95, 0, packages},
		{"folders in internal", 16, 0, internalFolders},
		{"rules of conflict", 23, 0, conflictRules},
		{"kinds of private state files", 56, 0, privateFiles},
		{"words of documents", 35_520, 150, documentWords},
	}
}

func TestSumsOnlyFall(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git, which lists the files")
	}
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("needs a clone, in which git lists the files: %v", err)
	}
	files := slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool {
		_, err := os.Stat(name)
		return err != nil // removed, and not committed yet
	})
	for _, s := range sums() {
		n := s.count(t, files)
		if n > s.most {
			t.Errorf("%s: %d, at most %d: take something away, or raise the number and say in the commit why", s.name,
				n, s.most)
		}
		if n < s.most-s.slack {
			t.Errorf("%s: %d, and %d are allowed: write the smaller number into sums()", s.name, n, s.most)
		}
	}
}

// isCode reports a Go file that people write and that is no test.
func isCode(t *testing.T, name string) bool {
	if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") ||
		slices.Contains(strings.Split(name, "/"), "testdata") {
		return false
	}
	for i, line := range strings.SplitN(read(t, filepath.FromSlash(name)), "\n", 4) {
		if i < 3 && strings.HasPrefix(line, "// Code generated") {
			return false
		}
	}
	return true
}

// codeLines counts lines that are neither blank nor a comment.
func codeLines(t *testing.T, files []string) (n int) {
	for _, name := range files {
		if !isCode(t, name) {
			continue
		}
		inComment := false
		for line := range strings.Lines(read(t, filepath.FromSlash(name))) {
			line = strings.TrimSpace(line)
			switch {
			case inComment:
				inComment = !strings.Contains(line, "*/")
			case line == "", strings.HasPrefix(line, "//"):
			case strings.HasPrefix(line, "/*"):
				inComment = !strings.Contains(line, "*/")
			default:
				n++
			}
		}
	}
	return n
}

func packages(t *testing.T, _ []string) int {
	out, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return strings.Count(string(out), "\n")
}

func internalFolders(_ *testing.T, files []string) int {
	folders := map[string]bool{}
	for _, name := range files {
		if parts := strings.Split(name, "/"); parts[0] == "internal" && len(parts) > 2 {
			folders[parts[1]] = true
		}
	}
	return len(folders)
}

// conflictRules counts the methods of Direction that lists of package conflict name.
func conflictRules(t *testing.T, files []string) int {
	rules, named := map[string]bool{}, regexp.MustCompile(`\(\*Direction\)\.[A-Za-z]+`)
	for _, name := range files {
		if path.Dir(name) == "conflict" && path.Ext(name) == ".go" {
			for _, rule := range named.FindAllString(read(t, filepath.FromSlash(name)), -1) {
				rules[rule] = true
			}
		}
	}
	return len(rules)
}

// privateFiles counts the names in the list of docs/internals.md of what is in the private folder.
func privateFiles(t *testing.T, _ []string) int {
	_, list, found := strings.Cut(read(t, "docs/internals.md"), "In the private folder")
	if list, _, _ = strings.Cut(list, "\n## "); !found {
		t.Fatal("docs/internals.md has no list that begins with: In the private folder")
	}
	names := map[string]bool{}
	for _, name := range regexp.MustCompile("`[^- `][^ `]*`").FindAllString(list, -1) {
		names[name] = true
	}
	return len(names)
}

func documentWords(t *testing.T, files []string) (n int) {
	for _, name := range files {
		if name == "README.md" || name == "CONTRIBUTING.md" || path.Dir(name) == "docs" && path.Ext(name) == ".md" {
			n += len(strings.Fields(read(t, filepath.FromSlash(name))))
		}
	}
	return n
}
