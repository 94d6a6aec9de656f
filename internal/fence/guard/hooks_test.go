package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHookAsksBeforeACommit(t *testing.T) {
	b := newBench(t)
	b.hooked("")
	b.write(b.work(), "src/a.go", "x")
	b.do(b.work(), "git", "commit", "-q", "-a", "-m", "may")
	if said, want := b.said(), "hook git-pre-commit "+filepath.Join(b.ground.root, "policy x.json"); said != want {
		t.Errorf("asked %q, want %q", said, want)
	}
	b.refuse("git-pre-commit")
	b.write(b.work(), "src/a.go", "y")
	if out, ok := b.try(b.work(), "git", "commit", "-q", "-a", "-m", "may not"); ok {
		t.Errorf("a refused commit was made: %s", out)
	}
	b.do(b.work(), "git", "commit", "-q", "-a", "-m", "past the hook", "--no-verify") // an early refusal only
	if err := os.RemoveAll(filepath.Join(b.ground.root, "it's a")); err != nil {
		t.Fatal(err)
	}
	if out, ok := b.try(b.work(), "git", "commit", "--allow-empty", "-m", "nobody to ask"); ok {
		t.Errorf("without the program a commit was made: %s", out)
	}
}

// TestOwnHooks has a person's hooks in the repository, elsewhere, and in the worktree.
func TestOwnHooks(t *testing.T) {
	for name, own := range map[string]func(b *bench) (folder, configured string){
		"in the repository": func(b *bench) (string, string) {
			f := filepath.Join(b.main, ".git", "hooks")
			return f, f
		},
		"elsewhere": func(b *bench) (string, string) {
			f := filepath.Join(b.ground.root, "it's mine")
			return f, f
		},
		"in the worktree": func(b *bench) (string, string) {
			return filepath.Join(b.work(), "src", ".husky", "_"), "src/.husky/_"
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			folder, configured := own(b)
			log := filepath.Join(b.ground.root, "log")
			note := func(what string) string { return `echo "` + what + `" >> ` + log }
			b.script(filepath.Join(folder, "pre-commit"), note(`$(basename "$0") $#`)+`; test ! -e `+log+`.refuse`)
			b.script(filepath.Join(folder, "commit-msg"), note(`commit-msg $(cat "$1")`)+"; ! grep -q bad \"$1\"")
			b.script(filepath.Join(folder, "post-rewrite"), note(`$1 $(wc -l)`))
			b.script(filepath.Join(folder, "helper.sh"), "")
			b.write("/", filepath.Join(folder, "post-commit"), "not to be run")
			dir := b.hooked(configured)
			for _, name := range []string{"helper.sh", "post-commit"} {
				if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
					t.Errorf("%s is no hook and has a script", name)
				}
			}
			b.do(b.work(), "git", "commit", "-q", "--allow-empty", "-m", "good")
			b.do(b.work(), "git", "commit", "-q", "--allow-empty", "--amend", "-m", "better")
			for _, refused := range []string{"bad", "refused by pre-commit"} {
				if out, ok := b.try(b.work(), "git", "commit", "--allow-empty", "-m", refused); ok {
					t.Errorf("%s: the person's hook refused: %s", refused, out)
				}
				b.write("/", log+".refuse", "")
			}
			b.refuse("git-pre-commit")
			if _, ok := b.try(b.work(), "git", "commit", "--allow-empty", "-m", "good"); ok {
				t.Error("the person's hook allowed what the scope refuses")
			}
			data, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			want := "pre-commit 0|commit-msg good|pre-commit 0|commit-msg better|amend 1|pre-commit 0|commit-msg " +
				"bad|pre-commit 0"
			if got := strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", "|"); got != want {
				t.Errorf("the person's hooks did %q,\nwant %q", got, want)
			}
			if err := os.RemoveAll(folder); err != nil { // the scripts stay
				t.Fatal(err)
			}
			b.refuse("nothing")
			b.do(b.work(), "git", "commit", "-q", "--allow-empty", "-m", "bad, but nobody looks")
		})
	}
}

// TestNoHooks has folders of hooks that are none.
func TestNoHooks(t *testing.T) {
	b := newBench(t)
	pipe := filepath.Join(b.ground.root, "pipe")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	// which has samples
	for i, own := range []string{os.DevNull, pipe, "missing/hooks", "src/a.go/hooks",
		filepath.Join(b.main, ".git", "hooks")} {
		dir := filepath.Join(b.ground.root, "hooks", string(rune('a'+i)))
		if err := WriteHooks(dir, HookOptions{Program: "/p", Policy: "/q", Worktree: b.work(), Own: own}); err != nil {
			t.Errorf("%q: %v", own, err)
		}
		entries, err := os.ReadDir(dir)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || !slices.Equal(names, []string{"bin", "gitconfig", "pre-commit", "pre-push"}) {
			t.Errorf("%q: %q, %v", own, names, err)
		}
	}
}

func TestHookRefusesPush(t *testing.T) {
	b := newBench(t)
	dir := b.hooked("")
	b.refuse("git-pre-push")
	remote := filepath.Join(b.ground.root, "remote.git")
	policy := filepath.Join(b.ground.root, "policy x.json")
	for _, words := range [][]string{{"origin", "HEAD"}, {remote, "HEAD"}, {"file://" + remote, "HEAD:refs/heads/x"},
		{"--all", "origin"}} {
		if out, ok := b.try(b.work(), append([]string{"git", "push"}, words...)...); ok {
			t.Errorf("%q went through: %s", words, out)
		}
		if said := b.said(); !strings.HasPrefix(said, "hook git-pre-push "+policy+" ") ||
			!strings.HasSuffix(said, remote) {
			t.Errorf("%q asked %q", words, said)
		}
	}
	b.env = append(b.env, "PATH="+filepath.Join(dir, HookPrograms)+":"+os.Getenv("PATH"))
	out, ok := b.try(b.work(), "git", "-c", "url."+PushScheme+"://.pushInsteadOf=", "push", "origin", "HEAD")
	if said, want := b.said(), "hook git-pre-push "+policy+" origin "+PushScheme+"://"+remote; ok || said != want {
		t.Errorf("the helper asked %q, want %q; %s", said, want, out)
	}
	if refs := b.do(remote, "git", "for-each-ref"); refs != "" {
		t.Errorf("the remote has %s", refs)
	}
}
