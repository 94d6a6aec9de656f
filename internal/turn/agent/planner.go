package agent

import (
	"fmt"
	"strings"

	"delegate/internal/plan"
)

// PlanFile is the file in its folder in which a planner leaves its plan.
const PlanFile = "plan.md"

// PlannerBrief is everything that a planner is told in the prompt of its first turn.
type PlannerBrief struct {
	Task       plan.Task
	Facts      string   // about the repository, a few lines
	Roots      []string // that bound every scope, none for no bound
	Forbidden  []string // for every agent
	ScopeLimit int      // files of one scope, 0 for no limit
	Parallel   int      // agents at work at once, 0 for no limit
	Verify     []string
	NoContext  bool // subtasks may do without one
	AgentDir   string
}

// Prompt writes the brief: who the planner is, the task, the facts, what makes a good split, the form of the answer.
func (b PlannerBrief) Prompt() string {
	var p strings.Builder
	p.WriteString("You are a planner. You split a task into subtasks for agents that will work on them later, each " +
		"alone in a git worktree of its own, " +
		"each able to write only the files of its scope. You read this repository and write one plan. You do none of " +
		"the work yourself.\n")
	p.WriteString("Your checkout is read-only: what you try to write there is refused. Nothing that you write starts " +
		"an agent: a person reads the plan and decides.\n")
	fmt.Fprintf(&p, "\n# Task: %s\n\n%s\n", b.Task.Title, quotedBlocks(b.Task.Text))
	b.objectives(&p)
	section(&p, "What is known about the repository", quotedBlocks(b.Facts))
	b.bounds(&p)
	p.WriteString(splitAdvice)
	b.form(&p)
	b.answer(&p)
	return p.String()
}

func (b PlannerBrief) objectives(p *strings.Builder) {
	if len(b.Task.Objectives) == 0 {
		return
	}
	p.WriteString("\n## Open objectives\n\n")
	for _, o := range b.Task.Objectives {
		fmt.Fprintf(p, "- %s\n", o.Name)
		if o.Text != "" {
			fmt.Fprintf(p, "  %s\n", strings.ReplaceAll(o.Text, "\n", "\n  "))
		}
	}
	p.WriteString("\nA subtask that does exactly one of them names it, word by word, in its field Task; no objective " +
		"is named twice.\n")
}

// bounds is what a scope may be here.
func (b PlannerBrief) bounds(p *strings.Builder) {
	p.WriteString("\n## Bounds\n\n")
	list(p, "No agent may ever write these, whatever a plan says", b.Forbidden)
	list(p, "Every scope lies in these", b.Roots)
	if b.ScopeLimit > 0 {
		fmt.Fprintf(p, "A scope should match at most %d of the files that exist today; a wider one is shown to the "+
			"person as a fault of the plan.\n", b.ScopeLimit)
	}
	if b.Parallel > 0 {
		fmt.Fprintf(p, "At most %d agents work at the same time; more subtasks wait for a free place.\n", b.Parallel)
	}
	if len(b.Verify) > 0 {
		p.WriteString("Before work lands, these commands are run on the combined result:\n")
		for _, command := range b.Verify {
			fmt.Fprintf(p, "- `%s`\n", command)
		}
	}
}

// splitAdvice is what makes a plan good, whatever the task.
const splitAdvice = `
## What makes a good split

- Read before you split: where the code is that the task is about, what imports it, where its tests stand.
- As few subtasks as the work allows. A task that does not divide is one subtask, and the reasoning says why.
- Scopes of subtasks that run together do not overlap: two agents that change one file clash. Give the file to one of them, and make the other depend on it.
- A subtask has everything that its change needs: the code, its tests, its documentation. Tests go with the code that they test.
- What several subtasks build on (an interface, a schema, a shared type) is a subtask of its own that comes first; the others name it in Dependencies.
- Dependencies only where work is really needed first: each one makes agents wait.
- Name folders and files as narrowly as the work allows. A file that is to be made is in the scope of exactly one subtask.
- Context is what the agent cannot guess: which files to read first, decisions that are made, names and signatures that others rely on, what must not change.
`

// form is the plan file. It is indented, so that a program that prints its prompt has not answered.
func (b PlannerBrief) form(p *strings.Builder) {
	context := "required: what the agent must know"
	if b.NoContext {
		context = "what the agent must know; may be left out"
	}
	p.WriteString("\n## The form of the plan\n\nMarkdown, in this form without the indentation: one title, your " +
		"reasoning as free text, then one section for each subtask.\n\n")
	for _, line := range []string{
		"# Delegation Plan: TITLE", "", "Why the task is split this way, or why it cannot be split.", "",
		"## Subtask 1: SHORT NAME",
		"- **Description**: required: what to do, in one or more sentences",
		"- **Context**: " + context,
		"- **Allowed**: required: src/limit/**, tests/limit/**",
		"- **Forbidden**: src/limit/legacy/**",
		"- **Type**: QUICK, STANDARD, RESEARCH or ORCHESTRATION",
		"- **Complexity**: Low, Medium or High",
		"- **Dependencies**: None, or numbers of subtasks such as 1, 2",
		"- **Expected Outputs**: src/limit/bucket.go, tests/limit/bucket_test.go",
		"- **Task**: one open objective, word by word; leave the line out otherwise",
	} {
		p.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
	p.WriteString(formRules)
}

// formRules has no double quotes, which one of the programs would hand on with a backslash before each.
const formRules = `
Rules, which are checked:

- The heading of a subtask is as above, with a number of its own. Sections have only these fields; other text in a section is a fault.
- The text of a field may go on in lines below it that are indented by two spaces.
- Allowed and Forbidden are globs from the root of the repository, separated by commas: ** for any number of folders, * within one name, {a,b} for either. No leading slash, no step up, and nothing that allows the whole repository.
- QUICK is minutes of work, STANDARD the usual, RESEARCH reads more than it writes, ORCHESTRATION is the longest.
- Dependencies name subtasks of this plan and never lead in a circle.
- Expected Outputs are files that exist when the work is done; they lie in the subtask's own scope.
- Which program works on a subtask is not yours to say: there is no field for it.
`

func (b PlannerBrief) answer(p *strings.Builder) {
	fmt.Fprintf(p, "\n## Your answer\n\nWrite the plan to the file `%s/%s` (that is $DELEGATE_AGENT_DIR/%s), which "+
		"you may write. If you cannot write files, print it as your last words, beginning with its title.\n",
		b.AgentDir,
		PlanFile, PlanFile)
	p.WriteString("Then stop. Start no agents, change no branches, run nothing that takes long.\n")
}

// PlannerFollowUp is the prompt of a planner's second turn.
type PlannerFollowUp struct {
	Faults   []string
	First    string // the first turn's prompt; "" where the program resumes its own session
	Answer   string // what it gave, for a program without a memory of its own
	AgentDir string
}

// Prompt writes the follow-up.
func (f PlannerFollowUp) Prompt() string {
	var p strings.Builder
	if f.First != "" {
		p.WriteString(f.First)
		fmt.Fprintf(&p, "\n## What you answered before\n\n%s\n\n", indented(quotedBlocks(Cut(f.Answer, ContextCap))))
	}
	p.WriteString("## Your plan has faults\n\nIt was checked, and cannot be used yet:\n\n")
	for _, fault := range f.Faults {
		fmt.Fprintf(&p, "- %s\n", fault)
	}
	fmt.Fprintf(&p, "\nMend all of them, and give the whole plan again: in the file `%s/%s`, or printed as your last "+
		"words, beginning with its title.\n", f.AgentDir, PlanFile)
	return p.String()
}

// indented is text as a block of code in Markdown.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}
