package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"delegate/internal/run"
)

// screen is how many lines fit without a pager, on any terminal.
const screen = 40

// page writes text, through the person's pager if it is longer than a screen and there is a terminal to page on.
func (a *app) page(ctx context.Context, data []byte) error {
	if !a.term.Interactive() || bytes.Count(data, []byte("\n")) <= screen || os.Getenv("TERM") == "dumb" {
		_, err := a.out.Write(data)
		return err
	}
	pager := os.Getenv("PAGER")
	if pager == "" {
		pager = "less -FRX"
	}
	file, err := os.CreateTemp("", "delegate-page-")
	if err != nil {
		return fmt.Errorf("page output: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("page output: %w", err)
	}
	command := run.Shell(pager + ` "$1"`)
	command.Args = append(command.Args, "pager", file.Name())
	if err := run.Foreground(ctx, command); err != nil { // no pager installed: the text itself is what matters
		_, err := a.out.Write(data)
		return err
	}
	return nil
}
