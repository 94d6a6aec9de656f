package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// manCommand is `delegate man [DIR]`: the manual pages, made of what the commands say of themselves.
func (a *app) manCommand() *cobra.Command {
	c := command("man [DIR]", "print the manual page, or write those of all commands into a folder",
		cobra.MaximumNArgs(1), func(_ context.Context, args []string) error {
			date, err := manDate()
			if err != nil {
				return err
			}
			pages := manPages{tree: a.rootCommand(), date: date}
			pages.prepare()
			if len(args) == 0 {
				return pages.write(pages.tree, a.out)
			}
			if err := refuseInside(); err != nil {
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

// manPages writes the pages of a command tree of its own.
type manPages struct {
	tree *cobra.Command
	date time.Time
}

// prepare has the commands that the library adds by itself among the others.
func (m manPages) prepare() {
	m.tree.InitDefaultCompletionCmd()
	m.tree.InitDefaultHelpCmd()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(m.tree)
}

func (m manPages) write(c *cobra.Command, to io.Writer) error {
	name := pageName(c)
	var p manPage
	fmt.Fprintf(&p.out, `.TH "%s" "%s" "%s" "delegate %s" "Delegation"`+"\n", roff(strings.ToUpper(name)), manSection,
		m.date.Format("Jan 2006"), version)
	p.section("NAME")
	fmt.Fprintf(&p.out, "%s \\- %s\n", roff(name), roff(c.Short))
	p.section("SYNOPSIS")
	p.text(bold(c.UseLine()))
	p.section("DESCRIPTION")
	p.text(roff(cmp.Or(c.Long, c.Short)))
	if c == m.tree {
		manSections(&p)
	}
	p.options("OPTIONS", c.NonInheritedFlags().FlagUsagesWrapped(manColumns))
	p.options("OPTIONS INHERITED FROM PARENT COMMANDS", c.InheritedFlags().FlagUsagesWrapped(manColumns))
	p.section("SEE ALSO")
	p.text(strings.Join(related(c), ", "))
	if _, err := io.WriteString(to, p.out.String()); err != nil {
		return fmt.Errorf("write manual page: %w", err)
	}
	return nil
}

// pageName is what the page of a command is called.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// related are the pages of the commands above and below.
func related(c *cobra.Command) (pages []string) {
	if c.HasParent() {
		pages = append(pages, bold(pageName(c.Parent())+"("+manSection+")"))
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			pages = append(pages, bold(pageName(below)+"("+manSection+")"))
		}
	}
	return pages
}

// manPage is one page in the language of man.
type manPage struct{ out strings.Builder }

func (p *manPage) section(title string) { fmt.Fprintf(&p.out, ".SH %s\n", title) }

// text writes what was made for terminals and by roff or bold: empty lines part it, indented ones stay as they are.
func (p *manPage) text(text string) {
	const plain, asTyped, parted = 0, 1, 2
	state := plain
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		switch {
		case line == "" && state == asTyped:
			p.out.WriteString("\n")
			continue
		case line == "":
			state = parted
			continue
		case indented && state != asTyped:
			p.out.WriteString(".PP\n.EX\n")
			state = asTyped
		case !indented && state == asTyped:
			p.out.WriteString(".EE\n.PP\n")
			state = plain
		case !indented && state == parted:
			p.out.WriteString(".PP\n")
			state = plain
		}
		p.out.WriteString(line + "\n")
	}
	if state == asTyped {
		p.out.WriteString(".EE\n")
	}
}

// meaning writes a word and what it means.
func (p *manPage) meaning(name, means string) {
	fmt.Fprintf(&p.out, ".TP\n%s\n%s\n", name, roff(means))
}

// options writes flags as --help has them, "" for none.
func (p *manPage) options(title, usages string) {
	if usages != "" {
		p.section(title)
		p.text(roff(usages))
	}
}

// roff is text in which nothing means anything to man.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line[0] == '.' || line[0] == '\'' {
			out.WriteString(`\&`)
		}
		out.WriteString(line)
	}
	return out.String()
}

func bold(text string) string { return `\fB` + roff(text) + `\fR` }

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
		if err := os.WriteFile(filepath.Join(folder, pageName(c)+"."+manSection), page.Bytes(), 0o644); err != nil {
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

// manColumns is how wide lines are that man does not fill itself.
const manColumns = 72

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
		of(exitUnreadable, "the registry, a plan (also a planner's, after it was asked to fix it) or the "+
			"configuration does not parse"),
		of(exitFailed, "an agent failed (wait), or could not be started (-f, approve); a planner gave no plan"),
		of(exitTimeout, "a wait timed out, with --fail-on-timeout"),
		of(exitInterrupted, "interrupted"),
	}
}

// manSections are what delegate(1) says beside its commands.
func manSections(p *manPage) {
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
			{"docs/logs/delegation_notes.md, delegation_learnings.md", "what agents get in addition to their subtask"},
			{"docs/logs/archive/", "sessions that ended"},
			{"REPOSITORY.delegate/", "next to the repository: the agents' worktrees, desks and homes"},
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
		p.section(s.title)
		for _, l := range s.lines {
			p.meaning(bold(l.name), l.means)
		}
	}
}
