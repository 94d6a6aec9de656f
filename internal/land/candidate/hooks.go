package candidate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
)

// The hooks of the repository that a landing may run. A merge made by hand would run them too.
const (
	hookBefore  = "pre-merge-commit" // on the merged files, in the scratch checkout, held in like the verify commands
	HookMessage = "commit-msg"       // on each commit's message, in the person's checkout
	// in the checkout that shows the target, once it does; it cannot stop anything any more
	HookAfter = "post-merge"
)

// hooks are the paths of the person's hooks that a landing may run, by their names.
func hooks(ctx context.Context, p *project.Project) (map[string]string, error) {
	folder, err := p.Repo.HooksPath(ctx)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(p.Main, folder)
	}
	found := map[string]string{}
	for _, name := range []string{hookBefore, HookMessage, HookAfter} {
		path := filepath.Join(folder, name)
		// git does not run what it cannot start either
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			found[name] = path
		}
	}
	return found, nil
}

// Hook is the path of the hook of that name if the configuration has hooks run, "" if there is none to run.
func Hook(ctx context.Context, p *project.Project, name string) (string, error) {
	if p.Config.Landing.Hooks != config.RunHooks {
		return "", nil
	}
	all, err := hooks(ctx, p)
	return all[name], err
}

// BringsHook reports whether a landing of these changes brings the hook: it is a file of the
// repository that they change, or they change something beside or below it, down from the root's
// folder in which it lies: .husky/_/post-merge calls .husky/post-merge.
func BringsHook(p *project.Project, changes []change.File, hook string) bool {
	if real, err := filepath.EvalSymlinks(hook); err == nil {
		hook = real
	}
	main, err := filepath.EvalSymlinks(p.Main)
	if err != nil {
		main = p.Main
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
func hooksNote(ctx context.Context, p *project.Project, changes []change.File) (string, error) {
	all, err := hooks(ctx, p)
	if err != nil {
		return "", err
	}
	there := slices.DeleteFunc([]string{hookBefore, HookMessage, HookAfter}, func(name string) bool {
		return all[name] == ""
	})
	switch {
	case len(there) == 0:
		return "", nil
	case p.Config.Landing.Hooks == config.RunHooks:
		note := "the repository's hooks run: " + strings.Join(there, ", ")
		if all[HookAfter] != "" && BringsHook(p, changes, all[HookAfter]) {
			note += "; but not " + HookAfter + ", which this landing changes"
		}
		return note, nil
	}
	return "the repository's hooks are skipped: " + strings.Join(there, ", ") + " (landing.hooks: run)", nil
}

// hookOn runs pre-merge-commit on the candidate; a remark that blocks if it says no.
func hookOn(ctx context.Context, p *project.Project, probe string) ([]review.Remark, error) {
	path, err := Hook(ctx, p, hookBefore)
	if err != nil || path == "" {
		return nil, err
	}
	log := filepath.Join(p.Private, "verified", "pre-merge-commit.log")
	outcome, err := p.RunOn(ctx, probe, []string{run.Quote(path)}, log)
	if err != nil || outcome.Result != project.Fail {
		return nil, err
	}
	return []review.Remark{{Severity: review.Critical, Rule: "hook",
		Text: fmt.Sprintf("the hook %s says no (%s), see %s", hookBefore, outcome.Reason, log)}}, nil
}
