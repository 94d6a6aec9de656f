//go:build bench && linux

package record

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// given is what the command line asks for.
var given options

// TestMain works in the module's root, which all paths are from.
func TestMain(m *testing.M) {
	flag.StringVar(&given.script, "script", "bench/record/landing.script", "what the person does")
	flag.StringVar(&given.program, "program", "", "the delegate to film; without it one is built")
	flag.StringVar(&given.still, "still", "", "one picture: after the step on this line of the script, or last")
	flag.StringVar(&given.out, "o", "", "file to write")
	flag.Parse()
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestRecord(t *testing.T) {
	if given.out == "" {
		t.Skip("measures for minutes; give it -args -o FILE")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := record(ctx, given); err != nil {
		t.Fatal(err)
	}
}

type options struct{ script, program, still, out string }

func record(ctx context.Context, o options) error {
	text, err := os.ReadFile(o.script)
	if err != nil {
		return err
	}
	steps, err := parseScript(bytes.NewReader(text))
	if err != nil {
		return err
	}
	line, err := stillLine(o.still, steps)
	if err != nil {
		return err
	}
	s, err := newStage(ctx, o.program)
	if err != nil {
		return err
	}
	f := &film{}
	err = (&person{stage: s, film: f}).play(ctx, steps)
	if err := errors.Join(err, s.leave(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	if len(f.shots) == 0 {
		return errors.New("nothing was shown")
	}
	var drawn bytes.Buffer
	if o.still == "" {
		err = animate(&drawn, f)
	} else {
		err = still(&drawn, f.title, f.shots[f.lines[line]].picture)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d pictures, %.0f seconds, %d KB\n", o.out, len(f.shots), f.length().Seconds(), drawn.Len()/1000)
	return os.WriteFile(o.out, drawn.Bytes(), 0o644)
}

// stillLine is the line of the script after whose step the one picture is taken, 0 for a film.
func stillLine(which string, steps []step) (int, error) {
	if which == "" || len(steps) == 0 {
		return 0, nil
	}
	if which == "last" {
		return steps[len(steps)-1].line, nil
	}
	line, err := strconv.Atoi(which)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a line of the script nor last", which)
	}
	if !slices.ContainsFunc(steps, func(s step) bool { return s.line == line }) {
		return 0, fmt.Errorf("no step is on line %d of the script", line)
	}
	return line, nil
}
