package compare

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/conflict"
	"delegate/internal/project/config"
)

func TestProgramsCanBeNamed(t *testing.T) {
	var names []string
	for _, p := range programs() {
		names = append(names, p.name)
	}
	if !slices.Equal(names, config.Confirmers()) {
		t.Errorf("known are %q, and the configuration takes %q", names, config.Confirmers())
	}
}

// TestProgramsAreRead holds the patterns against what the programs print.
func TestProgramsAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		out        string
		want       []conflict.Problem
		unresolved int
	}{
		"tsc": {
			"src/app.ts(3,18): error TS2554: Expected 2 arguments, but got 1.\nsrc/b.ts(1,15): error TS2307: Cannot " +
				"find module 'left-pad' or its corresponding type declarations.\n",
			[]conflict.Problem{{Path: "src/app.ts", Line: 3, Message: "TS2554: Expected 2 arguments, but got 1."},
				{Path: "src/b.ts", Line: 1,
					Message: "TS2307: Cannot find module 'left-pad' or its corresponding type declarations."}}, 1,
		},
		"pyright": {
			"/tree/app.py\n  /tree/app.py:3:5 - error: Argument missing for parameter \"unit\" (reportCallIssue)\n  " +
				"/tree/app.py:1:8 - error: Import \"numpy\" could not be resolved (reportMissingImports)\n2 errors, " +
				"0 warnings, 0 informations \n",
			[]conflict.Problem{{Path: "app.py", Line: 3,
				Message: `Argument missing for parameter "unit" (reportCallIssue)`},
				{Path: "app.py", Line: 1, Message: `Import "numpy" could not be resolved (reportMissingImports)`}}, 1,
		},
		"javac": {
			"java/m/App.java:4: error: cannot find symbol\n    int a = Rate.limit(1);\n                ^\n  symbol:  " +
				" method limit(int)\n  location: class Rate\nApp.java:1: error: package org.junit does not exist\n" +
				"import org.junit.Test;\n                ^\n2 errors\n",
			[]conflict.Problem{{Path: "java/m/App.java", Line: 4,
				Message: "cannot find symbol int a = Rate.limit(1); ^ symbol: method limit(int)"},
				{Path: "App.java", Line: 1, Message: "package org.junit does not exist"}}, 1,
		},
		"mypy": {
			"app.py:3: error: Too few arguments for \"limit\"  [call-arg]\napp.py:1: error: Cannot find " +
				"implementation or library stub for module named \"x\"  [import-not-found]\napp.py:1: note: See " +
				"https://example.org\n",
			[]conflict.Problem{{Path: "app.py", Line: 3, Message: `Too few arguments for "limit" [call-arg]`},
				{Path: "app.py", Line: 1,
					Message: `Cannot find implementation or library stub for module named "x" [import-not-found]`}}, 1,
		},
		"cargo": {
			"src/main.rs:4:13: error[E0061]: this function takes 2 arguments but 1 argument was supplied\nerror: " +
				"could not compile `m` (bin \"m\") due to 1 previous error\n",
			[]conflict.Problem{{Path: "src/main.rs", Line: 4,
				Message: "this function takes 2 arguments but 1 argument was supplied"}}, 0,
		},
		"phpstan": {
			"/tree/src/App.php:9:Function limit invoked with 1 parameter, 2 required.\n",
			[]conflict.Problem{{Path: "src/App.php", Line: 9,
				Message: "Function limit invoked with 1 parameter, 2 required."}}, 0,
		},
	} {
		i := slices.IndexFunc(programs(), func(p program) bool { return p.name == name })
		if i < 0 {
			t.Fatalf("%s is not known", name)
		}
		got := programs()[i].read(c.out, "/tree", nil)
		if !slices.Equal(got.Problems, c.want) || len(got.Unresolved) != c.unresolved {
			t.Errorf("%s: %+v, %q unresolved", name, got.Problems, got.Unresolved)
		}
	}
}

// TestWhatProgramsSayIsBounded holds that a tree cannot have a checker print until there is no memory left.
func TestWhatProgramsSayIsBounded(t *testing.T) {
	var s boundedOutput
	chunk := make([]byte, 1<<20)
	for range mostOutputOfChecker / len(chunk) {
		if _, err := s.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Write(chunk[:1]); err == nil || n != 0 || s.Len() != mostOutputOfChecker {
		t.Errorf("%d more bytes taken, %v", n, err)
	}
}

// TestJavacTellsAllErrors holds that no bound of javac's own leaves out errors of one tree that it tells of another.
func TestJavacTellsAllErrors(t *testing.T) {
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("needs javac")
	}
	const many = 1200
	dir := t.TempDir()
	var class strings.Builder
	class.WriteString("class A {\n")
	for i := range many {
		fmt.Fprintf(&class, "\tint f%d = absent%d;\n", i, i)
	}
	class.WriteString("}\n")
	if err := os.WriteFile(filepath.Join(dir, "A.java"), []byte(class.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(programs(), func(p program) bool { return p.name == "javac" })
	javac := exec.CommandContext(t.Context(), "javac", programs()[i].args(t.TempDir(), []string{"./A.java"})...)
	javac.Dir = dir
	out, err := javac.CombinedOutput()
	if got := programs()[i].read(string(out), dir, nil).Problems; len(got) != many {
		t.Errorf("%d errors of %d, %v:\n%.300s", len(got), many, err, out)
	}
}
