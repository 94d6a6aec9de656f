package keeper_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/run"
	"delegate/internal/turn/keeper"
)

// TestRefusalsAreReported holds that what the kernel refuses inside is known outside, by kind and path, and what it
// lets through or a program only looks at is not.
func TestRefusalsAreReported(t *testing.T) {
	f, place := enclosure(t, sandbox.Open)
	outside := t.TempDir()
	for name, text := range map[string]string{"there": "old", "other": "old"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script := `cd ` + place.Worktree + `
ln -s ../outside.txt src/link
for i in 1 2 3; do echo x > README.md; done
echo x > src/link
mkdir -p src/deep/er && echo x > src/deep/er/f && mv src/deep/er/f src/g && chmod 600 src/g && rm src/g
cat ` + outside + `/there > /dev/null
rm -f ` + outside + `/missing
mkdir -p ` + outside + `
mkdir ` + outside + `/new
rm -f ` + outside + `/there
mv ` + outside + `/other ` + outside + `/elsewhere
chmod 600 ` + outside + `/there
cd src && echo x > ../relative
echo x > /proc/self/cwd/../beside
unshare -U true
true > /dev/null
`
	var out bytes.Buffer
	if _, err := f.Run(t.Context(), run.Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: place.Worktree,
		Stdout: &out, Stderr: &out}); err != nil {
		t.Fatal(err)
	}
	refusals, err := keeper.Turn{Dir: place.Turn}.Refusals()
	if err != nil {
		t.Fatal(err, out.String())
	}
	write := func(path string, times int) keeper.Refusal {
		return keeper.Refusal{Tried: sandbox.Tried{Kind: sandbox.TriedWrite, Path: path}, Times: times}
	}
	in := func(name string) string { return filepath.Join(place.Worktree, name) }
	want := []keeper.Refusal{write(in("README.md"), 3), write(in("outside.txt"), 1), write(outside+"/new", 1),
		write(outside+"/elsewhere", 1),
		write(outside+"/there", 2), write(outside+"/other", 1), write(in("relative"), 1), write(in("beside"), 1),
		{Tried: sandbox.Tried{Kind: "new namespace"}, Times: 1}}
	if len(refusals) != len(want) {
		t.Errorf("%d kinds, want %d", len(refusals), len(want))
	}
	for _, w := range want {
		found := false
		for _, got := range refusals {
			found = found || got == w
		}
		if !found {
			t.Errorf("%v is not told", w)
		}
	}
	if t.Failed() {
		t.Log(refusals, strings.TrimSpace(out.String()))
	}
}

// TestRefusedKindsAreFew holds that an agent cannot have as many rows written as there are numbers to try.
func TestRefusedKindsAreFew(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	f, place := enclosure(t, sandbox.Open)
	script := `import ctypes, platform
call = ctypes.CDLL(None).syscall
number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
for i in range(2000):
    call(number, 100 + i, 1, 0)
    call(number, 2, 1, 300 + i)
    call(number, 16, 3, 100 + i)
`
	var out bytes.Buffer
	if _, err := f.Run(t.Context(), run.Command{Path: "/usr/bin/env", Args: []string{"python3", "-c", script},
		Dir: place.Worktree, Stdout: &out, Stderr: &out}); err != nil {
		t.Fatal(err)
	}
	refusals, err := keeper.Turn{Dir: place.Turn}.Refusals()
	if err != nil {
		t.Fatal(err, out.String())
	}
	times := 0
	for _, r := range refusals {
		times += r.Times
	}
	if len(refusals) != 3 || times != 3*2000 {
		t.Errorf("%d kinds, %d times: %.300v %s", len(refusals), times, refusals, out.String())
	}
}
