// Package program describes the agent programs that are known without configuration: one file for
// each, and one list. Everything that delegate knows of a single program stands in its file; what a
// program's events look like stands in package dialect, as several programs print the same.
//
// The other packages read the list: agent starts the programs, guard knows their tools and hooks,
// sandbox hides their logins, setup writes their commands.
package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"delegate/internal/turn/dialect"
)

// All are the programs in the order in which installed ones are tried where no profile is named. They are the caller's
// to change.
func All() []Program {
	return []Program{claude(), codex(), opencode(), gemini(), qwen(), copilot(), pi(), aider(), cursor(), amp()}
}

// all are made once, for what only reads them: every command looks through them several times.
var all = sync.OnceValue(All)

// Names are the names of all programs, in the same order.
func Names() []string {
	var names []string
	for _, p := range all() {
		names = append(names, p.Name)
	}
	return names
}

// Named is the program with that name; false if there is none.
func Named(name string) (Program, bool) {
	list := All()
	at := slices.IndexFunc(list, func(p Program) bool { return p.Name == name })
	if at < 0 {
		return Program{}, false
	}
	return list[at], true
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
// private folder), {skills} (the folder in it with the skills that it is told of), {hook} (the command
// line of the pre-tool hook), {hook_seconds} (how long that may take), {writable} (a TOML list of what
// git and the agent's folder need), {edits} (opencode's rules for edits) and {usage} (the file of the
// agent's folder that says what it used up), in files {instructions} (the text of what the project and the
// person want it to know), {servers} (the MCP servers that it is given, as JSON), {names} (theirs) and
// {approved} (the end of its key, in a list). As a
// whole word of a command {sandbox} stands for Inner or Outer, {choice} for Model, Effort and Budget,
// {refuse} for Refuse of each server of the person's that it is not given.
type Program struct {
	Name    string
	Aliases []string // other names under which it is started
	Marks   []string // variables by which the commands that it starts can tell that it did
	Command []string
	Resume  []string // command of later turns; empty: the program cannot resume
	// Takeover is the command by which a person goes on with its conversation at a terminal; empty: there is none.
	Takeover []string
	Delivery Delivery
	Output   dialect.Output
	Env      map[string]string
	PassEnv  []string // variables of the person's that it gets
	Login    string   // what a person types to be logged in
	// AsksOfKey is a variable with a key that it asks a person about on its screen, unless a file has {approved}.
	AsksOfKey string
	// Model and Effort are the arguments that choose them, with {model} and {effort}; none where it has none.
	Model, Effort []string
	Budget        []string // arguments with which the program itself stops at {budget} US dollars in a turn
	Clouds        []Cloud
	// Hosts are those of its provider that it cannot work without, with those that renew its login; of a program for
	// several providers, those of each. None: not known.
	Hosts    []string
	Provider Key // of the person's settings that names a provider with a login of its own
	// Settings is the person's file in which a program that does not tell its model finds it, and Chosen what it says.
	Settings string
	Chosen   func(settings []byte) string
	Tested   string // version that it was run with; "" if it was described from documentation alone

	// Credentials are the files below the person's home that hold its login, or say where to log
	// in. They are copied into the agent's home.
	Credentials []string
	Hidden      []string // further places below the person's home with logins, which it is not given
	Keychain    bool     // its login is in the keychain, on macOS
	// Tries are places below the repository's git folder where the program writes on its own account, whatever its
	// model does. That is refused as all writing there, and no violation.
	Tries []string
	Files []ConfigFile
	// Notes is where it writes down its conversation while a turn runs, if that says more than what it prints: a
	// pattern below its home, with {session_id}, or {session} for the first part of that.
	Notes string

	// What its model is to know, where the project and the person write it down. Its own look into the
	// worktree is switched off as far as it can be, since an agent writes there.
	Project, Person Sources
	Servers         Servers
	Moves           []Move

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
	Content string   // JSON
	Merge   string   // JSON file below the person's home into which Content is merged, "" for none
	Keep    []string // the only keys of that file that are taken over, none for all
	Text    string   // in place of Content, for a file that is no JSON
	Copy    string   // in place of both: the file below the person's home that it is a copy of
}

// Cloud is a provider that the program uses in the place of its own where a variable of the person's is set.
type Cloud struct {
	Switch      string
	PassEnv     []string // what it gets then
	Credentials []string // and copies of these
	// Hosts are those that it reaches then, with {region} for the first of the variables Regions that is set, else for
	// Region.
	Hosts   []string
	Regions []string
	Region  string
}

// Hosts of providers that several programs know.
var (
	anthropicHosts = []string{"api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"}
	openaiHosts    = []string{"api.openai.com", "auth.openai.com", "chatgpt.com"}
	googleHosts    = []string{"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com",
		"oauth2.googleapis.com"}
	vertexHosts = []string{"{region}-aiplatform.googleapis.com", "aiplatform.googleapis.com", "oauth2.googleapis.com",
		"sts.googleapis.com"}
)

// googleLogin is where Google's tools keep a login for programs.
const googleLogin = ".config/gcloud/application_default_credentials.json"

// Key is a key of a JSON file below the person's home.
type Key struct{ File, Name string }

// Sources are places with what a model is to know, from one root. What a person has written once for
// all programs is among those of each that reads it.
type Sources struct {
	Files   []string // texts; of the repository names that count in each of its folders
	Rules   []string // folders with more texts
	Skills  []string // folders with a folder for each skill
	Agents  []string // folders with a description of each sub-agent
	Servers []string // files that name MCP servers
	Imports bool     // a text takes in another where it says @PATH
}

// Move is a place below the person's home that lies elsewhere where a variable of theirs says so.
type Move struct {
	From     string // below the home
	Variable string
	To       string // below the folder of the variable
}

// At is where a file or folder that is named from the person's home is.
func (p Program) At(home, name string) string {
	for _, m := range p.Moves {
		rest, below := strings.CutPrefix(name+"/", m.From+"/")
		if folder := os.Getenv(m.Variable); below && filepath.IsAbs(folder) {
			return filepath.Join(folder, m.To, filepath.FromSlash(rest))
		}
	}
	return filepath.Join(home, filepath.FromSlash(name))
}

// Servers says how a program's files name MCP servers, and how it is told which of them to use.
type Servers struct {
	Key    string                     // of the JSON object that has them by name
	Names  func(file []byte) []string // those of a file that is no JSON
	Refuse func(name string) []string // arguments that switch one off which the program finds by itself
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
	Ask   []string // the person
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
