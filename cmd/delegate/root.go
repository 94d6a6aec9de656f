package main

import (
	"context"
	"delegate/internal/text/spelling"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

const about = `delegate gives the subtasks of a plan to agent programs, each in its own git worktree, supervises them,
and merges their work into your branch after you approve it.

  delegate "what to do"       plan a task, show the plan, ask, start the agents in the background
  delegate -f plan.md         start from an existing plan
  delegate add "what to do"   start one more agent, at any time
  delegate status             see what they are doing; delegate watch shows it in full screen
  delegate wait               wait until each has ended or needs you
  delegate sync               review what is ready, answer, merge
  delegate sync complete      end the session

AGENT is the name of an agent, a prefix of it, or its id (AGT-001). You can still message an agent that finished or
failed; it continues with the message. Messages queue until its next turn. A wait that times out is no failure: do not
give up an agent that is working. Collect every result.`

// rootCommand builds the whole command tree.
func (a *app) rootCommand() *cobra.Command {
	o := startFlags{}
	var c *cobra.Command
	c = command("delegate [-f PLAN.md | \"TASK\"]",
		"delegate work to agents in worktrees, and merge it under supervision", cobra.ArbitraryArgs,
		func(ctx context.Context, args []string) error {
			if len(args) > 1 || len(args) == 1 && args[0] != "" && !strings.ContainsFunc(args[0], unicode.IsSpace) {
				return unknownWord(c, args)
			}
			return a.start(ctx, args, o)
		})
	c.Long = about
	c.Version = version
	c.Flags().StringVarP(&o.file, "file", "f", "", "plan file to start from")
	c.Flags().BoolVar(&o.noContext, "no-context", false, "accept subtasks without a Context field")
	o.addTask(c, "one in the private folder")
	o.addStart(c)
	o.addOnto(c)
	c.AddCommand(a.abortCommand(), a.adaptCommand(), a.addCommand(), a.approveCommand(), a.attachCommand(),
		a.cleanCommand(), a.closeCommand(), a.configCommand(), a.conflictsCommand(), a.continueCommand(),
		a.demoCommand(), a.diffCommand(), a.doctorCommand(), a.extendCommand(), a.forceCompleteCommand(),
		a.initCommand(), a.interruptCommand(),
		a.learningsCommand(), a.listCommand(), a.logsCommand(), a.manCommand(), a.mcpCommand(), a.messageCommand(),
		a.notesCommand(), a.openCommand(), a.pathCommand(), a.planCommand(), a.reassignCommand(),
		a.registryCommand(), a.reportCommand(),
		a.restoreCommand(), a.resumeCommand(), a.retryCommand(), a.reviewCommand(), a.runCommand(), a.sandboxCommand(),
		a.scopeCommand(), a.shellCommand(), a.showCommand(),
		a.statusCommand(), a.syncCommand(), a.takeoverCommand(), a.tasksCommand(), a.versionCommand(),
		a.waitCommand(), a.watchCommand())
	a.completions(c)
	refuseUnknown(c)
	return c
}

// refuseUnknown has cobra's own commands, which print help and end with 0 whatever they are given, refuse words that
// name no command.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args, c.RunE = onlyBelow, printHelp
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil {
					return err
				}
				return onlyBelow(found, rest)
			}
		}
	}
}

// unknownWord is the error for a word that is no command, and looks like no task.
func unknownWord(cmd *cobra.Command, words []string) error {
	return &usageError{fmt.Errorf("unknown command %q%s (to give a task, put it in quotes: delegate \"what to "+
		"do\"; a task of a single word: delegate plan %q)", words[0], didYouMean(cmd, words), words[0]), "delegate"}
}

// onlyBelow takes no word but the name of a command below, which comes here only if it is unknown.
func onlyBelow(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unknown command %q of %s%s", args[0], c.CommandPath(), didYouMean(c, args))
}

// didYouMean is the command that words which are none most likely mean.
func didYouMean(c *cobra.Command, words []string) string {
	var known []string
	groups := slices.SortedStableFunc(slices.Values(c.Commands()), func(x, y *cobra.Command) int {
		return everyDay(y) - everyDay(x)
	})
	for _, below := range groups {
		if below.IsAvailableCommand() {
			known = append(known, below.Name())
			if deeper, _, err := below.Find(words[:1]); err == nil && deeper != below {
				return fmt.Sprintf("; did you mean %q?", below.Name()+" "+strings.Join(words, " "))
			}
		}
	}
	if near := spelling.Nearest(words[0], known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// everyDay is 1 for the group of commands that people mean where another one has a command of the same name.
func everyDay(c *cobra.Command) int {
	if c.Name() == "sync" {
		return 1
	}
	return 0
}
