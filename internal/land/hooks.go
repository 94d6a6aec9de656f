package land

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/atomicfile"
	"delegate/internal/candidate"
	"delegate/internal/project"
	"delegate/internal/run"
)

// environ is the person's environment without what points git or this program elsewhere.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "DELEGATE_")
	})
}

// messageBy is the message as the commit-msg hook leaves it. Its refusal is ErrRefused.
func messageBy(ctx context.Context, p *project.Project, message string) (string, error) {
	path, err := candidate.Hook(ctx, p, candidate.HookMessage)
	if err != nil || path == "" {
		return message, err
	}
	file := filepath.Join(p.Private, "landing-message")
	if err := atomicfile.WriteFile(file, []byte(message), 0o600); err != nil {
		return "", err
	}
	defer os.Remove(file)
	var exit *run.ExitError
	if err := run.Do(ctx, run.Command{Path: path, Args: []string{file}, Dir: p.Main, Env: environ()}); errors.As(err,
		&exit) {
		return "", fmt.Errorf("%w: the hook %s says no: %w", ErrRefused, candidate.HookMessage, exit)
	} else if err != nil {
		return "", fmt.Errorf("run the hook %s: %w", candidate.HookMessage, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read what the hook %s left: %w", candidate.HookMessage, err)
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", fmt.Errorf("%w: the hook %s left an empty message", ErrRefused, candidate.HookMessage)
	}
	return string(data), nil
}

// runAfter runs post-merge in the checkout that was updated. What it says cannot undo the landing,
// so it comes back as a sentence. A hook that came with the landing is what agents wrote, and is
// left to the person.
func runAfter(ctx context.Context, p *project.Project, landed candidate.Candidate, checkout string) string {
	hook, err := candidate.Hook(ctx, p, candidate.HookAfter)
	if err != nil || hook == "" || checkout == "" {
		return ""
	}
	if candidate.BringsHook(p, landed.Changes, hook) {
		return fmt.Sprintf("the hook %s was not run, since this landing changes it; look at it, then: (cd %s && %s 0)",
			candidate.HookAfter, run.Quote(checkout), run.Quote(hook))
	}
	if err := run.Do(ctx, run.Command{Path: hook, Args: []string{"0"}, Dir: checkout, Env: environ()}); err != nil {
		return fmt.Sprintf("the hook %s ended badly: %v", candidate.HookAfter, err)
	}
	return ""
}
