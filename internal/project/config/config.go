package config

import (
	"cmp"
	"fmt"
	"time"

	"delegate/internal/text/budget"
)

// Limit is a limit on a number or on time.
// It keeps three cases apart: not configured (the default holds),
// configured as 0 (the limit is off), and configured as a value.
// The zero Limit is not configured and has the default "off".
type Limit[T int | time.Duration | Size] struct {
	set   bool
	value T
}

// Count is a limit on a number of things, Span one on time, Bytes one on sizes.
type (
	Count = Limit[int]
	Span  = Limit[time.Duration]
	Bytes = Limit[Size]
)

// SetCount returns a Count that was configured as n; 0 turns the limit off.
func SetCount(n int) Count { return Count{set: true, value: n} }

// DefaultCount returns a Count that was not configured and stands at its default n.
func DefaultCount(n int) Count { return Count{value: n} }

// setSpan returns a Span that was configured as d; 0 turns the limit off.
func setSpan(d time.Duration) Span { return Span{set: true, value: d} }

// defaultSpan returns a Span that was not configured and stands at its default d.
func defaultSpan(d time.Duration) Span { return Span{value: d} }

// Value returns what is in force, configured or default; 0 means no limit.
func (l Limit[T]) Value() T { return l.value }

// IsSet reports whether the limit was configured.
func (l Limit[T]) IsSet() bool { return l.set }

// Off reports whether no limit is in force:
// it was configured as 0, or was not configured and its default is off.
func (l Limit[T]) Off() bool { return l.value == 0 }

// String returns what is in force, or "off".
func (l Limit[T]) String() string {
	if l.Off() {
		return "off"
	}
	return fmt.Sprint(l.value)
}

// FileName is the configuration's name at the root of a repository.
const FileName = ".delegate.yaml"

// maxSize is the largest configuration file that is read, in bytes.
const maxSize = 1 << 20

// The task types that key Config.Stall.
const (
	Quick         = "QUICK"
	Standard      = "STANDARD"
	Research      = "RESEARCH"
	Orchestration = "ORCHESTRATION"
)

// The values of Config.Record: where people can commit it, and in git's own folder.
const (
	RecordInTree  = "docs/logs"
	RecordPrivate = "private"
)

// The values of Config.Dependencies: a dependent starts when what it needs has landed, or is complete.
const (
	DependMerged   = "merged"
	DependComplete = "complete"
)

// The values of Config.Approval: a yes at a terminal, and one that a key of the person's signs.
const (
	ApprovalByAnswer = "answer"
	ApprovalByKey    = "key"
)

// The values of Config.Supervision.
const (
	Supervised     = "supervised"
	SemiAutonomous = "semi-autonomous"
)

// Config is the whole configuration of a repository: a field for each key of keys.md, which says what the key means,
// its unit and its default, and is what people read. Here stands only what a value is beside that.
type Config struct {
	Agent              string
	Profiles           map[string]Profile // one of a built-in profile's name overrides that key by key
	Base               string
	Planner            string // "none" is nobody, as ""
	PlannerTimeout     Span
	MaxParallelAgents  Count
	AgentTimeout       Span
	CheckpointInterval Span
	ScopeLimit         Count
	TurnLimit          Count
	Budget             Budget
	Prices             map[string]Price // by the name of a model
	AllowedRoots       []string
	Forbidden          []string
	Restricted         []string
	Verify             []string
	VerifyDetect       bool // the key verify is the word detect, no list; a command of that name is written as a list
	VerifyEnv          []string
	VerifyTimeout      Span
	EndAfter           Span
	VerifyRuns         int
	Confirm            []string // nil: those that are installed and run no code of the tree; empty: none
	ConfirmTimeout     Span
	AnalysisLimit      Span
	Setup              []string
	Copy               []string
	Stall              map[string]Span // always of all four task types
	NudgeGrace         Span
	PermissionWait     Span
	StopGrace          Span
	WorktreeDir        string // "" is the sibling folder <repository>.delegate
	Record             string
	Dependencies       string
	Supervision        string
	Approval           string
	Notify             []string // a program and its arguments, never run through a shell
	Review             Review
	Landing            Landing
	Sandbox            Sandbox
	Ports              Ports
	Limits             Limits
	Engines            map[string]Engine
	On                 string // "" and Here are this machine
}

// Budget holds the keys below budget.
type Budget struct{ Agent, Session budget.Amount }

// Price is what a model's tokens cost, in US dollars for a million of each.
type Price struct {
	Input, Cached, Output float64
	Date                  string // when they were looked up, as 2026-01-31
}

// Limits holds the keys below limits. Sizes are in bytes; 0 is no limit.
type Limits struct {
	FileSize, WorkSize Size
	Entries            Count
}

// Size is a number of bytes.
type Size int64

// String is the size in the largest unit that it has a whole number of.
func (s Size) String() string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for len(units) > 1 && s != 0 && s%1024 == 0 {
		s, units = s/1024, units[1:]
	}
	return fmt.Sprintf("%d %s", s, units[0])
}

// Ports holds the keys below ports.
type Ports struct{ First, Each int }

// Profile holds the keys of one profile, which docs/configuration.md has in a table. What is not configured is empty:
// then the built-in profile of the same name holds, or the default.
type Profile struct {
	Command, Resume, Takeover []string // a program and its arguments, never run through a shell
	Prompt                    string   // "argument", "stdin" or "file"
	Output                    string   // "text", "stream-json", "json" or "acp"
	Env                       map[string]string
	PassEnv                   []string // names of the person's variables; secrets are named here or not passed
	Extends                   string
	Model, Effort             string
	Login, Files              []string // files below the home, as ~/…
	MCP                       []string // names of servers, of those that the project's and the person's files name
	Permissions               string
}

// The values of Profile.Permissions: what the program asks is answered from the scope, or by a person.
const (
	PermissionsByScope = "scope"
	PermissionsAsk     = "ask"
)

// Review holds the keys below review.
type Review struct {
	Architecture []string
	Standards    []string
	Secrets      bool
}

// The values of Landing.Mode.
const (
	LandByMerge       = "merge"
	LandBySquash      = "squash"
	LandByRebase      = "rebase"
	LandByPullRequest = "pr"
)

// The values of Landing.Forge. AutoForge finds out what the target's remote is, NoForge pushes and opens nothing;
// Gitea is Forgejo as well.
const (
	AutoForge = "auto"
	GitHub    = "github"
	Gitea     = "gitea"
	GitLab    = "gitlab"
	NoForge   = "none"
)

// The values of Landing.Hooks.
const (
	SkipHooks = "skip"
	RunHooks  = "run"
)

// Landing holds the keys below landing. Commits are signed where git's commit.gpgSign says so.
type Landing struct {
	Mode       string
	Forge      string
	AgentTrace bool
	Hooks      string
}

// The values of Sandbox.Level: no agent starts where the kernel cannot hold it in, or it has the person's rights.
const (
	SandboxRequired = "required"
	SandboxOff      = "off"
)

// The values of Sandbox.Read: all that the person can but what is hidden, and of their files only what builds need.
const (
	ReadHome   = "home"
	ReadByList = "list"
)

// The values of Sandbox.Network.
const (
	NetworkOpen  = "open"
	NetworkNone  = "none"
	NetworkHosts = "hosts"
)

// Sandbox holds the keys below sandbox. Paths are absolute or below "~/"; those of Scratch are from the root.
type Sandbox struct {
	Level         string
	Read          string
	Readable      []string
	Network       string
	Hosts         []string
	Writable      []string
	Sockets       []string
	Hidden        []string
	Scratch       []string
	Verify        bool
	VerifyNetwork string // "" is what Network says
	Limits        Resources
}

// Resources holds the keys below sandbox.limits.
type Resources struct {
	Memory    Bytes
	Processes Count
	CPUWeight int
}

// OfVerify is the network of commands of the person's that run what agents wrote.
func (s Sandbox) OfVerify() string { return cmp.Or(s.VerifyNetwork, s.Network) }

// Default returns the configuration of a repository that has no configuration file.
func Default() Config {
	return Config{
		PlannerTimeout:     defaultSpan(10 * time.Minute),
		MaxParallelAgents:  DefaultCount(3),
		AgentTimeout:       defaultSpan(time.Hour),
		CheckpointInterval: defaultSpan(30 * time.Minute),
		ScopeLimit:         DefaultCount(20),
		TurnLimit:          DefaultCount(0),
		VerifyTimeout:      defaultSpan(10 * time.Minute),
		EndAfter:           defaultSpan(time.Minute),
		PermissionWait:     defaultSpan(5 * time.Minute),
		VerifyRuns:         4,
		ConfirmTimeout:     defaultSpan(2 * time.Minute),
		AnalysisLimit:      defaultSpan(10 * time.Second),
		Stall: map[string]Span{
			Quick:         defaultSpan(5 * time.Minute),
			Standard:      defaultSpan(10 * time.Minute),
			Research:      defaultSpan(20 * time.Minute),
			Orchestration: defaultSpan(30 * time.Minute),
		},
		NudgeGrace:   defaultSpan(2 * time.Minute),
		StopGrace:    defaultSpan(10 * time.Second),
		Dependencies: DependMerged,
		Record:       RecordInTree,
		Supervision:  Supervised,
		Approval:     ApprovalByAnswer,
		Review:       Review{Secrets: true},
		Ports:        Ports{First: 20000, Each: 10},
		Limits:       Limits{FileSize: 100 << 20, WorkSize: 2 << 30, Entries: DefaultCount(1_000_000)},
		Landing:      Landing{Mode: LandBySquash, Forge: AutoForge, Hooks: SkipHooks},
		Sandbox: Sandbox{
			Level: SandboxRequired, Read: ReadHome, Verify: true, Limits: Resources{CPUWeight: 50},
			Network: NetworkOpen, Scratch: []string{
				"target", "node_modules", "dist", "build", "out", "coverage", ".venv", "venv", ".cache", ".gradle",
				".mypy_cache", ".next", ".nuxt", ".pytest_cache", ".ruff_cache", ".tox", ".turbo", "__pycache__",
				"bin", "obj",
			},
		},
	}
}
