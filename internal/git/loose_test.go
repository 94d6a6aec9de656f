package git_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLooseAnswersAreThoseOfGit holds what is read without a process against what git says of the same names, where all
// lies in files of its own, where a part is packed, and where files are damaged.
func TestLooseAnswersAreThoseOfGit(t *testing.T) {
	for name, change := range map[string]func(b *box){
		"as it is": func(*box) {},
		"packed":   func(b *box) { b.Git("repack", "-a", "-d", "-q"); b.Git("pack-refs", "--all") },
		"packed before": func(b *box) {
			b.Git("repack", "-a", "-d", "-q")
			b.Git("pack-refs", "--all")
			b.Commit("more")
		},
		"a commit cut off": func(b *box) {
			b.damage(b.Git("rev-parse", "main"), func(data []byte) []byte { return data[:len(data)/2] })
		},
		"an empty commit file": func(b *box) {
			b.damage(b.Git("rev-parse", "main"), func([]byte) []byte { return nil })
		},
		"its tree is gone": func(b *box) {
			id := b.Git("rev-parse", "main^{tree}")
			if err := os.Remove(b.object(id)); err != nil {
				b.Fatal(err)
			}
		},
		"an empty reference": func(b *box) { b.Write(map[string]string{".git/refs/heads/side": ""}) },
		"a reference without its end": func(b *box) {
			b.Write(map[string]string{".git/refs/heads/side": b.Git("rev-parse", "main")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n"})
			b.Git("branch", "side")
			b.Git("tag", "-a", "-m", "tagged", "v1")
			b.Git("symbolic-ref", "refs/heads/alias", "refs/heads/side")
			first := b.Git("rev-parse", "HEAD")
			b.Write(map[string]string{"f": "2\n"})
			b.Commit("second")
			change(b)
			for _, name := range []string{"refs/heads/main", "refs/heads/side", "refs/tags/v1", "refs/heads/alias",
				"refs/heads/none", "refs/heads/../heads/main", first, first[:10], strings.Repeat("12", 20)} {
				r := b.open()
				got, err := r.Resolve(t.Context(), name)
				want, wantErr := b.Try("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
				if want = strings.TrimSpace(want); (err == nil) != (wantErr == nil) || err == nil && got != want {
					t.Errorf("%s: %q, %v; git says %q, %v", name, got, err, want, wantErr)
				}
				got, err = r.TreeOf(t.Context(), name)
				want, wantErr = b.Try("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{tree}")
				if want = strings.TrimSpace(want); (err == nil) != (wantErr == nil) || err == nil && got != want {
					t.Errorf("tree of %s: %q, %v; git says %q, %v", name, got, err, want, wantErr)
				}
			}
		})
	}
}

// object is the file of an object.
func (b *box) object(id string) string {
	return filepath.Join(b.Dir, ".git", "objects", id[:2], id[2:])
}

// damage changes what the file of an object holds.
func (b *box) damage(id string, change func([]byte) []byte) {
	b.Helper()
	data, err := os.ReadFile(b.object(id))
	if err == nil {
		if err = os.Chmod(b.object(id), 0o644); err == nil {
			err = os.WriteFile(b.object(id), change(data), 0o644)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
}

// TestReferencesAreThoseOfGit holds the references below a folder against git's list of them.
func TestReferencesAreThoseOfGit(t *testing.T) {
	const below = "refs/heads/delegate/"
	for name, c := range map[string]struct {
		change    func(b *box)
		processes []string
	}{
		"none":   {func(*box) {}, nil},
		"usual":  {func(b *box) { b.Git("branch", "delegate/a"); b.Git("branch", "delegate/b/c") }, nil},
		"beside": {func(b *box) { b.Git("pack-refs", "--all"); b.Git("branch", "delegate/a") }, nil},
		"files that are none": {func(b *box) {
			b.Git("branch", "delegate/a")
			b.Write(map[string]string{".git/" + below + ".keep": "", ".git/" + below + "a.lock": "x"})
		}, nil},
		"packed": {func(b *box) {
			b.Git("branch", "delegate/a")
			b.Git("pack-refs", "--all")
			b.Git("branch", "delegate/b")
		}, []string{"for-each-ref"}},
		"a name that is none": {func(b *box) {
			b.Git("branch", "delegate/a")
			b.Write(map[string]string{".git/" + below + "a~": b.Git("rev-parse", "main") + "\n"})
		}, []string{"for-each-ref"}},
		"symbolic": {func(b *box) {
			b.Git("branch", "delegate/a")
			b.Git("symbolic-ref", below+"s", below+"a")
		}, []string{"for-each-ref"}},
		"many": {func(b *box) {
			for i := range 101 {
				b.Write(map[string]string{fmt.Sprintf(".git/%sn%d", below, i): b.Git("rev-parse", "main") + "\n"})
			}
		}, []string{"for-each-ref"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{"f": "1\n"})
			c.change(b)
			r, log := b.open(), watchGit(t, "")
			got, err := r.RefsUnder(t.Context(), below)
			processes := log()
			want := map[string]string{}
			for line := range strings.Lines(b.Git("for-each-ref", "--format=%(refname) %(objectname)", below)) {
				ref, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				if want[ref] = id; ref == "warning:" { // of a name that is none
					delete(want, ref)
				}
			}
			if err != nil || !maps.Equal(got, want) {
				t.Errorf("%v, %v; git lists %v", got, err, want)
			}
			equal(t, "processes", processes, c.processes)
		})
	}
}
