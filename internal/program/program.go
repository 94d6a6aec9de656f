// Package program describes the agent programs that are known without configuration: one file for
// each, and one list. Everything that delegate knows of a single program stands in its file; what a
// program's events look like stands in package dialect, as several programs print the same.
//
// The other packages read the list: agent starts the programs, guard knows their tools and hooks,
// sandbox hides their logins, setup writes their commands.
package program

import (
	"slices"
	"strings"

	"delegate/internal/dialect"
)

// All are the programs in the order in which installed ones are tried where no profile is named.
func All() []Program {
	return []Program{claude(), codex(), opencode(), gemini(), qwen(), aider(), copilot(), cursor(), amp()}
}

// Names are the names of all programs, in the same order.
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Named is the program with that name; false if there is none.
func Named(name string) (Program, bool) {
	all := All()
	at := slices.IndexFunc(all, func(p Program) bool { return p.Name == name })
	if at < 0 {
		return Program{}, false
	}
	return all[at], true
}

// Delivery is how a prompt reaches the program.
type Delivery string

// The ways a prompt is delivered. Argument is the default: in place of {prompt}, else as the last argument.
const (
	Argument Delivery = "argument"
	Stdin    Delivery = "stdin"
	File     Delivery = "file"
)

// Program is one agent program. Commands, variables and files may have the words in braces of a
// configured profile and besides {home} and {tmp} (the agent's own folders), {turn} (the turn's
// private folder), {sandbox} (Inner or Outer), {hook} (the command line of the pre-tool hook),
// {writable} (a TOML list of what git and the agent's folder need) and {edits} (opencode's rules
// for edits).
type Program struct {
	Name     string
	Aliases  []string // other names under which it is started
	Command  []string
	Resume   []string // command of later turns; empty: the program cannot resume
	Delivery Delivery
	Output   dialect.Output
	Env      map[string]string
	PassEnv  []string // variables of the person's that it gets
	Login    string   // what a person types to be logged in
	Tested   string   // version that it was run with; "" if it was described from documentation alone

	// Credentials are the files below the person's home that hold its login, or say where to log
	// in. They are copied into the agent's home.
	Credentials []string
	Hidden      []string // further places below the person's home with logins, which it is not given
	Keychain    bool     // its login is in the keychain, on macOS
	Files       []ConfigFile

	Hook  *Hook    // nil if it asks none before it uses a tool
	Tools Tools    // by the names that hooks and events have for them
	Inner []string // arguments with which the program fences itself, in the place of the word {sandbox}
	Outer []string // those in their place where a fence is around it already

	// CommandFile writes a command for the program's own prompt; nil where no way is known that
	// stays inside of the repository.
	CommandFile func(Command) CommandFile
	ServerFile  string // file of the repository that names MCP servers, in claude's form; "" for none
}

// ConfigFile is a file that a program is given, made anew for each turn. Its words in braces are
// replaced.
type ConfigFile struct {
	Path    string
	Content string // JSON
	Merge   string // JSON file below the person's home into which Content is merged, "" for none
}

// Hook says how a program calls `delegate hook`, whose dialects have the names of the programs.
type Hook struct {
	Event  string                         // what it calls the moment before a tool is used
	Refuse func(event, reason string) any // the JSON that refuses
	Write  string                         // a tool that writes the file file_path
}

// permissionDecision is the refusal of most programs.
func permissionDecision(event, reason string) any {
	return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": event,
		"permissionDecision": "deny", "permissionDecisionReason": reason}}
}

// Tools are a program's tools by what they do. No two programs mean different things by one name.
type Tools struct {
	Start []string // an agent
	Write []string // one file
	Patch []string // files, by a patch
	Shell []string
	Read  []string // one file
	Look  []string // what lies below a folder, the worktree if none is named
}

// Command is one command of delegate's for a program's own prompt, such as /delegate.
type Command struct {
	Name  string
	Skill string // the name where it is a skill beside those of others
	About string
	Hint  string
	Body  string // Markdown; {task} stands for what the person types behind the command

	Allowed []string // beginnings of command lines that need no question
}

// CommandFile is the file by which a program learns a command.
type CommandFile struct {
	Path    string // from the root of the repository, with slashes
	Typed   string // what the person types
	Content []byte
}

// markdown is the file of a command as most programs have it: task is their word for what is typed
// behind it.
func (c Command) markdown(folder, task string, fields ...string) CommandFile {
	return CommandFile{Path: folder + c.Name + ".md", Typed: "/" + c.Name,
		Content: frontMatter(c.Body, task, append([]string{"description: " + c.About}, fields...)...)}
}

// frontMatter is a Markdown text with the fields as YAML above it.
func frontMatter(body, task string, fields ...string) []byte {
	return []byte("---\n" + strings.Join(fields, "\n") + "\n---\n\n" + strings.ReplaceAll(body, "{task}", task))
}
