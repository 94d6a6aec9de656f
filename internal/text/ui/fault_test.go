package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// TestWhatTheSystemSaysIsSaidInWords: no name of a call of the system, and no path twice.
func TestWhatTheSystemSaysIsSaidInWords(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("{,"), 0o600); err != nil {
		t.Fatal(err)
	}
	ofFile := func(_ []byte, err error) error { return err }
	at := func(name string) string { return filepath.Join(dir, name) }
	_, ofTree := fstest.MapFS{}.Open("none/there")
	var value struct{ Key int }
	missing := ofFile(os.ReadFile(at("none")))
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"none":   {missing, `"DIR/none" does not exist`},
		"folder": {ofFile(os.ReadFile(dir)), `"DIR" is a folder, not a file`},
		"no folder": {os.WriteFile(at("no/file"), nil, 0o600),
			`"DIR/no/file": the folder "DIR/no" does not exist`},
		"below file": {os.Mkdir(at("file/below"), 0o700),
			`"DIR/file/below": a part of this path is a file, not a folder`},
		"named": {fmt.Errorf("at %q: %w", at("none"), missing), `at "DIR/none": it does not exist`},
		"named, else": {fmt.Errorf("at %q: %w", "x", &os.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}),
			`at "x": too many open files`},
		"rename": {os.Rename(at("none"), at("other")), `"DIR/none" to "DIR/other": no such file or directory`},
		"call":   {os.NewSyscallError("getcwd", syscall.EINVAL), `invalid argument`},
		"tree":   {ofTree, `"none/there" does not exist`},
		"several": {errors.Join(missing, ofFile(os.ReadFile(at("b")))),
			"\"DIR/none\" does not exist\n\"DIR/b\" does not exist"},
		"syntax": {json.Unmarshal([]byte("{,"), &value), `is not valid JSON at byte 2`},
		"type": {json.Unmarshal([]byte(`{"Key":"x"}`), &value),
			`the JSON has a string at "Key", which is not what belongs there`},
	} {
		got := strings.ReplaceAll(ErrorText(fmt.Errorf("read it: %w", c.err)), dir, "DIR")
		if want := "read it: " + c.want; got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}
