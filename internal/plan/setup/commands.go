package setup

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"delegate/internal/turn/program"
)

// File is one file that would be written.
type File struct {
	Path    string // from the root of the checkout, with slashes
	Content []byte
	What    string // what it is for, half a sentence
	Before  []byte // what the file has already, which Content is added to; nil for a new file
	Like    string // files with the same one say the same, each in its program's form; "": it is alone
}

// The bodies of the commands; what is said of agents at work ends both.
var (
	//go:embed delegate.md
	proposing string
	//go:embed sync.md
	reviewing string
	//go:embed following.md
	following string
)

func commands() []program.Command {
	// None of these starts, merges or discards anything.
	allowed := []string{"delegate status", "delegate list", "delegate show", "delegate diff", "delegate logs",
		"delegate wait", "delegate conflicts", "delegate review --json", "delegate plan", "delegate -f",
		"delegate add -f",
		"delegate message", "delegate sync status", "delegate sync --status", "mktemp -d"}
	return []program.Command{
		{Name: "delegate", Skill: "delegate",
			About: "Split a task into subtasks for agents in git worktrees, and follow them",
			Hint:  "[TASK]", Body: proposing + following, Allowed: allowed},
		{Name: "sync", Skill: "delegate-sync", About: "Prepare the review of what delegated agents did",
			Hint: "[status | wait | merge AGENT | rollback AGENT | complete | abort]", Body: reviewing + following,
			Allowed: allowed},
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

// serverFiles name `delegate mcp` to the programs among these that read such a file in the repository.
func serverFiles(programs []string) []File {
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

// Links are the names by which git finds this program, as far as they are missing beside it: where its folder is on the
// search path and can be written.
func Links(program, path string) (folder string, names []string) {
	folder = filepath.Dir(program)
	if !slices.Contains(filepath.SplitList(path), folder) {
		return folder, nil
	}
	probe, err := os.CreateTemp(folder, ".delegate-")
	if err != nil {
		return folder, nil
	}
	probe.Close()
	os.Remove(probe.Name())
	for _, name := range []string{"git-delegate", "git-sync"} {
		if _, err := os.Lstat(filepath.Join(folder, name)); errors.Is(err, fs.ErrNotExist) {
			names = append(names, name)
		}
	}
	return folder, names
}
