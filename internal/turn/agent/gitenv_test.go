package agent

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/fence/guard"
)

// fenced is an agent's worktree of a repository with a remote, and the environment that its git has.
type fenced struct {
	t          *testing.T
	root, work string
	env        []string
}

// newFenced makes them in folders whose names git's configuration could take for globs.
func newFenced(t *testing.T) *fenced {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, `a [b] *`)
	f := &fenced{t: t, root: root, work: filepath.Join(root, "work"),
		env: []string{"HOME=" + root, "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH")}}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		f.env = append(f.env, "GIT_"+who+"_NAME=Ada", "GIT_"+who+"_EMAIL=ada@example.com")
	}
	if err := os.MkdirAll(f.work, 0o755); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(root, "main")
	f.git(root, "init", "-q", "-b", "main", main)
	f.git(root, "init", "-q", "--bare", filepath.Join(root, "remote.git"))
	f.git(main, "commit", "-q", "--allow-empty", "-m", "base")
	f.git(main, "worktree", "add", "-q", "-b", "work", f.work)
	program := f.script("program", `echo asked "$@" >&2; test "$2" = git-pre-commit`)
	hooks := filepath.Join(root, "turn", "hooks")
	if err := guard.WriteHooks(hooks, guard.HookOptions{Program: program, Policy: "POLICY",
		Worktree: f.work}); err != nil {
		t.Fatal(err)
	}
	for name, value := range (Place{Git: filepath.Join(main, ".git")}).gitSettings(hooks, os.Getenv("PATH")) {
		f.env = append(f.env, name+"="+value)
	}
	return f
}

// script makes a shell script that can be run, and returns its path.
func (f *fenced) script(name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.root, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		f.t.Fatal(err)
	}
	return path
}

// try runs git and returns what it printed and whether it ended well.
func (f *fenced) try(dir string, args ...string) (string, bool) {
	f.t.Helper()
	var out bytes.Buffer
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, f.env, &out, &out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err == nil
}

func (f *fenced) git(dir string, args ...string) string {
	f.t.Helper()
	out, ok := f.try(dir, args...)
	if !ok {
		f.t.Fatalf("git %q: %s", args, out)
	}
	return out
}

func TestGitReachesNoRemote(t *testing.T) {
	f := newFenced(t)
	remote := filepath.Join(f.root, "remote.git")
	f.git(f.work, "remote", "add", "origin", remote)
	f.git(f.work, "remote", "add", "two", "https://example.com/a")
	f.git(f.work, "config", "remote.two.pushurl", "file://"+remote)
	const words = "asked hook git-pre-push POLICY "
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"push", "origin", "HEAD"}, words + "origin "},
		{[]string{"push", "--no-verify", "origin", "HEAD"}, words + "origin "},
		{[]string{"-c", "core.hooksPath=", "push", "origin", "HEAD"}, words + "origin "},
		{[]string{"push", remote, "HEAD"}, words + remote},
		{[]string{"push", "https://example.com/a", "HEAD"}, words + "https://example.com/a"},
		{[]string{"push", "git@example.com:a", "HEAD"}, words + "git@example.com:a"},
		{[]string{"push", "two", "HEAD"}, "transport 'file' not allowed"},
		{[]string{"-c", "protocol.allow=always", "-c", "remote.origin.pushurl=" + remote, "push", "origin", "HEAD"},
			"transport 'file' not allowed"},
		{[]string{"send-pack", "--all", "https://example.com/a"}, ""},
		{[]string{"fetch", "origin"}, "transport 'file' not allowed"},
		{[]string{"ls-remote", "git@example.com:a"}, "transport 'ssh' not allowed"},
		{[]string{"clone", "-q", "https://example.com/a", filepath.Join(f.root, "clone")},
			"transport 'https' not allowed"},
	} {
		if out, ok := f.try(f.work, c.args...); ok || !strings.Contains(out, c.says) {
			t.Errorf("git %q says %q (well: %v)", c.args, out, ok)
		}
	}
	f.env = append(f.env, "GIT_ALLOW_PROTOCOL=file:"+guard.PushScheme) // the later entry is the one that counts
	if out, ok := f.try(f.work, "-c", "url."+remote+".pushInsteadOf="+remote, "push", "origin", "HEAD"); ok ||
		!strings.Contains(out, words+"origin "+remote) {
		t.Errorf("where the transport is allowed, the hook says %q (well: %v)", out, ok)
	}
	if refs := f.git(remote, "for-each-ref"); refs != "" {
		t.Errorf("the remote has %s", refs)
	}
	f.env = append(f.env, "PATH="+os.Getenv("PATH"))
	if out, ok := f.try(f.work, "push", "https://example.com/a", "HEAD"); ok ||
		!strings.Contains(out, guard.PushScheme) {
		t.Errorf("without the helper it says %q", out)
	}
}

// TestHooksAreForTheRepositoryAlone has repositories that the agent's tests may make, and one of a submodule.
func TestHooksAreForTheRepositoryAlone(t *testing.T) {
	f := newFenced(t)
	const asked = "asked hook git-pre-commit POLICY"
	if out := f.git(f.work, "commit", "--allow-empty", "-m", "x"); !strings.Contains(out, asked) {
		t.Errorf("in the worktree: %q", out)
	}
	own, submodule := filepath.Join(f.root, "own"), filepath.Join(f.work, "sub")
	modules := filepath.Join(f.root, "main", ".git", "worktrees", "work", "modules")
	if err := os.Mkdir(modules, 0o755); err != nil {
		t.Fatal(err)
	}
	f.git(f.root, "init", "-q", own)
	f.git(f.work, "init", "-q", "--separate-git-dir", filepath.Join(modules, "sub"), submodule)
	if err := os.WriteFile(filepath.Join(own, ".git", "hooks", "pre-commit"), []byte("#!/bin/sh\necho its own\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	for dir, says := range map[string]string{own: "its own", submodule: ""} {
		if out := f.git(dir, "commit", "--allow-empty", "-m", "x"); strings.Contains(out, asked) ||
			!strings.Contains(out, says) {
			t.Errorf("in %q: %q", dir, out)
		}
	}
}

func TestGitAsksNobody(t *testing.T) {
	f := newFenced(t)
	f.git(f.work, "config", "commit.gpgSign", "true")
	f.git(f.work, "config", "tag.gpgSign", "true")
	f.git(f.work, "config", "sequence.editor", "false")
	f.git(f.work, "config", "core.editor", "false")
	asked := filepath.Join(f.root, "asked")
	f.git(f.work, "config", "credential.helper", "!touch '"+asked+"'; echo password=x; echo username=")
	f.script("asks", "touch '"+asked+"'; echo x")
	f.git(f.work, "config", "core.askPass", filepath.Join(f.root, "asks"))
	if out, ok := f.try(f.work, "commit", "--allow-empty"); ok || !strings.Contains(out, "empty commit message") {
		t.Errorf("without a message: %q (well: %v)", out, ok)
	}
	f.git(f.work, "commit", "-q", "--allow-empty", "-m", "one")
	f.git(f.work, "commit", "-q", "--allow-empty", "--amend")
	f.git(f.work, "tag", "-m", "x", "v1")
	f.git(f.work, "switch", "-q", "-c", "other", "HEAD~")
	f.git(f.work, "commit", "-q", "--allow-empty", "-m", "two")
	f.git(f.work, "merge", "-q", "work")
	f.git(f.work, "rebase", "-q", "-i", "--root", "--keep-empty")
	cmd := exec.Command("git", "credential", "fill")
	cmd.Dir, cmd.Env, cmd.Stdin = f.work, f.env, strings.NewReader("protocol=https\nhost=example.com\n\n")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "terminal prompts disabled") {
		t.Errorf("a login: %q, %v", out, err)
	}
	f.script("ssh", "touch '"+asked+"'; exit 1")
	f.env = append(f.env, "GIT_ALLOW_PROTOCOL=ssh", "PATH="+f.root+":"+os.Getenv("PATH"))
	if out, ok := f.try(f.work, "ls-remote", "git@example.com:a"); ok {
		t.Errorf("by ssh: %q", out)
	}
	if _, err := os.Lstat(asked); err == nil {
		t.Error("a program of the person's was asked")
	}
}

// TestGitLeavesTheRepositoryAlone has a repository that is configured for what an agent's git must not do there.
func TestGitLeavesTheRepositoryAlone(t *testing.T) {
	f := newFenced(t)
	for key, value := range map[string]string{"gc.auto": "0", "maintenance.auto": "false", "core.fsmonitor": "false",
		"core.splitIndex": "false"} {
		f.git(f.work, "config", key, "1")
		if got := f.git(f.work, "config", key); got != value {
			t.Errorf("%s is %q", key, got)
		}
	}
}

func TestFilesOfSomebodyElse(t *testing.T) {
	f := newFenced(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, path := range []string{f.work, filepath.Join(f.work, ".git"), filepath.Join(f.root, "main"),
		filepath.Join(f.root, "main", ".git")} {
		if err := os.Lchown(path, 65532, 65532); err != nil {
			t.Fatal(err)
		}
	}
	f.git(f.work, "status")
}

func TestPathOfGit(t *testing.T) {
	bin := filepath.Join("/hooks", guard.HookPrograms)
	for path, want := range map[string]string{"": bin, "/bin:/usr/bin": bin + ":/bin:/usr/bin"} {
		if got := (Place{Git: "/g"}).gitSettings("/hooks", path)["PATH"]; got != want {
			t.Errorf("PATH %q is %q", path, got)
		}
	}
}
