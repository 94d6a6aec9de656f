package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// The last private copy is damaged: it is said, set aside by the next change, and everything goes on from the
// file and the copy before.
func TestDamagedCopy(t *testing.T) {
	for _, damage := range []struct{ name, content string }{
		{"empty", ""}, {"blank", "\n \n"}, {"garbage", "## Agents\n\x00\xff garbage"},
		{"newest two", "## Agents\n### AGT"},
	} {
		for _, disk := range []struct {
			name string
			do   func(t *testing.T, s *Store)
		}{
			{"a sound file", func(*testing.T, *Store) {}},
			{"an edited file", func(t *testing.T, s *Store) {
				edit(t, s.o.Path, "# Delegation Registry", "# Delegation Registry\n\nMine.")
			}},
			{"no file", func(t *testing.T, s *Store) { remove(t, s.o.Path) }},
			{"an empty file", func(t *testing.T, s *Store) { write(t, s.o.Path, "") }},
		} {
			t.Run(damage.name+" beside "+disk.name, func(t *testing.T) {
				s := storeIn(t.TempDir())
				thirtyWrites(t, s)
				disk.do(t, s)
				numbers, err := s.versions.numbers()
				if err != nil {
					t.Fatal(err)
				}
				write(t, s.versions.path(numbers[0]), damage.content)
				if damage.name == "newest two" {
					write(t, s.versions.path(numbers[1]), damage.content)
				}
				if seen := view(t, s); seen.Session == nil || len(seen.Notices) == 0 ||
					!strings.Contains(seen.Notices[0], "is damaged; the one before it counts") {
					t.Errorf("view: session %v, notices %q", seen.Session, seen.Notices)
				}
				if state := update(t, s, message("after")); state.Session == nil || len(state.Events) < 31 {
					t.Errorf("%d events", len(state.Events))
				}
				if data := read(t, s.versions.path(numbers[0])+".damaged"); data != damage.content {
					t.Errorf("set aside: %q", data)
				}
				if state := update(t, s, message("again")); len(state.Notices) > 0 {
					t.Errorf("notices again: %q", state.Notices)
				}
			})
		}
	}
}

// A registry that was cut off is taken back from the last version written, and what was there is kept.
func TestRecall(t *testing.T) {
	s := storeIn(t.TempDir())
	if _, err := s.PlanRecall(); !errors.Is(err, ErrNothingKept) {
		t.Fatalf("nothing is kept: %v", err)
	}
	thirtyWrites(t, s)
	whole := read(t, s.o.Path)
	if r, err := s.PlanRecall(); err != nil || !r.Same() || r.Kept != keptVersions {
		t.Fatalf("%+v, %v", r, err)
	}
	cut := whole[:1500]
	write(t, s.o.Path, cut)
	r, err := s.PlanRecall()
	if err != nil || r.Same() || r.State.Session == nil || len(r.State.Agents) != 2 || len(r.Back) == 0 ||
		len(r.Faults) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	write(t, s.o.Path, cut+"\nmeanwhile\n")
	var changed *atomicfile.ChangedError
	if err := s.Recall(context.Background(), r); !errors.As(err, &changed) || read(t, s.o.Path) != cut+"\nmeanwhile\n" {
		t.Fatalf("it changed meanwhile: %v", err)
	}
	if r, err = s.PlanRecall(); err != nil {
		t.Fatal(err)
	}
	if err := s.Recall(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if read(t, s.o.Path) != whole || read(t, r.Aside) != cut+"\nmeanwhile\n" {
		t.Errorf("file:\n%s\nkept aside:\n%s", read(t, s.o.Path), read(t, r.Aside))
	}
	if state := update(t, s, message("after")); len(state.Notices) > 0 {
		t.Errorf("notices %q", state.Notices)
	}
	write(t, s.o.Path, "<!-- delegate registry, format 99 -->\n")
	var newer *registry.VersionError
	if _, err := s.PlanRecall(); !errors.As(err, &newer) {
		t.Errorf("a newer version's file: %v", err)
	}
}

// The newest version that parses is taken, and a file that is gone comes back as well.
func TestRecallPassesDamagedOver(t *testing.T) {
	s := storeIn(t.TempDir())
	written := thirtyWrites(t, s)
	numbers, err := s.versions.numbers()
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.versions.path(numbers[0]), "")
	remove(t, s.o.Path)
	r, err := s.PlanRecall()
	if err != nil || r.Damaged != 1 || !r.Missing {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := s.Recall(context.Background(), r); err != nil || read(t, s.o.Path) != written[len(written)-1] {
		t.Errorf("%v:\n%s", err, read(t, s.o.Path))
	}
}

func TestNewerFormatNamesItsLine(t *testing.T) {
	faults := registry.Check([]byte("# Delegation Registry\n\n<!-- delegate registry, format 99 -->\n"))
	if len(faults) != 1 || faults[0].Line != 3 {
		t.Errorf("%+v", faults)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(filepath.Clean(path)); err != nil {
		t.Fatal(err)
	}
}
