// Package agent knows agent programs: a profile says how one is started and which files, variables
// and logins it gets, a place says where an agent lives, and a brief is what the agent is told.
package agent

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/fence/proxy"
	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/program"
	"delegate/scope"
)

// BridgeVerb is the hidden command under which this program runs a turn of one that speaks the Agent Client Protocol:
// `delegate __acp POLICYFILE SESSION MODE -- PROGRAM ARGS…`. It reads the prompt from $DELEGATE_PROMPT_FILE.
const BridgeVerb = "__acp"

// BridgeProtocol is the output of a profile, and the Protocol it then has, whose program the bridge speaks with.
const BridgeProtocol = "acp"

// The modes of a bridge: the turn begins a conversation, or goes on with the one that is named.
const (
	BridgeNew    = "new"
	BridgeResume = "resume"
)

// bridge puts the bridge before the configured command. The program goes on with its conversation
// by the protocol, so one command serves all turns.
func (p *Profile) bridge(c config.Profile) error {
	switch {
	case len(c.Command) == 0:
		return fmt.Errorf("agent profile %q: output %q needs a command that speaks it, such as %q", p.Name, c.Output,
			"opencode acp")
	case len(c.Resume) > 0:
		return fmt.Errorf("agent profile %q: output %q resumes by itself; leave %q out", p.Name, c.Output, "resume")
	case c.Prompt != "":
		return fmt.Errorf("agent profile %q: output %q hands the prompt over by itself; leave %q out", p.Name, c.Output,
			"prompt")
	}
	p.Protocol, p.Output, p.Delivery = BridgeProtocol, dialect.EventLines, program.File
	p.Command, p.Resume = append(beforeProgram(BridgeNew), c.Command...),
		append(beforeProgram(BridgeResume), c.Command...)
	return nil
}

func beforeProgram(mode string) []string {
	return []string{run.Program(), BridgeVerb, "{policy}", "{session_id}", mode, "--"}
}

// executable is the name or path of the profile's own program.
func (p Profile) executable() string {
	if p.Protocol != "" {
		return p.Command[len(beforeProgram(BridgeNew))]
	}
	return p.Command[0]
}

// Profile is one agent program as it is configured.
type Profile struct {
	program.Program // with the name of the built-in one that it is built on, "" for none
	Name            string
	// Protocol is BridgeProtocol if the commands start the bridge, with the program's own behind them; "" otherwise.
	Protocol string
	// MCP are the MCP servers that its person allows, of those that the project or the person names.
	MCP []string
	// DefaultModel and DefaultEffort are for subtasks that name none, "" for what the program takes.
	DefaultModel, DefaultEffort string
	// Asks says that a person is asked before it writes or runs something.
	Asks bool
}

// UnknownProfileError names a profile that neither the configuration nor this program knows.
type UnknownProfileError struct {
	Name  string
	Known []string
}

func (e *UnknownProfileError) Error() string {
	switch {
	case e.Name == "" && len(e.Known) > 0:
		return fmt.Sprintf("there is no default agent; set the key agent in %s to one of: %s", config.FileName,
			strings.Join(e.Known, ", "))
	case e.Name == "":
		return "no agent program is configured, and none of those that are known is installed"
	case len(e.Known) == 0:
		return fmt.Sprintf("agent profile %q is not configured (no profile is)", e.Name)
	}
	return fmt.Sprintf("agent profile %q is not configured (known: %s)", e.Name, strings.Join(e.Known, ", "))
}

// Find is the profile with that name: a built-in one, what the configuration says of it key by key,
// or one of the configuration alone. An empty name means the configured default, or the first known
// program that is installed. *UnknownProfileError if there is none.
func Find(c config.Config, name string) (Profile, error) {
	if name = cmp.Or(name, c.Agent); name == "" {
		name = firstInstalled()
	}
	return find(c, name, nil)
}

// find is Find below the profiles that extend the one with that name.
func find(c config.Config, name string, above []string) (Profile, error) {
	builtin, known := program.Named(name)
	configured, named := c.Profiles[name]
	profile := Profile{Program: builtin}
	switch base := configured.Extends; {
	case !known && !named:
		known := Known(c)
		if name == "" {
			known = slices.Sorted(maps.Keys(c.Profiles))
		}
		return Profile{}, &UnknownProfileError{Name: name, Known: known}
	case base == name && known:
	case slices.Contains(append(above, name), base):
		return Profile{}, fmt.Errorf("agent profile %q extends itself: %s", base,
			strings.Join(append(above, name, base), " → "))
	case base != "":
		var err error
		if profile, err = find(c, base, append(above, name)); err != nil {
			return Profile{}, fmt.Errorf("agent profile %q extends %q: %w", name, base, err)
		}
	}
	profile.Name = name
	if err := profile.override(configured); err != nil {
		return Profile{}, err
	}
	return profile, nil
}

func firstInstalled() string {
	for _, p := range program.All() {
		if _, err := run.Which(p.Command[0], "/", os.Getenv("PATH")); err == nil {
			return p.Name
		}
	}
	return ""
}

// Known are the names of all profiles, the built-in ones and the configured ones, sorted. Their
// programs need not be installed.
func Known(c config.Config) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(program.Names(), maps.Keys(c.Profiles)))))
}

// override takes over each key that is configured.
func (p *Profile) override(c config.Profile) error {
	if c.Command != nil {
		p.Command = c.Command
	}
	if c.Resume != nil {
		p.Resume = c.Resume
	}
	if c.Takeover != nil {
		p.Takeover = c.Takeover
	}
	switch c.Output {
	case "":
	case "text":
		p.Output = dialect.PlainText
	case "stream-json", "json":
		p.Output = dialect.EventLines
	case BridgeProtocol:
		if err := p.bridge(c); err != nil {
			return err
		}
	default:
		return fmt.Errorf("agent profile %q: output %q is not known, use text, stream-json, json or acp", p.Name,
			c.Output)
	}
	env := map[string]string{}
	maps.Copy(env, p.Env)
	maps.Copy(env, c.Env)
	p.Env = env
	p.PassEnv = slices.Concat(p.PassEnv, c.PassEnv)
	p.DefaultModel, p.DefaultEffort = cmp.Or(c.Model, p.DefaultModel), cmp.Or(c.Effort, p.DefaultEffort)
	if err := checkCopied(p.Name, slices.Concat(c.Login, c.Files)); err != nil {
		return err
	}
	for _, name := range c.Login {
		p.Credentials = append(slices.Clone(p.Credentials), strings.TrimPrefix(name, "~/"))
	}
	for _, name := range c.Files {
		name = strings.TrimPrefix(name, "~/")
		p.Files = append(slices.Clone(p.Files), program.ConfigFile{Path: "{home}/" + name, Copy: name})
	}
	if c.MCP != nil {
		p.MCP = c.MCP
	}
	if c.Permissions != "" {
		p.Asks = c.Permissions == config.PermissionsAsk
	}
	if c.Prompt != "" {
		p.Delivery = program.Delivery(c.Prompt)
	}
	if p.Delivery == "" {
		p.Delivery = defaultDelivery(p.Command)
	}
	if p.Output == "" {
		p.Output = dialect.PlainText
	}
	return p.checkAsks()
}

// checkAsks is an error if a person is to be asked by a program that asks nothing.
func (p *Profile) checkAsks() error {
	if p.Asks && p.Hook == nil && p.Protocol == "" {
		return fmt.Errorf("agent profile %q: permissions: ask needs a program that asks before it does something: one "+
			"with a pre-tool hook, or output: acp", p.Name)
	}
	return nil
}

// checkCopied is an error if one of the files is, or lies in, a place with logins of anything but agent programs.
func checkCopied(profile string, files []string) error {
	if len(files) == 0 {
		return nil
	}
	var own []string
	for _, known := range program.All() {
		own = append(append(own, known.Credentials...), known.Hidden...)
	}
	for _, name := range files {
		for _, place := range sandbox.Credentials() {
			if !slices.Contains(own, place) && scope.Within(strings.TrimPrefix(name, "~/"), place) {
				return fmt.Errorf("agent profile %q: %q is where a login lies that is none of an agent program; no "+
					"agent gets it", profile, name)
			}
		}
	}
	return nil
}

func defaultDelivery(command []string) program.Delivery {
	for _, word := range command {
		if strings.Contains(word, "{prompt_file}") {
			return program.File
		}
	}
	return program.Argument
}

// Installed finds the profile's program for a process that works in dir with that PATH.
func (p Profile) Installed(dir, path string) error {
	if len(p.Command) == 0 {
		return fmt.Errorf("agent profile %q has no command", p.Name)
	}
	if _, err := run.Which(p.executable(), dir, path); err != nil {
		return fmt.Errorf("agent profile %q: %w", p.Name, err)
	}
	return nil
}

// Values replace the words in braces of a profile's command. No Prompt is none, which is not delivered either.
type Values struct {
	Prompt, PromptFile, SessionID string
	Place                         Place
}

// Invocation is what a turn runs.
type Invocation struct {
	Args  []string
	Stdin string // file to read, "" for none
	// Conversation is the one that the arguments name, "" for none.
	Conversation string
}

// maxArgument is the longest prompt on a command line, in bytes; Linux takes no argument of 128 KiB.
const maxArgument = 96 << 10

// Invoke builds the command line of a first turn, or of a later one where the program can resume.
// Words are replaced argument by argument; no shell sees them.
func (p Profile) Invoke(command []string, v Values) Invocation {
	if p.Delivery == program.Argument && len(v.Prompt) > maxArgument {
		v.Prompt = fmt.Sprintf("Your instructions are too long for a command line. Read all of the file %s first: it "+
			"is what you are told.", v.PromptFile)
	}
	replace := strings.NewReplacer(append(v.Place.words(), "{prompt}", v.Prompt, "{prompt_file}", v.PromptFile,
		"{session_id}", v.SessionID, "{model}", cmp.Or(v.Place.Model, p.DefaultModel), "{budget}",
		v.Place.Budget, "{effort}", cmp.Or(v.Place.Effort, p.DefaultEffort))...)
	in := Invocation{}
	placed := false
	for _, word := range p.expanded(command, v.Place) {
		placed = placed || strings.Contains(word, "{prompt}")
		if strings.Contains(word, "{session_id}") {
			in.Conversation = v.SessionID
		}
		in.Args = append(in.Args, replace.Replace(word))
	}
	if v.Prompt == "" {
		return in // a person says what is to be done
	}
	switch p.Delivery {
	case program.Stdin:
		in.Stdin = v.PromptFile
	case program.Argument:
		if !placed {
			in.Args = append(in.Args, v.Prompt)
		}
	}
	return in
}

// expanded puts arguments in the place of the words that stand for several: what concerns the program's own
// sandbox, and the servers that it is not to start.
func (p Profile) expanded(command []string, place Place) (words []string) {
	for _, word := range command {
		switch {
		case word == "{sandbox}" && place.Confinement == Unconfined:
			words = append(words, p.Inner...)
		case word == "{sandbox}":
			words = append(words, p.Outer...)
		case word == "{choice}":
			words = append(words, p.choice(place)...)
		case word == "{refuse}":
			for _, name := range place.Instructions.refused() {
				words = append(words, p.Servers.Refuse(name)...)
			}
		default:
			words = append(words, word)
		}
	}
	return words
}

// Place is where one agent lives.
type Place struct {
	Session, Agent                string
	Worktree, AgentDir, Home, Tmp string
	Turn                          string // the turn's private folder
	Git                           string // the repository's common folder
	Branch                        string
	Allowed, Forbidden            []string
	Hooks                         string // folder with the hooks of its git, "" for none
	Objects                       string // folder that its git writes objects to, "" for the repository's own
	Confinement                   Confinement
	Port                          int  // of its loopback interface, where the proxy of its network is found; 0 for none
	Offline                       bool // it has no network, and is not told how one would be reached
	PromptFile                    string
	PortBase, PortCount           int    // what its servers listen on: PortCount ports from PortBase on; 0 for none
	Model, Effort                 string // "" for what the profile says
	Budget                        string // what is left of it, in US dollars; "" for no limit
	Name                          string // for what it makes outside of its worktree; nobody else's
	AuthorName, AuthorEmail       string
	CommitterName, CommitterMail  string
	Instructions                  Instructions  // what its model is told beside the prompt
	PermissionWait                time.Duration // how long a person is asked about each use of a tool; 0 asks nobody
	Attended                      bool          // a person sits at its own screen
}

// Confinement says what holds the agent's processes in.
type Confinement int

// The holds: nothing of the kernel, a fence that cannot layer caches, and one that can.
const (
	Unconfined Confinement = iota
	Fenced
	FencedLayered
)

// Environ is the whole environment of an agent's process: a list of what is named here, in the
// profile, and nothing else.
func (p Place) Environ(profile Profile) []string {
	env := listed()
	env["HOME"], env["TMPDIR"] = p.Home, p.Tmp
	env["GIT_AUTHOR_NAME"], env["GIT_AUTHOR_EMAIL"] = p.AuthorName, p.AuthorEmail
	env["GIT_COMMITTER_NAME"], env["GIT_COMMITTER_EMAIL"] = p.CommitterName, p.CommitterMail
	replace := strings.NewReplacer(p.words()...)
	for name, value := range profile.Env {
		env[name] = replace.Replace(value)
	}
	handOn(env, slices.Concat(proxies(), profile.handed()))
	p.ownCaches(env)
	if p.Hooks != "" {
		maps.Copy(env, p.gitSettings(p.Hooks, env["PATH"]))
	}
	if p.Objects != "" {
		env["GIT_OBJECT_DIRECTORY"] = p.Objects
		env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = git.Alternates(filepath.Join(p.Git, "objects"))
	}
	if p.Port != 0 {
		for _, entry := range proxy.Environ(p.Port) {
			name, value, _ := strings.Cut(entry, "=")
			env[name] = value
		}
	}
	env["DELEGATE_SESSION"], env["DELEGATE_AGENT"] = p.Session, p.Agent
	env["DELEGATE_AGENT_DIR"], env["DELEGATE_PROMPT_FILE"] = p.AgentDir, p.PromptFile
	p.apart(env)
	if p.Offline {
		return WithoutProxies(entries(env))
	}
	return entries(env)
}
