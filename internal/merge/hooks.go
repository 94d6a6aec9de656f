package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/atomicfile"
	"delegate/internal/config"
	"delegate/internal/project"
	"delegate/internal/review"
	"delegate/internal/run"
)

// The hooks of the repository that a landing may run. A merge made by hand would run them too.
const (
	hookBefore  = "pre-merge-commit" // on the merged files, in the scratch checkout, held in like the verify commands
	hookMessage = "commit-msg"       // on each commit's message, in the person's checkout
	// in the checkout that shows the target, once it does; it cannot stop anything any more
	hookAfter = "post-merge"
)

// hooks are the paths of the person's hooks that a landing may run, by their names.
func (b *Builder) hooks(ctx context.Context) (map[string]string, error) {
	folder, err := b.p.Repo.HooksPath(ctx)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(b.p.Main, folder)
	}
	found := map[string]string{}
	for _, name := range []string{hookBefore, hookMessage, hookAfter} {
		path := filepath.Join(folder, name)
		// git does not run what it cannot start either
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			found[name] = path
		}
	}
	return found, nil
}

// wanted is the hook of that name if the configuration has hooks run.
func (b *Builder) wanted(ctx context.Context, name string) (string, error) {
	if b.p.Config.Landing.Hooks != config.RunHooks {
		return "", nil
	}
	all, err := b.hooks(ctx)
	return all[name], err
}

// environ is the person's environment without what points git or this program elsewhere.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "DELEGATE_")
	})
}

// brings reports whether a landing of these changes brings the hook: it is a file of the repository that they change,
// or they change something beside or below it, down from the root's folder in which it lies:
// .husky/_/post-merge calls .husky/post-merge.
func (b *Builder) brings(changes []change.File, hook string) bool {
	if real, err := filepath.EvalSymlinks(hook); err == nil {
		hook = real
	}
	main, err := filepath.EvalSymlinks(b.p.Main)
	if err != nil {
		main = b.p.Main
	}
	rel, err := filepath.Rel(main, hook)
	if err != nil {
		return false // on another disk
	}
	top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return slices.ContainsFunc(change.Set{Files: changes}.Paths(), func(name string) bool {
		return name == top || strings.HasPrefix(name, top+"/")
	})
}

// hooksNote says which hooks the repository has and whether a landing of these changes runs them.
func (b *Builder) hooksNote(ctx context.Context, changes []change.File) (string, error) {
	all, err := b.hooks(ctx)
	if err != nil {
		return "", err
	}
	there := slices.DeleteFunc([]string{hookBefore, hookMessage, hookAfter}, func(name string) bool {
		return all[name] == ""
	})
	switch {
	case len(there) == 0:
		return "", nil
	case b.p.Config.Landing.Hooks == config.RunHooks:
		note := "the repository's hooks run: " + strings.Join(there, ", ")
		if all[hookAfter] != "" && b.brings(changes, all[hookAfter]) {
			note += "; but not " + hookAfter + ", which this landing changes"
		}
		return note, nil
	}
	return "the repository's hooks are skipped: " + strings.Join(there, ", ") + " (landing.hooks: run)", nil
}

// hookOn runs pre-merge-commit on the candidate; a remark that blocks if it says no.
func (b *Builder) hookOn(ctx context.Context, probe string) ([]review.Remark, error) {
	path, err := b.wanted(ctx, hookBefore)
	if err != nil || path == "" {
		return nil, err
	}
	log := filepath.Join(b.p.Private, "verified", "pre-merge-commit.log")
	outcome, err := b.p.RunOn(ctx, probe, []string{run.Quote(path)}, log)
	if err != nil || outcome.Result != project.Fail {
		return nil, err
	}
	return []review.Remark{{Severity: review.Critical, Rule: "hook",
		Text: fmt.Sprintf("the hook %s says no (%s), see %s", hookBefore, outcome.Reason, log)}}, nil
}

// messageBy is the message as the commit-msg hook leaves it. Its refusal is ErrRefused.
func (b *Builder) messageBy(ctx context.Context, message string) (string, error) {
	path, err := b.wanted(ctx, hookMessage)
	if err != nil || path == "" {
		return message, err
	}
	file := filepath.Join(b.p.Private, "landing-message")
	if err := atomicfile.WriteFile(file, []byte(message), 0o600); err != nil {
		return "", err
	}
	defer os.Remove(file)
	var exit *run.ExitError
	if err := run.Do(ctx, run.Command{Path: path, Args: []string{file}, Dir: b.p.Main, Env: environ()}); errors.As(err,
		&exit) {
		return "", fmt.Errorf("%w: the hook %s says no: %w", ErrRefused, hookMessage, exit)
	} else if err != nil {
		return "", fmt.Errorf("run the hook %s: %w", hookMessage, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read what the hook %s left: %w", hookMessage, err)
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", fmt.Errorf("%w: the hook %s left an empty message", ErrRefused, hookMessage)
	}
	return string(data), nil
}

// after runs post-merge in the checkout that was updated. What it says cannot undo the landing, so
// it comes back as a sentence.
// A hook that came with the landing is what agents wrote, and is left to the person.
func (b *Builder) after(ctx context.Context, landed Candidate, checkout string) string {
	hook, err := b.wanted(ctx, hookAfter)
	if err != nil || hook == "" || checkout == "" {
		return ""
	}
	if b.brings(landed.Changes, hook) {
		return fmt.Sprintf("the hook %s was not run, since this landing changes it; look at it, then: (cd %s && %s 0)",
			hookAfter, run.Quote(checkout), run.Quote(hook))
	}
	if err := run.Do(ctx, run.Command{Path: hook, Args: []string{"0"}, Dir: checkout, Env: environ()}); err != nil {
		return fmt.Sprintf("the hook %s ended badly: %v", hookAfter, err)
	}
	return ""
}
