//go:build !windows

package agentdir_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"delegate/internal/turn/agentdir"
)

// TestAgentDirTrustsNothing holds that whatever an agent puts on its desk leads nowhere else and holds nobody up.
func TestAgentDirTrustsNothing(t *testing.T) {
	root := t.TempDir()
	dir, outside := agentdir.Dir(filepath.Join(root, "desk")), filepath.Join(root, "outside")
	for _, dir := range []string{string(dir), outside, filepath.Join(string(dir), "inside")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(outside, "kept.json")
	for path, text := range map[string]string{kept: `{"operation": "x"}`,
		filepath.Join(string(dir), "inside", "note.md"): "note"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(string(dir), name)); err != nil {
			t.Fatal(err)
		}
	}
	link(outside, "spool")
	link(kept, "history.md")
	link(kept, "COMMANDS.md")
	for _, name := range []string{"usage.json", ".new-" + strconv.Itoa(os.Getpid())} { // a process can be guessed
		if err := syscall.Mkfifo(filepath.Join(string(dir), name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	time.AfterFunc(20*time.Second, func() {
		select {
		case <-done:
		default:
			panic("a look at the desk waits for something")
		}
	})
	if dir.HasRefusals() {
		t.Error("a linked spool is followed")
	}
	if _, names, err := dir.ReadRefusals(); err == nil || len(names) > 0 {
		t.Errorf("a linked spool is read: %q", names)
	}
	for _, name := range []string{"history.md", "usage.json", "inside", "../outside/kept.json",
		"inside/../../outside/kept.json"} {
		if data, err := dir.Read(name, 100); err == nil {
			t.Errorf("%s is read: %q", name, data)
		}
	}
	if dir.Usage() != (agentdir.Usage{}) {
		t.Error("a pipe has usage")
	}
	for _, name := range []string{"COMMANDS.md", "usage.json"} {
		if err := dir.Append(name, "line\n"); err == nil {
			t.Errorf("a line was appended to %s", name)
		}
	}
	if err := dir.Remove("spool"); err != nil {
		t.Error(err)
	}
	if err := dir.Remove("../outside"); err == nil {
		t.Error("something beside the desk was removed")
	}
	if data, err := os.ReadFile(kept); err != nil || string(data) != `{"operation": "x"}` {
		t.Errorf("what lies outside: %q, %v", data, err)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := dir.Report(agentdir.Refusal{Time: time.Unix(int64(i), 0), Operation: "x"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if refusals, _, err := dir.ReadRefusals(); len(refusals) != 20 || err != nil {
		t.Errorf("of 20 refusals %d are told: %v", len(refusals), err)
	}
	if data, err := dir.Read("inside/note.md", 4); err != nil || string(data) != "note" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := dir.Read("inside/note.md", 3); err == nil {
		t.Error("more was read than asked for")
	}
	if _, err := dir.Read("missing", 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	close(done)
}
