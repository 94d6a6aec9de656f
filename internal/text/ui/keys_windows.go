package ui

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// longestLine is from how many bytes on a line is refused.
const longestLine = 4095

// ended: the prompt library reads the console by itself here, and each of its errors is the end.
func (k *keys) ended(err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return context.Cause(k.ctx)
}

// awaitInput cannot wait for a line to be complete, so it only looks at the context.
func awaitInput(ctx context.Context, _ *os.File) error { return context.Cause(ctx) }

func discardTyped(f *os.File, _ time.Duration) error {
	if err := windows.FlushConsoleInputBuffer(windows.Handle(f.Fd())); err != nil {
		return fmt.Errorf("throw away typed input: %w", err)
	}
	return nil
}

// echo has nothing to do: a console shows what is typed when that is read.
func echo(*os.File, bool) bool { return false }

// lineMode lets the console collect, show and correct a line, and returns what undoes that.
// Ctrl-C ends the read and the line with it.
func lineMode(f *os.File) (restore func() error, err error) {
	console := windows.Handle(f.Fd())
	var before uint32
	if err := windows.GetConsoleMode(console, &before); err != nil {
		return nil, err
	}
	mode := before | windows.ENABLE_LINE_INPUT | windows.ENABLE_ECHO_INPUT | windows.ENABLE_PROCESSED_INPUT
	if err := windows.SetConsoleMode(console, mode); err != nil {
		return nil, err
	}
	return func() error { return restored(windows.SetConsoleMode(console, before)) }, nil
}
