//go:build linux || darwin

package run_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"delegate/internal/sys/run"
)

func TestConverse(t *testing.T) {
	talk, err := run.StartPiped(t.Context(),
		run.Shell(`while read word; do test "$word" = end && exit 3; echo "you said $word"; done; echo last >&2; exit 4`))
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(talk.Out)
	for _, word := range []string{"one", "two", "three"} {
		fmt.Fprintln(talk.In, word)
		if got, err := out.ReadString('\n'); err != nil || got != "you said "+word+"\n" {
			t.Fatalf("answer %q, %v", got, err)
		}
	}
	var exit *run.ExitError
	if err := talk.Close(); !errors.As(err, &exit) || exit.Code != 4 || exit.Stderr != "last" {
		t.Errorf("error %v, want status 4", err)
	}
	if talk, err = run.StartPiped(t.Context(), run.Shell("while :; do echo a; done")); err != nil {
		t.Fatal(err)
	}
	if err := talk.Close(); !errors.As(err, &exit) { // it is not waited for until it has written all
		t.Errorf("error %v, want that of a closed stream", err)
	}
	if _, err := run.StartPiped(t.Context(), run.Command{Path: "/no/such/program"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
}

// What the command left behind holds its output open; a read ends with the context all the same.
func TestConverseEndsWithItsContext(t *testing.T) {
	c, ready := self(t, "wait")
	line := run.Shell(`"$0" & wait`)
	line.Args, line.Env = append(line.Args, c.Path), c.Env
	ctx, cancel := context.WithCancel(t.Context())
	talk, err := run.StartPiped(ctx, line)
	if err != nil {
		t.Fatal(err)
	}
	started(t, ready, 1)
	time.AfterFunc(50*time.Millisecond, cancel)
	if n, err := talk.Out.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes", n)
	}
	if err := talk.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestStream(t *testing.T) {
	enough := errors.New("enough")
	line := func(r io.Reader) error {
		_, err := bufio.NewReader(r).ReadString('\n')
		return err
	}
	failing := func(io.Reader) error { return enough }
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	ending, cancel := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		ctx  context.Context
		text string
		read func(io.Reader) error
		want error
		code int
	}{
		"all is well": {t.Context(), "echo a", line, nil, 0},
		"it ends badly": {t.Context(), "echo a; exit 3", func(r io.Reader) error {
			_, err := io.ReadAll(r)
			return err
		}, nil, 3},
		"reading ends it":                    {t.Context(), "echo a; exec sleep 300", failing, enough, -1},
		"it writes on":                       {t.Context(), "while :; do echo a; done", failing, enough, -1},
		"reading is the fault, not the exit": {t.Context(), "exit 3", failing, enough, -1},
		"the context is over":                {ended, "exec sleep 300", line, context.Canceled, -1},
		"the context ends while it is read": {ending, "exec sleep 300", func(io.Reader) error {
			cancel()
			return enough
		}, context.Canceled, -1},
	} {
		err := run.Stream(c.ctx, run.Shell(c.text), c.read)
		if code := run.ExitCode(err); c.want != nil && !errors.Is(err, c.want) || code != c.code {
			t.Errorf("%s: error %v, want %v and status %d", name, err, c.want, c.code)
		}
	}
}

// More goes in than a pipe holds while as much comes out.
func TestStreamBothWays(t *testing.T) {
	c := run.Shell("cat")
	c.Stdin = strings.NewReader(strings.Repeat("0123456789abcdef", 1<<16))
	var n int64
	err := run.Stream(t.Context(), c, func(r io.Reader) (err error) {
		n, err = io.Copy(io.Discard, r)
		return err
	})
	if err != nil || n != 1<<20 {
		t.Errorf("%d bytes came back, %v", n, err)
	}
}
