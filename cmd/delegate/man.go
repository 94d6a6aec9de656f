package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand is `delegate man [DIR]`: the manual pages, made of what the commands say of themselves.
func (a *app) manCommand() *cobra.Command {
	c := command("man [DIR]", "print the manual page, or write those of all commands into a folder",
		cobra.MaximumNArgs(1), func(_ context.Context, args []string) error {
			date, err := manDate()
			if err != nil {
				return err
			}
			pages := manPages{tree: a.rootCommand(),
				header: doc.GenManHeader{Date: &date, Source: "delegate " + version, Manual: "Delegation"}}
			pages.prepare()
			if len(args) == 0 {
				return pages.write(pages.tree, a.out)
			}
			if err := insideAgent(); err != nil {
				reportAttempt()
				return err
			}
			return pages.writeAll(args[0])
		})
	c.Long = "Without DIR prints delegate(1) for man or mandoc:\n\n  delegate man | man -l -\n\n" +
		"With DIR writes delegate.1, delegate-sync.1 and so on into it, over those that are there. In a man1 folder " +
		"of your MANPATH they are found by man:\n\n" +
		"  delegate man ~/.local/share/man/man1\n\n" +
		"The pages bear today's date, or the one of SOURCE_DATE_EPOCH; else they are the same each time."
	return c
}

// manDate is the date that pages bear, in UTC so that it is the same everywhere.
func manDate() (time.Time, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return time.Now().UTC(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, &usageError{fmt.Errorf("SOURCE_DATE_EPOCH is %q, which is no number of seconds", epoch),
			"delegate man"}
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// manPages writes the pages of a command tree of its own, whose texts it changes.
type manPages struct {
	tree   *cobra.Command
	header doc.GenManHeader
}

// prepare turns what the commands say for terminals into the Markdown that pages are made of.
func (m manPages) prepare() {
	m.tree.InitDefaultCompletionCmd()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.DisableAutoGenTag = true
		c.InitDefaultHelpFlag()
		if c.Long != "" {
			c.Long = manText(c.Long)
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(m.tree)
	m.tree.Long += "\n" + manSections()
}

func (m manPages) write(c *cobra.Command, to interface{ Write([]byte) (int, error) }) error {
	header := m.header // each page fills in its own title
	if err := doc.GenMan(c, &header, to); err != nil {
		return fmt.Errorf("write manual page: %w", err)
	}
	return nil
}

func (m manPages) writeAll(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write manual pages: %w", err)
	}
	var visit func(c *cobra.Command) error
	visit = func(c *cobra.Command) error {
		if c != m.tree && !c.IsAvailableCommand() {
			return nil
		}
		var page bytes.Buffer
		if err := m.write(c, &page); err != nil {
			return err
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + "." + manSection
		if err := os.WriteFile(filepath.Join(folder, name), page.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write manual page: %w", err)
		}
		for _, below := range c.Commands() {
			if err := visit(below); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(m.tree)
}

// manSection is where manuals have the commands of users.
const manSection = "1"

// manText is a text for terminals as Markdown: indented lines are code, and nothing in the others means anything.
func manText(text string) string {
	escape := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`, "`",
		"\\`")
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t") {
			out.WriteString("    " + line)
			continue
		}
		out.WriteString(escape.Replace(line))
	}
	return out.String()
}

// meaning is a line of a table.
type meaning struct{ name, means string }

// exitMeanings are the exit codes as docs/commands.md has them.
func exitMeanings() []meaning {
	of := func(code int, means string) meaning { return meaning{strconv.Itoa(code), means} }
	return []meaning{
		of(exitDone, "done; also status and list without a session"),
		of(exitFault, "an error"),
		of(exitUsage, "usage: the words of the command line"),
		of(exitBlocked, "conflicts or findings block, your own files are in the way, or registry and git disagree"),
		of(exitPerson, "a person is needed: no terminal, the plan waits for approval, or a drafted plan waits to "+
			"be read"),
		of(exitSession, "the session's state forbids it: none is active, one is, or it is not over"),
		of(exitUnreadable, "the registry, a plan (also a planner's, after it was asked to mend it) or the "+
			"configuration does not parse"),
		of(exitFailed, "an agent failed (wait), or could not be started (-f, approve); a planner gave no plan"),
		of(exitTimeout, "a wait timed out, with --fail-on-timeout"),
		of(exitInterrupted, "interrupted"),
	}
}

// manSections are what delegate(1) says beside its commands.
func manSections() string {
	var out strings.Builder
	for _, s := range []struct {
		title string
		lines []meaning
	}{
		{"EXIT STATUS", exitMeanings()},
		{"FILES", []meaning{
			{".delegate.yaml", "the configuration, at the root of the repository"},
			{"docs/logs/delegation_registry.md", "the registry: sessions, agents and what happened"},
			{"docs/logs/DEL-.../", "public files of a session: what agents printed last, COMMANDS.md, " +
				"EXECUTION_STATE.md"},
			{"docs/logs/delegation_notes.md, delegation_learnings.md", "what agents are told beside their subtask"},
			{"docs/logs/archive/", "sessions that ended"},
			{"REPOSITORY.delegate/", "beside the repository: the agents' worktrees, desks and homes"},
			{".git/delegate/", "private state: turns, transcripts, versions of the registry"},
		}},
		{"ENVIRONMENT", []meaning{
			{"DELEGATE_AGENT", "set in an agent's turn, in which every command that changes anything is refused"},
			{"NO_COLOR", "no colours"},
			{"PAGER", "shows long differences at a terminal; less if it is not set"},
			{"GIT_EDITOR, VISUAL, EDITOR", "as git takes them, for plans and for files in conflict"},
			{"XDG_STATE_HOME", "below it the table of the ports that agents were given; else in your cache folder"},
			{"SOURCE_DATE_EPOCH", "the date of manual pages, in seconds since 1970"},
		}},
	} {
		fmt.Fprintf(&out, "\n# %s\n", s.title)
		for _, l := range s.lines {
			fmt.Fprintf(&out, "**%s**\n\t%s\n\n", manText(l.name), manText(l.means))
		}
	}
	return out.String()
}
