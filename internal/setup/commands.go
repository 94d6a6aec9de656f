package setup

import (
	"encoding/json"
	"path"
	"slices"

	"delegate/internal/program"
)

// File is one file that would be written.
type File struct {
	Path    string // from the root of the checkout, with slashes
	Content []byte
	What    string // what it is for, half a sentence
	Like    string // files with the same one say the same, each in its program's form; "": it is alone
}

const proposing = `Split this task into subtasks for other agents, with the program ` + "`delegate`" + `: {task}

You propose and you follow. Starting agents, landing and discarding their work take the person's answer at a terminal, which no flag or input of yours gives; leave agents' questions to the person as well.

1. ` + "`delegate status --json`" + `: if a session is active, say so, start nothing, and go on with step 5.
2. ` + "`delegate plan \"TASK\" -o FILE.md`" + ` writes a first plan. Without a task, ` + "`delegate plan -o FILE.md`" +
	` takes the open objectives of docs/01_progress.md.
3. Make the plan good, it is Markdown: scopes (Allowed) that do not meet, so that agents work side by side; a Context with the decisions and limits that nobody can guess; Expected Outputs; Dependencies only where one needs what another makes.
4. ` + "`delegate -f FILE.md`" + ` checks it and names every fault with its line. Exit code 4 is what you want: it is stored, and nothing runs yet. Show the person the subtasks and scopes, and ask them to type ` + "`delegate approve`" + ` at a terminal of theirs.
5. ` + "`delegate wait --json`" + ` returns when each agent has ended or needs the person. Say who needs what, and wait again until all have ended. Then tell the person to type ` + "`delegate sync`" + `.

While agents work:

` + manners

const reviewing = `Prepare the review of what delegated agents did, with the program ` + "`delegate`" +
	`. Only of these, if any are named: {task}

Landing is the person's: it takes an answer at a terminal, and no flag or input of yours gives it. Do not run ` + "`git merge`" + ` on agents' branches, and do not work in their worktrees.

1. ` + "`delegate sync --status --json`" + ` and ` + "`delegate conflicts --json`" + ` (exit code 3: a finding blocks).
2. For each agent that finished or failed (COMPLETE, FAILED): ` + "`delegate show AGT-001 --json`" + ` and ` +
	"`delegate diff AGT-001`" + `. Hold what it says against what it changed.
3. Report for each agent: what it did, its tests, violations, findings against others, and what you would answer: land, send back and with which words, or reject.
4. The person types ` + "`delegate sync`" + `, which shows each candidate, built and tested, and asks.

` + manners

const manners = `- Agents persist: one that finished or failed can still be sent a message and goes on.
- Messages queue until the next turn: ` + "`delegate message AGT-001 \"TEXT\"`" + `.
- A wait that times out is no failure. The agent goes on; wait again. Do not give up an agent that is working, and do not do its work yourself.
- Collect every result: ` + "`delegate show AGT-001 --json`" + `.
`

func commands() []program.Command {
	return []program.Command{
		{Name: "delegate", Skill: "delegate",
			About: "Split a task into subtasks for agents in git worktrees, and follow them",
			Hint:  "[TASK]", Body: proposing},
		{Name: "sync", Skill: "delegate-sync", About: "Prepare the review of what delegated agents did",
			Hint: "[AGT-001]", Body: reviewing},
	}
}

// CommandFiles are the files by which an agent program learns the commands; none where no way is
// known that stays inside of the repository.
func CommandFiles(name string) []File {
	p, _ := program.Named(name)
	if p.CommandFile == nil {
		return nil
	}
	var all []File
	for _, c := range commands() {
		f := p.CommandFile(c)
		all = append(all, File{Path: f.Path, Content: f.Content, What: f.Typed + " for " + name, Like: c.Name})
	}
	return all
}

// ServerFile is what claude and those like it read MCP servers of a project from.
const ServerFile = ".mcp.json"

// serverEntry is the entry of ServerFile, as a document of its own.
const serverEntry = `{
  "mcpServers": {
    "delegate": {"command": "delegate", "args": ["mcp"]}
  }
}
`

// ServerFiles name `delegate mcp` to the programs among these that read such a file in the repository.
func ServerFiles(programs []string) []File {
	var all []File
	for _, name := range programs {
		if p, _ := program.Named(name); p.ServerFile != "" {
			all = append(all, File{Path: p.ServerFile, Content: []byte(serverEntry),
				What: "the tools of `delegate mcp` for " + name})
		}
	}
	return all
}

// HasServer says whether the text of a ServerFile names this program's server.
func HasServer(data []byte) bool {
	var file struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	if json.Unmarshal(data, &file) != nil {
		return false
	}
	for name, s := range file.Servers {
		if name == "delegate" || path.Base(s.Command) == "delegate" && slices.Contains(s.Args, "mcp") {
			return true
		}
	}
	return false
}
