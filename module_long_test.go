//go:build long

package delegate

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	gomodule "golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// address is what the module is called in this test, and released is its version.
const (
	address  = "example.org/team/delegate"
	released = "v0.1.0"
)

// TestModuleHasAnAddress gives a copy of the tree an address, serves it as a proxy does, installs the program from
// there and runs a program of another module that uses the public packages. Nothing comes from the network.
func TestModuleHasAnAddress(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("make is not there")
	}
	tree, proxy := filepath.Join(t.TempDir(), "tree"), filepath.Join(t.TempDir(), "proxy")
	copyTree(t, tree)
	t.Setenv("GOWORK", "off")
	output(t, tree, "make", "module", "PATH="+address)
	// The rules about imports know the new address.
	output(t, tree, "go", "test", "-count=1", "-run", "TestRulesCanFail|TestHouse/(imports_go_down|one_door_each)", ".")
	if left := output(t, tree, "gofmt", "-l", "."); left != "" {
		t.Errorf("not formatted any more:\n%s", left)
	}
	serve(t, tree, filepath.Join(proxy, address, "@v"))

	known := filepath.Join(output(t, ".", "go", "env", "GOMODCACHE"), "cache", "download")
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(known))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw -mod=mod -trimpath")
	t.Setenv("GOBIN", t.TempDir())
	t.Setenv("CGO_ENABLED", "0")
	output(t, t.TempDir(), "go", "install", address+"/cmd/delegate@"+released)
	installed := filepath.Join(os.Getenv("GOBIN"), "delegate")
	if is := output(t, ".", "go", "version", "-m", installed); !strings.Contains(is, address+"\t"+released) {
		t.Errorf("the installed program is\n%s", is)
	}
	output(t, t.TempDir(), installed, "--version")

	outside := t.TempDir()
	main, err := os.ReadFile(filepath.Join(tree, "testdata", "foreign", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(outside, "main.go"), main)
	write(t, filepath.Join(outside, "go.mod"),
		[]byte("module foreign\n\ngo 1.26.0\n\nrequire "+address+" "+released+"\n"))
	said := output(t, outside, "go", "run", ".")
	for _, want := range []string{"scope: true true false", "checkpoint: AGT-001 COMPLETE MERGE", "+two",
		"conflict: API_CONFLICT", "registry: true", "worktree: 1"} {
		if !strings.Contains(said, want) {
			t.Errorf("the foreign program does not say %q:\n%s", want, said)
		}
	}
}

// copyTree copies what belongs to the module, as git lists it, and what is new beside that.
func copyTree(t *testing.T, to string) {
	t.Helper()
	listed := output(t, ".", "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for name := range strings.SplitSeq(strings.Trim(listed, "\x00"), "\x00") {
		info, err := os.Lstat(name)
		if os.IsNotExist(err) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, name), data)
		if err := os.Chmod(filepath.Join(to, name), info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

// serve writes the module as a proxy has it.
func serve(t *testing.T, tree, folder string) {
	t.Helper()
	info, err := json.Marshal(map[string]any{"Version": released, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(tree, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "list"), []byte(released+"\n"))
	write(t, filepath.Join(folder, released+".info"), info)
	write(t, filepath.Join(folder, released+".mod"), file)
	archive, err := os.Create(filepath.Join(folder, released+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := modzip.CreateFromDir(archive, gomodule.Version{Path: address, Version: released}, tree); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func output(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	data, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", path.Base(name), args, err, data)
	}
	return strings.TrimSpace(string(data))
}
