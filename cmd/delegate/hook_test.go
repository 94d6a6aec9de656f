package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"delegate/internal/fence/guard"
	"delegate/internal/turn/agentdir"
)

// panics is a payload that cannot even be read.
type panics struct{}

func (panics) Read([]byte) (int, error) { panic("the reader broke\nin two lines") }

// endless is a payload that is too long.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, strings.Repeat(" ", len(p))), nil }

// closed is an output that nobody reads.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

func TestHookStopsInDoubt(t *testing.T) {
	root := t.TempDir()
	p := guard.Policy{Worktree: filepath.Join(root, "work"), AgentDir: filepath.Join(root, "desk"),
		Home: filepath.Join(root, "home"), Tmp: filepath.Join(root, "tmp"), Allowed: []string{"src/**"}}
	path := filepath.Join(root, "policy.json")
	if err := p.Write(path); err != nil {
		t.Fatal(err)
	}
	refused := `{"cwd":"/","hook_event_name":"PreToolUse","tool_name":"Agent","tool_input":{}}`
	var out, complaints bytes.Buffer
	for name, ask := range map[string]func() int{
		"a panic":           func() int { return hook([]string{"claude", path}, panics{}, &out, &complaints) },
		"a payload too big": func() int { return hook([]string{"claude", path}, endless{}, &out, &complaints) },
		"a broken pipe": func() int {
			return hook([]string{"claude", path}, iotest.ErrReader(errors.New("broken")), &out, &complaints)
		},
		"a closed output": func() int {
			return hook([]string{"claude", path}, strings.NewReader(refused), closed{}, &complaints)
		},
		"too few words": func() int { return hook([]string{"claude"}, strings.NewReader(refused), &out, &complaints) },
	} {
		out.Reset()
		complaints.Reset()
		if code := ask(); code != exitDoubt || out.Len() > 0 || bytes.Count(complaints.Bytes(), []byte("\n")) != 1 {
			t.Errorf("%s: exit %d, %q, %q", name, code, &out, &complaints)
		}
	}
	if code := hook([]string{"claude", path}, strings.NewReader(refused), &out, &complaints); code != exitDone ||
		!strings.Contains(out.String(), "deny") {
		t.Errorf("exit %d, %q, %q", code, &out, &complaints)
	}
}

// TestGitHooks has git ask this program through the hooks that are written for an agent, in a
// repository where the person has hooks too.
func TestGitHooks(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, hooks, policy := filepath.Join(root, "work"), filepath.Join(root, "turn", "hooks"),
		filepath.Join(root, "turn", "policy.json")
	p := guard.Policy{Agent: "AGT-001", Worktree: work, AgentDir: filepath.Join(root, "desk"),
		Home: filepath.Join(root, "home"), Tmp: filepath.Join(root, "tmp"), Allowed: []string{"src/**"}}
	for _, dir := range []string{filepath.Join(work, "src"), p.AgentDir, p.Home, filepath.Dir(policy)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "GIT_CONFIG_NOSYSTEM=1"}
	git := func(refusal string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"},
			args...)...)
		cmd.Dir, cmd.Env = work, env
		out, err := cmd.CombinedOutput()
		if (err != nil) != (refusal != "") || !strings.Contains(string(out), refusal) {
			t.Errorf("git %q: %v, %s", args, err, out)
		}
	}
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(work, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git("", "init", "-q")
	git("", "init", "-q", "--bare", "../remote.git")
	write(".git/hooks/pre-commit", "#!/bin/sh\necho the person looks\ntest ! -e src/bad\n")
	write(".git/hooks/commit-msg", "#!/bin/sh\n! grep -q WIP \"$1\"\n")
	if err := p.Write(policy); err != nil {
		t.Fatal(err)
	}
	if err := guard.WriteHooks(hooks, guard.HookOptions{Program: os.Args[0], Policy: policy, Worktree: work,
		Own: ".git/hooks"}); err != nil {
		t.Fatal(err)
	}
	env = append(env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=include.path",
		"GIT_CONFIG_VALUE_0="+filepath.Join(hooks, guard.HookConfig))
	write("src/a", "x")
	git("", "add", ".")
	git("", "commit", "-m", "the first commit")
	write("b", "x")
	git("", "add", "b")
	git(`"b" is outside the scope`, "commit", "-m", "out of scope")
	git("", "commit", "-m", "another index", "--allow-empty", "--only")
	write("src/a", "y")
	git("", "commit", "-m", "one path of an index with two", "src/a")
	git(`"b" is outside the scope`, "commit", "-m", "this path alone", "b")
	write("src/bad", "x")
	git("the person looks", "commit", "-m", "the person refuses", "--allow-empty", "--only")
	if err := os.Remove(filepath.Join(work, "src", "bad")); err != nil {
		t.Fatal(err)
	}
	git("the person looks", "commit", "-m", "WIP", "--allow-empty", "--only")
	git("", "commit", "-m", "past the hooks", "--no-verify") // which are no fence
	git("agents reach no remote", "push", "../remote.git", "HEAD")
	git("", "push", "--no-verify", "../remote.git", "HEAD:refs/heads/past")
	attempts, _, err := agentdir.Dir(p.AgentDir).ReadRefusals()
	var got []string
	for _, a := range attempts {
		got = append(got, a.Layer+" "+a.Operation+" "+a.Path)
	}
	if want := []string{"git commit b", "git commit b", "git push ../remote.git"}; err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("reported are %q, %v; want %q", got, err, want)
	}
}
