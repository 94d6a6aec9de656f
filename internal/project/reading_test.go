package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/fence/sandbox"
	"delegate/internal/project"
)

// reader is a project in a home with files of the person's, beside the repository, behind links and among toolchains.
func reader(t *testing.T, configuration string) (b *box, p *project.Project, home string) {
	t.Helper()
	secluded(t)
	home = t.TempDir()
	t.Setenv("HOME", home)
	for name, text := range map[string]string{
		"notes.txt": "private", "code/other/main.go": "private", ".cargo/credentials.toml": "private",
		".cargo/bin/tool": "#!/bin/sh\necho tool", ".cache/mail/letter": "private", ".cache/go-build/README": "cache",
		"odd/app/bin/app": "#!/bin/sh\n. " + home + "/odd/app/lib/part", "odd/app/lib/part": "echo app",
		"odd/app.key": "private", ".netrc": "private", "letters/a": "letter",
	} {
		at := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	links := filepath.Join(home, ".local", "bin")
	if err := os.MkdirAll(links, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, "odd", "app", "bin", "app"), filepath.Join(links, "app")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", links+":"+filepath.Join(home, ".cargo", "bin")+":"+os.Getenv("PATH"))
	b = newBox(t, map[string]string{".delegate.yaml": configuration, "f": "f\n"})
	return b, b.project(), home
}

// lookAround prints each of the files that can be read.
const lookAround = `for f in notes.txt code/other/main.go .cargo/credentials.toml .cargo/bin/tool .cache/mail/letter ` +
	`.cache/go-build/README odd/app.key odd/app/lib/part .netrc letters/a; do ` +
	`cat ~/$f >/dev/null 2>&1 && echo "$f"; done; app; tool; git log --oneline | wc -l; cat f; ls ~`

// TestReadingByList holds that commands on what agents wrote read of the person's folders toolchains, caches, the
// checkout and its git, and nothing else: neither what lies beside them nor a login among them.
func TestReadingByList(t *testing.T) {
	b, p, _ := reader(t, "sandbox: {read: list, readable: ~/letters}\n")
	got := ran(t, b, p, lookAround)
	want := ".cargo/bin/tool\n.cache/go-build/README\nodd/app/lib/part\nletters/a\napp\ntool\n1\nf\nletters\nodd\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestReadingTheHome holds that all but credentials can be read without the key, and that sandbox.readable opens a
// place of credentials.
func TestReadingTheHome(t *testing.T) {
	b, p, _ := reader(t, "sandbox: {readable: [~/.netrc]}\n")
	got := ran(t, b, p, lookAround)
	want := "notes.txt\ncode/other/main.go\n.cargo/bin/tool\n.cache/mail/letter\n.cache/go-build/README\n" +
		"odd/app.key\nodd/app/lib/part\n.netrc\nletters/a\napp\ntool\n1\nf\ncode\nletters\nnotes.txt\nodd\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestReadingInAHiddenPlace holds that a repository is worked in where it lies among what is hidden, and that nothing
// beside it is shown.
func TestReadingInAHiddenPlace(t *testing.T) {
	secluded(t)
	for _, read := range []string{"home", "list"} {
		b := newBox(t, map[string]string{"f": "f\n"})
		around := filepath.Dir(b.Dir)
		b.Write(map[string]string{".delegate.yaml": "sandbox: {read: " + read + ", hidden: [" + around + "]}\n"})
		if err := os.WriteFile(filepath.Join(around, "beside"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		got := ran(t, b, b.project(), "git log --oneline | wc -l; cat f; ls "+
			filepath.Join(around, "beside")+" 2> /dev/null")
		if want := "1\nf\n"; got != want {
			t.Errorf("read: %s: got %q, want %q", read, got, want)
		}
	}
}

// TestReadingThroughLinks holds that a home and a toolchain are found by the names that they have, where links lead
// to what they are, and that a link opens nothing else.
func TestReadingThroughLinks(t *testing.T) {
	b, _, home := reader(t, "sandbox: {read: list}\n")
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(filepath.Join(home, ".cargo"), moved); err != nil {
		t.Fatal(err)
	}
	alias := filepath.Join(t.TempDir(), "alias")
	for link, to := range map[string]string{filepath.Join(home, ".cargo"): moved, alias: home} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", alias)
	t.Setenv("PATH", strings.ReplaceAll(os.Getenv("PATH"), home, alias))
	got := ran(t, b, b.project(), lookAround)
	want := ".cargo/bin/tool\n.cache/go-build/README\nodd/app/lib/part\napp\ntool\n1\nf\nodd\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestNoListWithoutNamespaces holds that a machine that cannot hold the list starts nothing and says what to write.
func TestNoListWithoutNamespaces(t *testing.T) {
	b := newBox(t, map[string]string{".delegate.yaml": "sandbox: {read: list}\n", "f": "f\n"})
	held := sandbox.Policy{Worktree: b.Dir}
	err := b.project().ConfineReading(&held, sandbox.Support{Landlock: 7, Fault: "no user namespaces"}, nil)
	if err == nil || !strings.Contains(err.Error(), "no user namespaces; write  read: home") {
		t.Errorf("%v", err)
	}
}
