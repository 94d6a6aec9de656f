package atomicfile

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestReplace(t *testing.T) {
	tests := []struct {
		name    string
		disk    string // "-": no file
		expect  []byte
		changed bool
	}{
		{"as expected", "old", []byte("old"), false},
		{"new file", "-", nil, false},
		{"empty file as expected", "", []byte{}, false},
		{"other bytes", "other", []byte("old"), true},
		{"vanished", "-", []byte("old"), true},
		{"appeared", "other", nil, true},
		{"empty file appeared", "", nil, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder", "file")
			if test.disk != "-" {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				write(t, path, test.disk)
			}
			err := Replacer{}.Replace(path, test.expect, []byte("new"))
			var changed *ChangedError
			if errors.As(err, &changed) != test.changed || !test.changed && err != nil {
				t.Fatalf("Replace = %v", err)
			}
			if left := leftovers(t, filepath.Dir(path)); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			switch {
			case !test.changed:
				if got := read(t, path); got != "new" {
					t.Errorf("file = %q", got)
				}
			case test.disk == "-":
				if changed.Found != nil {
					t.Errorf("found = %q", changed.Found)
				}
			case read(t, path) != test.disk || string(changed.Found) != test.disk || changed.Found == nil:
				t.Errorf("file = %q, found = %q, want %q", read(t, path), changed.Found, test.disk)
			}
		})
	}
}

func TestReplaceKeepsModeAndLink(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	write(t, path, "old")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := (Replacer{}).Replace(link, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 || read(t, path) != "new" {
		t.Errorf("mode %v, content %q", info.Mode(), read(t, path))
	}
	if target, err := os.Readlink(link); err != nil || target != "file" {
		t.Errorf("link = %q, %v", target, err)
	}
}

// An editor saves by writing into the file or by renaming another over it, at every step of a replacement.
func TestSavedInBetween(t *testing.T) {
	saves := map[string]func(path string) error{
		"in place": func(path string) error { return os.WriteFile(path, []byte("saved"), 0o644) },
		"renamed": func(path string) error {
			if err := os.WriteFile(path+"~", []byte("saved"), 0o644); err != nil {
				return err
			}
			return os.Rename(path+"~", path)
		},
	}
	for how, save := range saves {
		for _, at := range []string{"written", "named"} {
			t.Run(how+" at "+at, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "file")
				write(t, path, "old")
				r := Replacer{Step: func(name string) {
					if name == at {
						if err := save(path); err != nil {
							t.Error(err)
						}
					}
				}}
				err := r.Replace(path, []byte("old"), []byte("new"))
				var displaced *DisplacedError
				var changed *ChangedError
				switch {
				case errors.As(err, &displaced):
					if string(displaced.Displaced) != "saved" || read(t, displaced.Kept) != "saved" ||
						read(t, path) != "new" {
						t.Errorf("displaced %q, file %q", displaced.Displaced, read(t, path))
					}
				case errors.As(err, &changed):
					if read(t, path) != "saved" {
						t.Errorf("file %q", read(t, path))
					}
				default:
					t.Fatalf("Replace = %v: somebody's save is lost", err)
				}
			})
		}
	}
}

func TestRecover(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	write(t, path, "current")
	write(t, filepath.Join(folder, ".file.new-123"), "half")
	write(t, swapName(path, []byte("new"), []byte("old")), "new")                       // never exchanged
	write(t, swapName(path, []byte("new2"), []byte("old2")), "old2")                    // exchanged, as expected
	write(t, swapName(path, []byte("new3"), []byte("old3")), "a person's")              // displaced
	write(t, filepath.Join(folder, ".file2"+swapMark+"x-y"), "of another file")         // not ours
	write(t, filepath.Join(folder, "file"+displacedMark+"1"), "kept by an earlier one") // not merged yet
	left, err := Recover(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range left {
		got = append(got, filepath.Base(d.Path)+"="+string(d.Data))
	}
	want := "file.displaced-1=kept by an earlier one file.displaced-2=a person's"
	if strings.Join(got, " ") != want {
		t.Errorf("Recover = %q, want %q", got, want)
	}
	if rest := leftovers(t, folder); len(rest) != 3 {
		t.Errorf("left: %q", rest)
	}
	if read(t, path) != "current" {
		t.Error("the file itself changed")
	}
}

func killAtStep(args []string) error {
	r := Replacer{Step: func(name string) {
		if name == args[1] {
			kill()
		}
	}}
	if len(args) > 2 { // somebody saves right before the exchange
		step := r.Step
		r.Step = func(name string) {
			if name == "named" {
				if err := os.WriteFile(args[0], []byte(args[2]), 0o644); err != nil {
					panic(err)
				}
			}
			step(name)
		}
	}
	return r.Replace(args[0], []byte("old"), []byte("new"))
}

func kill() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

func TestKilledAtEveryStep(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the steps are those of an exchange of files")
	}
	for saved, steps := range map[string][]string{
		"":      {"written", "named", "exchanged", "removed", "synced"},
		"saved": {"named", "exchanged", "kept", "synced"},
	} {
		for _, step := range steps {
			t.Run(step+saved, func(t *testing.T) { killedAt(t, step, saved) })
		}
	}
}

func killedAt(t *testing.T, step, saved string) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "old")
	args := []string{path, step}
	if saved != "" {
		args = append(args, saved)
	}
	out, err := child(t, "kill", args...).CombinedOutput()
	var killed *exec.ExitError
	if !errors.As(err, &killed) || killed.Exited() {
		t.Fatalf("the writer was not killed: %v: %s", err, out)
	}
	current := read(t, path)
	if current != "old" && current != "new" && current != saved {
		t.Errorf("file = %q", current)
	}
	left, err := Recover(path)
	if err != nil {
		t.Fatal(err)
	}
	if saved == "" && len(left) > 0 {
		t.Errorf("displaced %v", left)
	}
	if saved != "" && current != saved && (len(left) != 1 || string(left[0].Data) != saved) {
		t.Errorf("what a person saved is lost: file %q, displaced %v", current, left)
	}
	if err := (Replacer{}).Replace(path, []byte(current), []byte("next")); err != nil {
		t.Errorf("next Replace: %v", err)
	}
	for _, name := range leftovers(t, filepath.Dir(path)) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("left behind %q", name)
		}
	}
}

// writeToFull expects that no byte more fits.
func writeToFull(args []string) error {
	big := bytes.Repeat([]byte("x"), 1<<20)
	errs := map[string]error{
		"Replace":    Replacer{}.Replace(args[0], []byte("old"), big),
		"WriteFile":  WriteFile(args[0], big, 0o644),
		"AppendSync": AppendSync(args[0], 3, big),
	}
	for name, err := range errs {
		if !errors.Is(err, syscall.EFBIG) && !errors.Is(err, syscall.ENOSPC) {
			return errors.New(name + " did not fail for want of space")
		}
		if !strings.Contains(err.Error(), args[0]) {
			return errors.New(name + " does not name the file: " + err.Error())
		}
	}
	return nil
}

func TestAppendSync(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "file")
	for _, step := range []struct {
		keep       int64
		data, want string
	}{
		{0, "one\n", "one\n"},
		{4, "two\n", "one\ntwo\n"},
		{6, "x\n", "one\ntwx\n"},
	} {
		if err := AppendSync(path, step.keep, []byte(step.data)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != step.want {
			t.Errorf("file = %q, want %q", got, step.want)
		}
	}
	if err := AppendSync(path, 100, []byte("x")); err == nil || read(t, path) != "one\ntwx\n" {
		t.Errorf("append behind the end: %v, file %q", err, read(t, path))
	}
}
