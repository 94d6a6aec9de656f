package main

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"delegate/internal/land/analyze"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
	"delegate/internal/turn/agent"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// completions gives every command of the tree what its words and flags can be. A shell asks at each
// press of a key, also inside of an agent: so all of it only reads, waits for no lock, starts
// nothing but git, and says nothing where there is no repository or its files do not parse.
func (a *app) completions(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.InitDefaultCompletionCmd()
	a.bashAlone(root)
	words, flags := a.wordCompletions(), a.flagCompletions()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if offer, found := words[strings.TrimPrefix(c.CommandPath(), root.Name()+" ")]; found {
			c.ValidArgsFunction = offer
		}
		for name, offer := range flags {
			f := c.Flags().Lookup(name)
			if _, has := c.GetFlagCompletionFunc(name); f == nil || has || f.Value.Type() == "bool" {
				continue
			}
			if err := c.RegisterFlagCompletionFunc(name, offer); err != nil {
				panic(err) // the flag is there and has none
			}
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(root)
}

// bashAlone makes the script for bash work where the package bash-completion is not there, whose
// functions it would call otherwise.
func (a *app) bashAlone(root *cobra.Command) {
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil {
		panic(err) // it was made just now
	}
	whole := bash.RunE
	bash.RunE = func(c *cobra.Command, args []string) error {
		if err := whole(c, args); err != nil {
			return err
		}
		a.printf("%s", wordsInBash)
		return nil
	}
	bash.Long = "Print the completion script for bash. To have it in every new shell, put this into ~/.bashrc:\n\n  " +
		"source <(delegate completion bash)\n\nThe package bash-completion is not needed."
}

// wordsInBash takes the place of the function of that name in the script. Words end at blanks
// alone: = and : are in the middle of some. Files of some kinds, or folders, are offered by a
// function of the package, and where that is not, by one of the same name.
//
//go:embed completion.bash
var wordsInBash string

// wordCompletions are what may stand behind a command, by the command's name. Of agents those in a
// state that the command is for.
func (a *app) wordCompletions() map[string]cobra.CompletionFunc {
	alive := []registry.Status{registry.Pending, registry.Spawning, registry.Running, registry.Checkpoint,
		registry.Complete, registry.Failed}
	working := []registry.Status{registry.Spawning, registry.Running}
	waiting := []registry.Status{registry.Checkpoint, registry.Complete, registry.Failed}
	inWorktree := slices.Concat(waiting, []registry.Status{registry.Running, registry.Merged, registry.Aborted})
	return map[string]cobra.CompletionFunc{
		"show": a.oneAgent(), "logs": a.oneAgent(), "diff": a.oneAgent(), "attach": a.oneAgent(), "wait": a.agents(),
		"approve":  a.agents(registry.Pending),
		"continue": a.oneAgent(registry.Checkpoint), "adapt": a.oneAgent(waiting...), "message": a.oneAgent(alive...),
		"interrupt": a.oneAgent(working...), "close": a.oneAgent(working...), "retry": a.oneAgent(registry.Failed),
		"restore":        a.oneAgent(waiting...),
		"extend":         leading(a.oneAgent(registry.Running, registry.Failed), fixed("15m", "30m", "1h", "2h")),
		"force-complete": a.oneAgent(registry.Checkpoint, registry.Failed),
		"abort":          a.oneAgent(alive...), "reassign": a.oneAgent(alive...), "scope": a.oneAgent(alive...),
		"sandbox try": leading(a.oneAgent(inWorktree...), files()), "path": a.oneAgent(inWorktree...),
		"open": a.oneAgent(inWorktree...), "shell": a.oneAgent(inWorktree...),
		"takeover":      a.oneAgent(append(waiting, registry.Running)...),
		"run":           leading(a.oneAgent(append(waiting, registry.Running)...), files()),
		"sync merge":    a.agents(registry.Complete, registry.Failed),
		"sync pr":       a.agents(registry.Complete, registry.Failed),
		"sync rollback": a.oneAgent(registry.Merged),
		"conflicts":     a.fromRepository(cobra.ShellCompDirectiveDefault, refs),
		"review":        a.oneAgent(waiting...),
		"report":        leading(a.fromRepository(inTheirOrder, sessionIDs), nothing),
		"man":           files(cobra.ShellCompDirectiveFilterDirs),
	}
}

// flagCompletions are what flags can be, by their names, which mean the same wherever they stand.
func (a *app) flagCompletions() map[string]cobra.CompletionFunc {
	var depths []string
	for _, d := range analyze.Depths() {
		depths = append(depths, string(d))
	}
	return map[string]cobra.CompletionFunc{
		"file": cobra.FixedCompletions([]string{"md"}, cobra.ShellCompDirectiveFilterFileExt), "output": files(),
		"agent":  a.fromRepository(onlyThese, profiles),
		"agents": a.fromRepository(onlyThese, profiles),
		"onto":   a.fromRepository(onlyThese, refs), "after": a.agents(),
		"planner": a.fromRepository(onlyThese, planners), "on": a.fromRepository(onlyThese, places),
		"engine": a.fromRepository(onlyThese, engines),
		"base":   a.fromRepository(cobra.ShellCompDirectiveDefault, refs), "depth": fixed(depths...),
		"merge": a.agents(registry.Complete, registry.Failed), "rollback": a.agents(registry.Merged),
		"drop": a.fromRepository(onlyThese, changedFiles), "forget": a.fromRepository(onlyThese, resolutionKeys),
	}
}

func nothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// files leaves it to the shell, which knows files, or folders alone.
func files(only ...cobra.ShellCompDirective) cobra.CompletionFunc {
	directive := cobra.ShellCompDirectiveDefault
	for _, d := range only {
		directive |= d
	}
	return cobra.FixedCompletions(nil, directive)
}

// leading offers one thing for the first word and another for those after it.
func leading(one, then cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return then(c, args, begun)
		}
		return one(c, args, begun)
	}
}

func (a *app) oneAgent(in ...registry.Status) cobra.CompletionFunc {
	return leading(a.agents(in...), nothing)
}

// fromRepository completes words from what a repository holds. Where that cannot be read there is nothing to offer.
func (a *app) fromRepository(directive cobra.ShellCompDirective,
	find func(ctx context.Context, p *project.Project, words []string) ([]string, error)) cobra.CompletionFunc {
	return func(c *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
		p, err := a.open(c.Context())
		if err != nil {
			return nothing(c, words, "")
		}
		found, err := find(c.Context(), p, words)
		if err != nil {
			return nothing(c, words, "")
		}
		return found, directive
	}
}

const (
	onlyThese    = cobra.ShellCompDirectiveNoFileComp
	inTheirOrder = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
)

// agents offers the agents of the active session that are in one of the states, or all where none
// is named, by their names, with state and subtask; not those that the line has already.
func (a *app) agents(in ...registry.Status) cobra.CompletionFunc {
	return a.fromRepository(inTheirOrder,
		func(ctx context.Context, p *project.Project, words []string) (ids []string, err error) {
			state, err := p.Store.View(ctx)
			var present []string
			for _, word := range words {
				if ag, err := state.Find(word); err == nil {
					present = append(present, ag.ID)
				}
			}
			for _, ag := range state.Agents {
				if (len(in) == 0 || slices.Contains(in, ag.Status)) && !slices.Contains(present, ag.ID) {
					ids = append(ids, described(ag.Name, ag.Word()+": "+ag.Subtask))
				}
			}
			return ids, err
		})
}

// described is a word with what a shell shows beside it.
func described(word, what string) string { return cobra.CompletionWithDesc(word, text(what)) }

// sessionIDs are the sessions that are known.
func sessionIDs(ctx context.Context, p *project.Project, _ []string) (ids []string, err error) {
	state, err := p.Store.View(ctx)
	if s := state.Session; s != nil {
		ids = append(ids, described(s.ID, s.ParentTask))
	}
	for _, s := range slices.Backward(state.Ended()) {
		ids = append(ids, described(s.ID, s.ParentTask))
	}
	return ids, err
}

// refs are branches, tags and the branches of remotes by their short names. Worktrees are
// folders, which the shell offers where none fits.
func refs(ctx context.Context, p *project.Project, words []string) (names []string, err error) {
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
		below, err := p.Repo.RefsUnder(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for ref := range below {
			if name := strings.TrimPrefix(ref, prefix); name != "" && !slices.Contains(words, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// profiles are the names of agent programs.
func profiles(_ context.Context, p *project.Project, _ []string) ([]string, error) {
	return agent.Known(p.Config), nil
}

// places are this machine and the engines that agents' turns can run on.
func places(_ context.Context, p *project.Project, _ []string) ([]string, error) {
	return p.Config.Places(), nil
}

// engines are those of the configuration.
func engines(_ context.Context, p *project.Project, _ []string) ([]string, error) {
	return p.Config.Places()[1:], nil
}

// planners are the same, and the word for none of them.
func planners(_ context.Context, p *project.Project, _ []string) ([]string, error) {
	return append(agent.Known(p.Config), described("none", "nobody is asked")), nil
}

// changedFiles are those that the agent on the line has changed.
func changedFiles(ctx context.Context, p *project.Project, words []string) ([]string, error) {
	state, err := p.Store.View(ctx)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	ag, err := state.Find(words[0])
	return ag.FilesModified, err
}

// resolutionKeys are the keys of what is remembered, with their files.
func resolutionKeys(ctx context.Context, p *project.Project, _ []string) (keys []string, err error) {
	all, err := threeway.NewResolutions(p.Repo).List(ctx)
	for _, r := range all {
		keys = append(keys, described(r.Key[:shownKey], r.Path+": "+string(r.Method)))
	}
	return keys, err
}
