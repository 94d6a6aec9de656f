package plan

import (
	"slices"
	"strings"
	"testing"
)

// TestFilesThatTheKernelRefuses holds what is told, before it starts, of an agent that Landlock alone will hold.
func TestFilesThatTheKernelRefuses(t *testing.T) {
	f := Facts{Files: []string{"src/a.py", "src/b.py", "docs/a.md", "docs/b.md", "lib/x/c.py", "lib/y/d.py"},
		NoNamespaces: true}
	for _, tt := range []struct {
		allowed, outputs []string
		want             string // the files and the folders; "" for nothing
	}{
		{[]string{"src/new.py"}, []string{"src/new.py"}, "src/new.py / src"},
		{[]string{"new.md"}, []string{"new.md"}, "new.md / the root"},
		{[]string{"src/n*.py"}, []string{"src/new.py"}, "src/new.py, new files of src/n*.py / src"},
		{[]string{"*.md"}, []string{"x"}, "new files of *.md / the root"},
		{[]string{"src/a.py"}, []string{"src/a.py"}, ""},
		{[]string{"src/**"}, []string{"src/new.py"}, ""},
		{[]string{"src/**"}, []string{"src/deep/er/new.py"}, ""},
		{[]string{"docs/*.md"}, []string{"docs/new.md"}, ""},
		{[]string{"fresh/**"}, []string{"fresh/in/new.py"}, ""},
		{[]string{"src/fresh/new.py"}, []string{"src/fresh/new.py"}, ""},
		{[]string{"lib/**/*.md"}, []string{"lib/x/new.md", "lib/z/new.md"},
			"lib/x/new.md, lib/z/new.md, new files of lib/**/*.md / lib/x, lib"},
	} {
		p := made("src/**")
		p.Subtasks[0].Allowed, p.Subtasks[0].ExpectedOutputs = tt.allowed, tt.outputs
		told := func(f Facts) (all []string) {
			for _, w := range analyze(t, p, Options{}, f).Warnings {
				if strings.Contains(w.Text, "namespaces") {
					all = append(all, w.Text)
				}
			}
			return all
		}
		var want []string
		if files, folders, _ := strings.Cut(tt.want, " / "); files != "" {
			want = []string{"the kernel will refuse it " + files + ": this machine has no namespaces (delegate " +
				"doctor), and without them no file can be made in a folder that also holds files " +
				"outside of the scope (" + folders + "); allow that whole folder"}
		}
		if got := told(f); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", tt.allowed, got, want)
		}
		can := f
		can.NoNamespaces = false
		if got := told(can); got != nil {
			t.Errorf("%q: with namespaces %q", tt.allowed, got)
		}
		p.Subtasks[0].On = "cluster"
		if got := told(f); got != nil {
			t.Errorf("%q: elsewhere %q", tt.allowed, got)
		}
	}
}
