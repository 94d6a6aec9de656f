package main

import (
	"context"
	"fmt"
	"os"

	"delegate/internal/git"
	"delegate/internal/sys/run"
)

// page writes text, at a terminal through the pager that git would take.
func (a *app) page(ctx context.Context, repo *git.Repo, data []byte) error {
	if a.term.Interactive() && os.Getenv("TERM") != "dumb" && len(data) > 0 {
		paged, err := pageThrough(ctx, repo, data)
		a.term.Used()
		if paged || err != nil {
			return err
		}
	}
	_, err := a.out.Write(data)
	return err
}

// The codes by which a shell says that it could not run a program.
const notRun, notFound = 126, 127

// pageThrough is false if no pager is wanted, or none could be run: the text itself is what matters.
func pageThrough(ctx context.Context, repo *git.Repo, data []byte) (bool, error) {
	pager, err := repo.Pager(ctx)
	if err != nil || pager == "" || pager == "cat" {
		return false, err
	}
	file, err := os.CreateTemp("", "delegate-page-")
	if err != nil {
		return false, fmt.Errorf("page output: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return false, fmt.Errorf("page output: %w", err)
	}
	command := run.Shell(`exec < "$1"; : "${LESS=FRX}" "${LV=-c}"; export LESS LV; ` + pager) // as git calls it
	command.Args = append(command.Args, "pager", file.Name())
	code := run.ExitCode(run.Foreground(ctx, command))
	return code != notFound && code != notRun, nil
}
