//go:build long

package delegate

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestReleaseIsTheSameTwice makes what is released of one commit in two folders, and installs it. All of it is built
// without C, which would take minutes; that programs with C are the same is for the workflow of a release to check.
func TestReleaseIsTheSameTwice(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("packages for this system are not made")
	}
	t.Setenv("CGO_ENABLED", "0")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	first := filepath.Join(t.TempDir(), "first")
	copyTree(t, first)
	commit := commitAll(t, first)
	second := filepath.Join(t.TempDir(), "a folder of another length")
	output(t, t.TempDir(), "git", "clone", "-q", first, second)

	released, again := release(t, first), release(t, second)
	names := slices.Sorted(maps.Keys(released))
	if others := slices.Sorted(maps.Keys(again)); !slices.Equal(names, others) {
		t.Fatalf("the first time there are %q, the second %q", names, others)
	}
	for _, name := range names {
		if !bytes.Equal(released[name], again[name]) {
			t.Errorf("%s differs", name)
		}
	}
	for _, kind := range []string{".tar.gz", ".deb", ".rpm", ".tgz", ".rb", ".cdx.json"} {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, kind) }) {
			t.Errorf("there is no %s: %q", kind, names)
		}
	}

	dist := filepath.Join(first, "dist")
	t.Run("install.sh", func(t *testing.T) { installs(t, dist, commit) })
	t.Run("what differs is not installed", func(t *testing.T) { refuses(t, dist) })
	t.Run("npm", func(t *testing.T) { installsByNPM(t, dist, commit) })
}

// commitAll makes a repository of a folder, and answers its commit.
func commitAll(t *testing.T, folder string) string {
	t.Helper()
	output(t, folder, "git", "init", "-q")
	output(t, folder, "git", "add", "-A")
	output(t, folder, "git", "-c", "user.name=Ada", "-c", "user.email=ada@localhost", "commit", "-qm", "all")
	return output(t, folder, "git", "rev-parse", "HEAD")
}

// release makes what is released for this system, with a temporary folder of its own, and reads it.
func release(t *testing.T, tree string) map[string][]byte {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	output(t, tree, "go", "run", "./.ci/dist", "-only", "linux/amd64", "-releases", "https://localhost/delegate")
	made, err := filepath.Glob(filepath.Join(tree, "dist", "*"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, path := range made {
		if all[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func installs(t *testing.T, dist, commit string) {
	prefix := t.TempDir()
	t.Setenv("PREFIX", prefix)
	output(t, t.TempDir(), "sh", filepath.Join(dist, "install.sh"), dist)
	isOf(t, filepath.Join(prefix, "bin", "delegate"), commit)
	for _, name := range []string{"man/man1/delegate.1", "man/man1/delegate-sync.1",
		"bash-completion/completions/delegate", "zsh/site-functions/_delegate",
		"fish/vendor_completions.d/delegate.fish"} {
		if info, err := os.Stat(filepath.Join(prefix, "share", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is not there: %v", name, err)
		}
	}
}

// refuses changes one byte of the archive.
func refuses(t *testing.T, dist string) {
	other, prefix := t.TempDir(), t.TempDir()
	if err := os.CopyFS(other, os.DirFS(dist)); err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob(filepath.Join(other, "*.tar.gz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("archives are %q, %v", archives, err)
	}
	data, err := os.ReadFile(archives[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	write(t, archives[0], data)
	cmd := exec.CommandContext(t.Context(), "sh", "install.sh", other)
	cmd.Dir, cmd.Env = other, append(os.Environ(), "PREFIX="+prefix)
	said, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(said, []byte("nothing was installed")) {
		t.Errorf("a changed archive: %v\n%s", err, said)
	}
	if there, err := os.ReadDir(prefix); err != nil || len(there) > 0 {
		t.Errorf("%v was installed, %v", there, err)
	}
}

func installsByNPM(t *testing.T, dist, commit string) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not there")
	}
	packages, err := filepath.Glob(filepath.Join(dist, "*.tgz"))
	if err != nil || len(packages) != 2 {
		t.Fatalf("packages are %q, %v", packages, err)
	}
	folder := t.TempDir()
	t.Setenv("npm_config_cache", t.TempDir())
	output(t, folder, "npm", append([]string{"install", "--offline", "--no-audit", "--no-fund", "--prefix", folder},
		packages...)...)
	isOf(t, filepath.Join(folder, "node_modules", ".bin", "delegate"), commit)
}

// isOf holds that a program says the commit that it was made of.
func isOf(t *testing.T, program, commit string) {
	t.Helper()
	var says struct {
		Commit  string
		Changed bool
	}
	if err := json.Unmarshal([]byte(output(t, t.TempDir(), program, "version", "--json")), &says); err != nil {
		t.Fatal(err)
	}
	if says.Commit != commit || says.Changed {
		t.Errorf("%s says that it is %+v, and the commit is %s", program, says, commit)
	}
}
