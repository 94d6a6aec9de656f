//go:build linux

// Command record films a terminal in which a person uses delegate, as one SVG that moves by itself.
//
// The person is a script (see parseScript); the shell, delegate, its agents and git are real.
// A folder of its own is made for the recording and removed afterwards.
// The script waits for what appears on the screen, so a recording does not depend on how fast the machine is,
// and time in which nothing happens is cut short on the picture.
//
//	go run ./bench/record [-script FILE] [-program FILE] [-still LINE|last] -o FILE.svg
//
// With -still the picture does not move: it is the screen as it was when the step on that line of the script was done.
// Without -program delegate is built from the working folder.
package main

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
)

func main() {
	var o options
	flag.StringVar(&o.script, "script", "bench/record/landing.script", "what the person does")
	flag.StringVar(&o.program, "program", "", "the delegate to film; without it one is built")
	flag.StringVar(&o.still, "still", "", "one picture: after the step on this line of the script, or last")
	flag.StringVar(&o.out, "o", "", "file to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := record(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

type options struct{ script, program, still, out string }

func record(ctx context.Context, o options) error {
	if o.out == "" {
		return errors.New("name a file to write with -o")
	}
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
