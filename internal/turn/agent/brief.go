package agent

import (
	"fmt"
	"strings"
	"time"

	"delegate/internal/text/shorten"
)

// ContextCap is how many bytes of context are handed to an agent; what is over is cut, visibly.
const ContextCap = 64 << 10

// Brief is everything that an agent is told in the prompt of its first turn.
type Brief struct {
	Session, Agent  string
	Task, Name      string // description, and the subtask's short name
	Context         string
	Allowed         []string
	Forbidden       []string
	Verify          []string
	ExpectedOutputs []string
	Dependencies    []string // one line for each result that this work builds on
	Notes           string   // what an earlier attempt did and why it ended
	History         string   // what the agent itself wrote down for later turns and attempts
	Shared          string   // notes of the project
	SharedFile      string   // where all of them are
	Learnings       []string // what went wrong in tasks like this one
	Message         string   // what was said to the agent before it ran
	Interval        time.Duration
	TimeLimit       time.Duration
	AgentDir        string
	Unfetched       string // what is not here of the repository's history
	PortBase        int    // first of its PortCount ports
	PortCount       int    // 0 for none
}

// Prompt writes the brief: everything that bounds the work comes first, in one section, then the
// task, last the duties and the form of the answer.
func (b Brief) Prompt() string {
	var p strings.Builder
	p.WriteString("<delegation_context>\n")
	fmt.Fprintf(&p, "You are %s in delegation session %s. You work alone on one subtask, in a git worktree "+
		"of your own.\n", b.Agent, b.Session)
	section(&p, "Context", inside(Cut(b.Context, ContextCap)))
	section(&p, "Results of the subtasks that yours depends on", inside(strings.Join(b.Dependencies, "\n")))
	section(&p, "Notes from an earlier attempt", inside(b.Notes))
	section(&p, "What you wrote down before", inside(b.History))
	section(&p, "What went wrong in tasks like this one before", inside(strings.Join(b.Learnings, "\n")))
	b.shared(&p)
	b.bounds(&p)
	p.WriteString("</delegation_context>\n\n")
	fmt.Fprintf(&p, "# Subtask: %s\n\n%s\n", b.Name, quotedBlocks(b.Task))
	b.duties(&p)
	return p.String()
}

// shared tells of the project's notes, also while there are none.
func (b Brief) shared(p *strings.Builder) {
	if b.SharedFile == "" {
		return
	}
	text := "There are none yet."
	if b.Shared != "" {
		text = inside(b.Shared)
	}
	section(p, "Notes shared in this project",
		fmt.Sprintf("Others' findings, all of them in `%s` (read it, do not write it; yours go into your inbox).\n\n%s",
			b.SharedFile, text))
}

// inside keeps text from ending the section it stands in, and its blocks from counting.
func inside(text string) string {
	return quotedBlocks(strings.ReplaceAll(text, "</delegation_context>", "<\\/delegation_context>"))
}

// bounds is what the agent may write, what must exist in the end, and what will be checked.
func (b Brief) bounds(p *strings.Builder) {
	p.WriteString("\n## What you may write\n\nGlobs from the root of the repository; everything else is read-only " +
		"for you.\n\n")
	list(p, "Allowed", b.Allowed)
	list(p, "Forbidden, even inside the allowed ones", b.Forbidden)
	p.WriteString("\nA change outside of this blocks the merge of all your work. If you need one more path, say " +
		"which and why in a checkpoint and stop.\n")
	p.WriteString("Do not push, do not switch branches, do not start other agents, do not write outside this " +
		"worktree.\n")
	if b.Unfetched != "" {
		p.WriteString(b.Unfetched + "\n")
	}
	if b.PortCount > 0 {
		fmt.Fprintf(p, "Others work on this machine: servers that you start listen on ports %d to %d (from "+
			"$DELEGATE_PORT_BASE on, $DELEGATE_PORTS of them), and containers, databases and the like are named "+
			"after $DELEGATE_NAME.\n",
			b.PortBase, b.PortBase+b.PortCount-1)
	}
	if len(b.ExpectedOutputs) > 0 {
		p.WriteString("\n## Expected outputs\n\n")
		list(p, "These files must exist when you are done", b.ExpectedOutputs)
	}
	if len(b.Verify) > 0 {
		p.WriteString("\n## Verification\n\nBefore a merge these commands are run on the combined result; run them " +
			"yourself first:\n\n")
		for _, command := range b.Verify {
			fmt.Fprintf(p, "- `%s`\n", command)
		}
	}
}

func (b Brief) duties(p *strings.Builder) {
	p.WriteString("\n## Order of work\n\n1. Do the work; commit it or leave it in the worktree, both are collected.\n")
	p.WriteString("2. Write the expected output files.\n")
	fmt.Fprintf(p, "3. Write what others should know as a Markdown file into `%s/inbox/`.\n", b.AgentDir)
	fmt.Fprintf(p, "   What you need to know yourself in a later turn belongs into `%s/history.md`.\n", b.AgentDir)
	p.WriteString("4. Print a plain text summary, then the checkpoint block below, and nothing after it. Nothing " +
		"counts as done without it.\n")
	p.WriteString("\nPrint a checkpoint block at each milestone, before a risky operation, at the edge of your " +
		"scope, when you are blocked")
	if b.Interval > 0 {
		fmt.Fprintf(p, ", and at least every %s", b.Interval)
	}
	p.WriteString(".\n")
	if b.TimeLimit > 0 {
		fmt.Fprintf(p, "You have %s of working time; waiting for an answer does not count.\n", b.TimeLimit)
	}
	fmt.Fprintf(p, "Before a step that prints nothing for minutes, touch `%s/HEARTBEAT_%s.md`: it says that you are "+
		"alive.\n", b.AgentDir, b.Agent)
	fmt.Fprintf(p, "Lines for you may appear in `%s/COMMANDS.md`; look there between steps.\n", b.AgentDir)
	fmt.Fprintf(p, "\n## The block\n\nFill in every value; the name in its header must be %s. COMPLETE goes with "+
		"MERGE, BLOCKED with HELP (you are given the answer), IN_PROGRESS with CONTINUE.\n\n", b.Agent)
	p.WriteString(blockForm(b.Agent))
	section(p, "Message from your parent", quotedBlocks(b.Message))
}

// blockForm is the template that agents fill in. Echoed back unfilled it is not taken for a block.
func blockForm(agent string) string {
	rule := strings.Repeat("═", 39)
	return strings.Join([]string{
		rule, "AGENT CHECKPOINT: " + agent, rule, "",
		"Status: COMPLETE | BLOCKED | IN_PROGRESS", "Progress: [0-100]%", "",
		"## Changes Made", "| File | Action | Description |", "|------|--------|-------------|",
		"| path | created/modified/deleted | brief |", "",
		"## Tests Run", "- Executed: Y/N", "- Result: PASS/FAIL/SKIPPED", "- Failed: list if any", "",
		"## Blockers", "None | text", "", "## Questions for Parent", "None | text", "",
		"## Request", "CONTINUE | MERGE | HELP | ABORT", "", rule, "",
	}, "\n")
}

func section(p *strings.Builder, title, text string) {
	if strings.TrimSpace(text) != "" {
		fmt.Fprintf(p, "\n## %s\n\n%s\n", title, strings.TrimSpace(text))
	}
}

func list(p *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(p, "%s:\n", title)
	for _, item := range items {
		fmt.Fprintf(p, "- `%s`\n", item)
	}
}

// Cut shortens text to at most most bytes, at a whole character, and says how much is missing.
func Cut(text string, most int) string {
	begin := shorten.Prefix(text, most)
	if begin == text {
		return text
	}
	return fmt.Sprintf("%s\n[… cut here: %d of %d bytes left out …]", begin, len(text)-len(begin), len(text))
}

// FollowUp is the prompt of a later turn: the message, and for a program without a memory of its
// own everything said so far.
type FollowUp struct {
	Message  string
	First    string // the first turn's prompt; "" where the program resumes its own session
	SoFar    string // the end of the agent's earlier output
	FromWhom string
}

// quotedBlocks marks the blocks in what an agent is told, so that a program that prints its prompt does not claim them.
func quotedBlocks(text string) string {
	return strings.ReplaceAll(text, "AGENT CHECKPOINT:", "AGENT CHECKPOINT (quoted):")
}

// Prompt writes the follow-up.
func (f FollowUp) Prompt() string {
	var p strings.Builder
	if f.First != "" {
		p.WriteString(f.First)
		section(&p, "What you wrote so far (its end)", Cut(quotedBlocks(f.SoFar), ContextCap))
		p.WriteString("\nYou go on from there, in the same worktree.\n\n")
	}
	fmt.Fprintf(&p, "## Message from %s\n\n%s\n", f.FromWhom, quotedBlocks(f.Message))
	if f.First != "" {
		p.WriteString("\nEnd your turn with a checkpoint block as described above.\n")
	}
	return p.String()
}
