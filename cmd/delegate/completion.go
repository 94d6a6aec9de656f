package main

import (
	_ "embed"
	"slices"
	"strings"

	"delegate/internal/agent"
	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/threeway"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// completions gives every command of the tree what its words and flags can be. A shell asks at each
// press of a key, also inside of an agent:
// so all of it only reads, waits for no lock, starts nothing but git, and says nothing where there
// is no repository or its files do not parse.
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
// alone: = and : are in the middle of some.
// Files of some kinds, or folders, are offered by a function of the package, and where that is not,
// by one of the same name.
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
	return map[string]cobra.CompletionFunc{
		"show": a.oneAgent(), "logs": a.oneAgent(), "diff": a.oneAgent(), "attach": a.oneAgent(), "wait": a.agents(),
		"continue": a.oneAgent(registry.Checkpoint), "adapt": a.oneAgent(waiting...), "message": a.oneAgent(alive...),
		"interrupt": a.oneAgent(working...), "close": a.oneAgent(working...), "retry": a.oneAgent(registry.Failed),
		"extend":         leading(a.oneAgent(registry.Running, registry.Failed), fixed("15m", "30m", "1h", "2h")),
		"force-complete": a.oneAgent(registry.Checkpoint, registry.Failed),
		"abort":          a.oneAgent(alive...), "reassign": a.oneAgent(alive...), "scope": a.oneAgent(alive...),
		"sandbox try": leading(a.oneAgent(append(waiting, registry.Running, registry.Merged, registry.Aborted)...),
			files()),
		"sync merge": a.agents(registry.Complete, registry.Failed), "sync rollback": a.oneAgent(registry.Merged),
		"conflicts": a.refs, "report": leading(a.sessionIDs, nothing), "man": files(cobra.ShellCompDirectiveFilterDirs),
	}
}

// flagCompletions are what flags can be, by their names, which mean the same wherever they stand.
func (a *app) flagCompletions() map[string]cobra.CompletionFunc {
	var depths []string
	for _, d := range merge.Depths() {
		depths = append(depths, string(d))
	}
	return map[string]cobra.CompletionFunc{
		"file": cobra.FixedCompletions([]string{"md"}, cobra.ShellCompDirectiveFilterFileExt), "output": files(),
		"agent": a.profiles, "planner": a.planners, "base": a.refs, "depth": fixed(depths...),
		"merge": a.agents(registry.Complete, registry.Failed), "rollback": a.agents(registry.Merged),
		"drop": a.changedFiles, "forget": a.resolutionKeys,
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

// agents offers the agents of the active session that are in one of the states, or all where none
// is named, with their subtasks;
// not those that the line has already.
func (a *app) agents(in ...registry.Status) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		_, state, ok := a.glance(c)
		if !ok {
			return nothing(c, args, "")
		}
		var there []string
		for _, word := range args {
			if ag, err := project.Find(state, word); err == nil {
				there = append(there, ag.ID)
			}
		}
		var ids []string
		for _, ag := range state.Agents {
			if (len(in) == 0 || slices.Contains(in, ag.Status)) && !slices.Contains(there, ag.ID) {
				ids = append(ids, described(ag.ID, ag.Subtask))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// glance is the repository and its registry as they are, if both can be read.
func (a *app) glance(c *cobra.Command) (*project.Project, registry.State, bool) {
	p, err := a.open(c.Context())
	if err != nil {
		return nil, registry.State{}, false
	}
	state, err := p.Store.View(c.Context())
	return p, state, err == nil
}

// described is a word with what a shell shows beside it.
func described(word, what string) string { return cobra.CompletionWithDesc(word, text(what)) }

// sessionIDs offers the sessions that are known.
func (a *app) sessionIDs(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	_, state, ok := a.glance(c)
	if !ok {
		return nothing(c, args, "")
	}
	var ids []string
	if s := state.Session; s != nil {
		ids = append(ids, described(s.ID, s.ParentTask))
	}
	for _, s := range slices.Backward(state.Ended()) {
		ids = append(ids, described(s.ID, s.ParentTask))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// refs offers branches, tags and the branches of remotes by their short names. Worktrees are
// folders, which the shell offers where none fits.
func (a *app) refs(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	p, err := a.open(c.Context())
	if err != nil {
		return nothing(c, args, "")
	}
	var names []string
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
		below, err := p.Repo.RefsUnder(c.Context(), prefix)
		if err != nil {
			return nothing(c, args, "")
		}
		for ref := range below {
			if name := strings.TrimPrefix(ref, prefix); name != "" && !slices.Contains(args, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveDefault
}

// profiles offers the names of agent programs.
func (a *app) profiles(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	p, err := a.open(c.Context())
	if err != nil {
		return nothing(c, args, "")
	}
	return agent.Known(p.Config), cobra.ShellCompDirectiveNoFileComp
}

// planners offers the same, and the word for none of them.
func (a *app) planners(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	names, directive := a.profiles(c, args, begun)
	return append(names, described("none", "nobody is asked")), directive
}

// changedFiles offers what the agent on the line has changed.
func (a *app) changedFiles(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	_, state, ok := a.glance(c)
	if !ok || len(args) == 0 {
		return nothing(c, args, "")
	}
	ag, err := project.Find(state, args[0])
	if err != nil {
		return nothing(c, args, "")
	}
	return ag.FilesModified, cobra.ShellCompDirectiveNoFileComp
}

// resolutionKeys offers the keys of what is remembered, with their files.
func (a *app) resolutionKeys(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	p, err := a.open(c.Context())
	if err != nil {
		return nothing(c, args, "")
	}
	all, err := threeway.NewResolutions(p.Repo).List(c.Context())
	if err != nil {
		return nothing(c, args, "")
	}
	var keys []string
	for _, r := range all {
		keys = append(keys, described(r.Key[:shownKey], r.Path+": "+string(r.Method)))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}
