package keeper_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agentdir"
)

// loaderOf is the loader of libraries by which a program of this machine is started.
func loaderOf(t *testing.T) string {
	t.Helper()
	for _, pattern := range []string{"/lib64/ld-linux-*.so.*", "/lib/ld-linux-*.so.*", "/lib/ld-musl-*.so.1"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 { // the patterns are sound
			return found[0]
		}
	}
	t.Skip("no loader of libraries here")
	return ""
}

// TestStartsByTheLoaderAreReported holds that each try to start a covered program by the loader of libraries is
// reported like one by its name, and that whatever else reads such a file, or is started by the loader, is not.
func TestStartsByTheLoaderAreReported(t *testing.T) {
	f, place := enclosure(t, sandbox.Open)
	if !f.Support.Seccomp {
		t.Skip("no filter of system calls here")
	}
	loader, native := loaderOf(t), filepath.Join(t.TempDir(), "native")
	echo, err := os.ReadFile("/bin/echo")
	if err != nil {
		t.Fatal(err)
	}
	stub := filepath.Join(place.Turn, "stub")
	for file, content := range map[string][]byte{native: echo, stub: []byte("#!/bin/sh\nexit 1\n")} {
		if err := os.WriteFile(file, content, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	policy, err := sandbox.Load(f.Policy)
	if err != nil {
		t.Fatal(err)
	}
	policy.Programs, policy.Stub = []string{native}, stub
	if err := policy.Write(f.Policy); err != nil {
		t.Fatal(err)
	}
	script := strings.NewReplacer("LOADER", loader, "NATIVE", native, "FOLDER", filepath.Dir(native),
		"DESK", place.AgentDir).Replace(`
LOADER NATIVE "I am it"
LOADER --argv0 other NATIVE "I am it"
cd FOLDER; LOADER ./native "I am it"; cd DESK
ln -s NATIVE link; LOADER link "I am it"
cp LOADER DESK/copy; DESK/copy NATIVE "I am it"
printf '#!LOADER NATIVE\n' > script; chmod +x script; ./script "I am it"
printf '#!DESK/script\n' > nested; chmod +x nested; ./nested "I am it"
NATIVE; cat NATIVE; sh NATIVE; LOADER /bin/echo one NATIVE.other; /bin/echo two NATIVE
LOADER /bin/sh -c 'echo three'
`)
	var out bytes.Buffer
	if _, err := f.Run(t.Context(), run.Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: place.Worktree,
		Stdout: &out, Stderr: &out}); err != nil {
		t.Fatal(err)
	}
	refusals, _, err := agentdir.Dir(place.AgentDir).ReadRefusals()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range refusals {
		if r.Layer != "fence" || r.Operation != "start an agent program" || r.Path != native || r.Pattern != "native" {
			t.Errorf("told %+v", r)
		}
	}
	if len(refusals) != 7 || strings.Contains(out.String(), "I am it") || !strings.Contains(out.String(), "one") ||
		!strings.Contains(out.String(), "two") || !strings.Contains(out.String(), "three") {
		t.Errorf("%d told\n%s", len(refusals), out.String())
	}
}
