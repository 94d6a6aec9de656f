package guard

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bench is a repository with a linked worktree, in which an agent works, and a remote.
type bench struct {
	t      *testing.T
	ground ground
	main   string
	env    []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	g := newGround(t)
	if err := os.RemoveAll(g.policy.Worktree); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.policy.Home, "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=:"}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME=Ada", "GIT_"+who+"_EMAIL=ada@example.com")
	}
	b := &bench{t: t, ground: g, main: filepath.Join(g.root, "main"), env: env}
	b.do(g.root, "git", "init", "-q", "-b", "main", "main")
	b.do(g.root, "git", "init", "-q", "--bare", "remote.git")
	for _, path := range []string{"src/a.go", "lib/a.go", "src/legacy/a.go"} {
		b.write(b.main, path, "base\n")
	}
	b.do(b.main, "git", "add", ".")
	b.do(b.main, "git", "commit", "-q", "-m", "base")
	b.do(b.main, "git", "remote", "add", "origin", filepath.Join(g.root, "remote.git"))
	b.do(b.main, "git", "worktree", "add", "-q", "-b", "work", g.policy.Worktree)
	return b
}

func (b *bench) work() string { return b.ground.policy.Worktree }

func (b *bench) write(dir, path, content string) {
	b.t.Helper()
	whole := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(whole), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(whole, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// script makes a shell script that can be run.
func (b *bench) script(path, text string) {
	b.t.Helper()
	b.write("/", path, "#!/bin/sh\n"+text+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// try runs a command and returns what it printed and whether it ended well.
func (b *bench) try(dir string, words ...string) (string, bool) {
	b.t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, b.env, &out, &out
	err := cmd.Run()
	return out.String(), err == nil
}

func (b *bench) do(dir string, words ...string) string {
	b.t.Helper()
	out, ok := b.try(dir, words...)
	if !ok {
		b.t.Fatalf("%q: %s", words, out)
	}
	return strings.TrimSpace(out)
}

// hooked makes the worktree's git run the hooks that WriteHooks writes, with a program in this
// one's place that says what it was asked and refuses what the file "refuse" names. The folder with
// the hooks has a name that shells and git must be careful with.
func (b *bench) hooked(own string) string {
	b.t.Helper()
	asked := filepath.Join(b.ground.root, "asked")
	program := filepath.Join(b.ground.root, "it's a", "program")
	b.script(program, `echo "$@" >> `+asked+`; ! grep -qx "$2" `+asked+`.refuse 2> /dev/null`)
	dir := filepath.Join(b.ground.root, `the "agent's" $hooks`)
	if err := WriteHooks(dir, HookOptions{Program: program, Policy: filepath.Join(b.ground.root, "policy x.json"),
		Worktree: b.work(), Own: own}); err != nil {
		b.t.Fatal(err)
	}
	b.env = append(b.env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=include.path",
		"GIT_CONFIG_VALUE_0="+filepath.Join(dir, HookConfig))
	return dir
}

// refuse has the program refuse some questions from now on.
func (b *bench) refuse(questions ...string) {
	b.t.Helper()
	b.write(b.ground.root, "asked.refuse", strings.Join(questions, "\n")+"\n")
}

// said is what the program was asked since the last time.
func (b *bench) said() string {
	b.t.Helper()
	path := filepath.Join(b.ground.root, "asked")
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	if err := os.Remove(path); err != nil {
		b.t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}
