package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpensAgreesWithTheKernel makes changes at many places behind a fence and holds what came of them against Opens.
func TestOpensAgreesWithTheKernel(t *testing.T) {
	for i, c := range []struct{ allowed, forbidden string }{
		{"src/**", "src/old/**"}, {"src/*.go README.md", ""}, {"src/**/*_test.go docs/**", "docs/made.md src/old/**"},
		{"src/** docs/d.md", "src/p/** src/made/deep/**"}, {"src/p/**", "**/*.go"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			g := fenced(t, c.allowed, c.forbidden, "src/a.go", "src/a_test.go", "src/p/b.go", "src/p/b_test.go",
				"src/old/c.go", "README.md", "docs/d.md", "lib/l.go")
			if g.s.Landlock == 0 {
				t.Skip("no Landlock here, which opens less than mounts")
			}
			outside := t.TempDir()
			mine, hidden := filepath.Join(outside, "mine"), filepath.Join(outside, "mine/hidden")
			shown := filepath.Join(hidden, "shown")
			if err := os.MkdirAll(shown, 0o755); err != nil {
				t.Fatal(err)
			}
			fixed := filepath.Join(mine, "fixed")
			if err := os.WriteFile(fixed, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			g.policy.Writable, g.policy.Hidden = []string{mine}, []string{hidden}
			g.policy.Shown, g.policy.Fixed = []string{shown}, []string{fixed}
			var script strings.Builder
			try := func(place string, change Change, format string) {
				fmt.Fprintf(&script, "(%s) 2> /dev/null && echo %s %s yes || echo %s %s no\n",
					strings.ReplaceAll(format, "@", place), place, strings.ReplaceAll(string(change), " ", "-"), place,
					strings.ReplaceAll(string(change), " ", "-"))
			}
			for _, folder := range []string{"", "src/", "src/p/", "src/old/", "docs/", "lib/"} {
				at := filepath.Join(g.work, folder)
				try(at+"/new.go", Content, "echo x > @ && rm @")
				try(at+"/new_test.go", Content, "echo x > @ && mv @ @.2 && rm @.2")
				try(at+"/folder", MakesFolder, "mkdir @")
			}
			for _, file := range []string{"src/a.go", "src/a_test.go", "src/p/b.go", "src/p/b_test.go", "src/old/c.go",
				"README.md", "docs/d.md", "lib/l.go", ".git"} {
				try(filepath.Join(g.work, file), Content, "echo x >> @")
				try(filepath.Join(g.work, file), ChangesModes, "chmod 600 @")
			}
			for _, place := range []string{outside, mine, shown, hidden} {
				try(place+"/f", Content, "echo x > @")
				try(place+"/d", MakesFolder, "mkdir @")
				try(place+"/d", DropsFolder, "test -d @ && rmdir @ || { mkdir @ && rmdir @; }")
			}
			try(fixed, Content, "echo x > @")
			try("/dev/null", Content, "echo x > @")
			try("/dev/shm/x", Content, "echo x > @")
			try("/etc/x", Content, "echo x > @")
			out, _ := g.sh(script.String())
			known := g.policy.withoutLinks()
			lines := 0
			for line := range strings.Lines(out) {
				fields := strings.Fields(line)
				lines++
				change := Change(strings.ReplaceAll(fields[1], "-", " "))
				if opens := known.Opens(fields[0], change); opens != (fields[2] == "yes") {
					t.Errorf("%s of %s: Opens says %v, the kernel %s", change, fields[0], opens, fields[2])
				}
			}
			if want := strings.Count(script.String(), "\n"); lines != want {
				t.Errorf("%d of %d attempts answered: %s", lines, want, out)
			}
			if t.Failed() {
				t.Logf("%+v", g.policy)
			}
		})
	}
}
