package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Files beside the record are in no stash's way, and what was written to them meanwhile joins what it held.
func TestFilesOutsideAStash(t *testing.T) {
	for name, drop := range map[string]bool{"popped": false, "dropped": true} {
		t.Run(name, func(t *testing.T) {
			d := newDelegated(t)
			id := d.begin("task")
			const entry = "\n## %d\n\nthe same\n"
			notes, output := []string{"notes.md"}, []string{id, "AGT-001", "last-output.md"}
			write := func(text string, names ...string) {
				t.Helper()
				if err := d.p.PlaceRecordFile(t.Context(), names...); err != nil {
					t.Fatal(err)
				}
				path := d.p.RecordFile(names...)
				old, _ := os.ReadFile(path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if names[0] == id {
					old = nil // an output is only the last
				}
				if err := os.WriteFile(path, append(old, text...), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write("before\n", notes...)
			write("first\n", output...)
			write("# Entries\n", "context.md")
			d.Git("stash", "-u")
			write("during\n", notes...)
			write("second\n", output...)
			write(fmt.Sprintf(entry, 1), "context.md")
			if drop {
				d.Git("stash", "drop", "-q")
			} else {
				d.Git("stash", "pop", "-q")
			}
			d.Write(map[string]string{"docs/logs/context.md": "# Entries\n" + fmt.Sprintf(entry, 2)})
			d.note("afterwards")
			for file, want := range map[string]string{"notes.md": "before\nduring\n",
				id + "/AGT-001/last-output.md": "second\n",
				"context.md":                   "# Entries\n" + fmt.Sprintf(entry, 1) + fmt.Sprintf(entry, 2)} {
				if got := d.Text("docs/logs/" + file); got != want {
					t.Errorf("%s: %q", file, got)
				}
			}
			left, _ := filepath.Glob(filepath.Join(d.p.Private, "stashed", "*"))
			for _, path := range left {
				if info, err := os.Stat(path); err == nil && !info.IsDir() {
					t.Errorf("%s is left", path)
				}
			}
		})
	}
}
