package gittest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"delegate/internal/sys/run"
)

// killVariable says after how many steps a process is to kill itself; one without it runs the tests.
const killVariable = "TEST_KILLED_AFTER"

// Main runs the tests of a package, or if KilledAfter started this process, what is to be killed: in a folder, with a
// function that every step is told to. A TestMain calls it with the function of its testing.M.
func Main(tests func() int, killed func(dir string, step func(name string)) error) {
	after := os.Getenv(killVariable)
	if after == "" {
		os.Exit(tests())
	}
	limit, err := strconv.Atoi(after)
	if err == nil {
		err = killed(os.Args[1], killAt(limit))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// killAt is a function for steps that names the last one and kills this process.
func killAt(limit int) func(name string) {
	count := 0
	return func(name string) {
		if count++; count != limit {
			return
		}
		fmt.Println(name)
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			panic(err)
		}
		select {}
	}
}

// KilledAfter does what Main was given in another process, which kills itself after n steps. It answers the step's
// name, "" if there are fewer.
func (r *Repo) KilledAfter(n int) string {
	r.Helper()
	self, err := os.Executable()
	if err != nil {
		r.Fatal(err)
	}
	var out bytes.Buffer
	err = run.Do(r.Context(), run.Command{Path: filepath.Clean(self), Args: []string{r.Dir}, Stdout: &out,
		Stderr: os.Stderr, Env: append(os.Environ(), killVariable+"="+strconv.Itoa(n))})
	var exit *run.ExitError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &exit) || exit.Signal == "":
		r.Fatalf("it was not killed: %v\n%s", err, out.String())
	}
	return strings.TrimSpace(out.String())
}

// Stopped does what run does until it comes to the step with the name, and ends there, as a crash would. The function
// of the caller's steps, which it is to set to tell of them, is left as nil.
func Stopped(t testing.TB, steps *func(name string), at string, run func() error) {
	t.Helper()
	type stopped struct{}
	*steps = func(name string) {
		if name == at {
			panic(stopped{})
		}
	}
	defer func() {
		*steps = nil
		if x := recover(); x != nil && x != (stopped{}) {
			panic(x)
		}
	}()
	t.Fatalf("not stopped at %q: %v", at, run())
}
