package config

import (
	"cmp"
	"fmt"
	"time"

	"delegate/internal/budget"
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

// SetSpan returns a Span that was configured as d; 0 turns the limit off.
func SetSpan(d time.Duration) Span { return Span{set: true, value: d} }

// DefaultSpan returns a Span that was not configured and stands at its default d.
func DefaultSpan(d time.Duration) Span { return Span{value: d} }

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

// MaxSize is the largest configuration file that is read, in bytes.
const MaxSize = 1 << 20

// The task types that key Config.Stall.
const (
	Quick         = "QUICK"
	Standard      = "STANDARD"
	Research      = "RESEARCH"
	Orchestration = "ORCHESTRATION"
)

// The values of Config.Dependencies.
const (
	// RecordInTree keeps the record in docs/logs of the main worktree, where it can be committed.
	RecordInTree = "docs/logs"
	// RecordPrivate keeps it in git's own folder, below delegate/record, and nothing in the tree.
	RecordPrivate = "private"

	// DependMerged starts a dependent when what it depends on has landed in the target.
	DependMerged = "merged"
	// DependComplete starts a dependent when what it depends on is complete,
	// from a merge of the target and those heads.
	DependComplete = "complete"
)

// The values of Config.Approval.
const (
	// ApprovalByAnswer takes a yes that a person types at a terminal.
	ApprovalByAnswer = "answer"
	// ApprovalByKey has that yes signed by a key of the person's.
	ApprovalByKey = "key"
)

// The values of Config.Supervision.
const (
	// Supervised waits for a person at every checkpoint and every landing.
	Supervised = "supervised"
	// SemiAutonomous lets checkpoints pass and gathers clean, tested work on the
	// session's integration branch; a person still approves the landing on the target.
	SemiAutonomous = "semi-autonomous"
)

// Config is the whole configuration of a repository.
// Each field names its key, its unit and its default.
// Keys that hold a list also take a single string as a list of one.
// Durations are written like 90s or 1h30m; a bare number is in seconds.
type Config struct {
	// Agent is the key agent: the profile used where a subtask names none.
	// Default: none, an installed agent program is looked for.
	Agent string
	// Profiles is the key profiles: agent programs by name.
	// A profile with the name of a built-in one overrides it key by key.
	// Default: none, the built-in profiles alone.
	Profiles map[string]Profile
	// Base is the key base: the revision that agents start from, which the branch that they are merged into has to
	// contain. Default: none, that branch itself.
	Base string
	// Planner is the key planner: the profile of the agent program that is asked for a plan
	// where a task is given without one; "none" is nobody. Default: none.
	Planner string
	// PlannerTimeout is the key planner_timeout: how long it may take for that, a second turn included.
	// 0 is no limit. Default: 10m.
	PlannerTimeout Span
	// MaxParallelAgents is the key max_parallel_agents: how many agents work at the same time.
	// 0 is no limit. Default: 3.
	MaxParallelAgents Count
	// AgentTimeout is the key agent_timeout: how long an agent may be RUNNING;
	// time spent waiting for a person does not count.
	// 0 is no limit. Default: 1h.
	AgentTimeout Span
	// CheckpointInterval is the key checkpoint_interval: how long an agent may work
	// until a checkpoint is due. 0 is never due. Default: 30m.
	CheckpointInterval Span
	// ScopeLimit is the key scope_limit: how many existing files one scope may match.
	// 0 is no limit. Default: 20.
	ScopeLimit Count
	// TurnLimit is the key turn_limit: how many turns an agent may take.
	// 0 is no limit. Default: off.
	TurnLimit Count
	// Budget is the key budget: what agents may use up.
	Budget Budget
	// Prices is the key prices: what tokens cost, by the name of a model. Default: none.
	Prices map[string]Price
	// AllowedRoots is the key allowed_roots: patterns that bound every scope.
	// Default: none, scopes are bounded by themselves.
	AllowedRoots []string
	// Forbidden is the key forbidden: patterns that no agent may write, whatever its scope.
	// Default: none beyond those that are always forbidden.
	Forbidden []string
	// Restricted is the key restricted: patterns that agents may not even read,
	// where a layer of the sandbox can enforce it. Default: none.
	Restricted []string
	// Verify is the key verify: shell commands (sh -c), in order, that build and test a tree.
	// Default: none, work lands untested and the question says so.
	Verify []string
	// VerifyDetect is the word detect in place of the list: each tree is built and tested as its own files call for.
	// A command of that name is written as a list.
	VerifyDetect bool
	// VerifyEnv is the key verify_env: names of the person's variables that verify commands see,
	// beside those that every agent does. Default: none.
	VerifyEnv []string
	// VerifyTimeout is the key verify_timeout: how long all verify commands together may take.
	// 0 is no limit. Default: 10m.
	VerifyTimeout Span
	// EndAfter is the key end_after: how long after the last change a session ends by itself in which every agent is
	// merged or aborted. 0 is never. Default: 1m.
	EndAfter Span
	// VerifyRuns is the key verify_runs: how often verify commands may run to find out, where agents' work fails
	// together or with the target, who breaks what, 0 to 1000. 0 does not look for it. Default: 4.
	VerifyRuns int
	// Confirm is the key confirm: the programs that may confirm or refute suspected conflicts on
	// the merged tree of two sides. Unset (nil): those that are installed and run no code of it; empty: none.
	Confirm []string
	// ConfirmTimeout is the key confirm_timeout: how long such programs together may take in one comparison.
	// 0 is no limit. Default: 2m.
	ConfirmTimeout Span
	// AnalysisLimit is the key analysis_limit: processor time for one file or package, in whole seconds; 0: no limit.
	AnalysisLimit Span
	// Setup is the key setup: shell commands (sh -c), in order, run once in a new worktree.
	// Default: none.
	Setup []string
	// Copy is the key copy: paths and patterns below the root of files that git does not track
	// and that each new worktree gets a copy of, such as .env or node_modules. Default: none.
	Copy []string
	// Stall is the key stall: by task type, how long an agent may show no sign of life
	// before it is nudged. 0 is never. It always holds all four types.
	// Default: QUICK 5m, STANDARD 10m, RESEARCH 20m, ORCHESTRATION 30m.
	Stall map[string]Span
	// NudgeGrace is the key nudge_grace: how long a nudged agent has to show a sign of life.
	// 0 gives it none. Default: 2m.
	NudgeGrace Span
	// PermissionWait is the key permission_wait: how long a person has to answer what a program asks in the middle of
	// a turn, before it is refused. Default: 5m.
	PermissionWait Span
	// StopGrace is the key stop_grace: how long a stopped program has to end by itself
	// before it is killed. 0 kills at once. Default: 10s.
	StopGrace Span
	// WorktreeDir is the key worktree_dir: the folder that holds the agents' worktrees, absolute or
	// relative to the repository's root. Default: empty, the sibling folder <repository>.delegate.
	WorktreeDir string
	// Record is the key record: where the registry, the logs and the notes are kept, RecordInTree or RecordPrivate.
	// Default: docs/logs.
	Record string
	// Dependencies is the key dependencies: when a dependency is met,
	// DependMerged or DependComplete. Default: merged.
	Dependencies string
	// Supervision is the key supervision: Supervised or SemiAutonomous,
	// in any case of letters. Default: supervised.
	Supervision string
	// Approval is the key approval: by what a landing is approved, ApprovalByAnswer or ApprovalByKey. Default: answer.
	Approval string
	// Notify is the key notify: a program and its arguments, started when a person is needed.
	// It is never run through a shell. Default: none.
	Notify []string
	// Review is the key review: the automated review before a landing.
	Review Review
	// Landing is the key landing: how approved work gets onto the target.
	Landing Landing
	// Sandbox is the key sandbox: what agents' processes are held in by.
	Sandbox Sandbox
	// Ports is the key ports: what the agents' own servers listen on.
	Ports Ports
	// Limits is the key limits: how much of what agents make is read and kept.
	Limits Limits
	// Engines is the key engines: clusters on which turns can run, by name. Default: none.
	Engines map[string]Engine
	// On is the key on: the engine that turns run on where a subtask names none. Default: none, this machine.
	On string
}

// Budget bounds what agents use up, in US dollars and tokens, over all their turns.
type Budget struct {
	// Agent is the key budget.agent: of each agent whose subtask names none. Default: off.
	Agent budget.Amount
	// Session is the key budget.session: of all agents of a session together. Default: off.
	Session budget.Amount
}

// Price is what a model's tokens cost, in US dollars for a million of each.
type Price struct {
	// Input, Cached and Output are the keys input, cached and output: of tokens that are sent, of those among them
	// that come from a cache (as Input where it is not configured), and of tokens that are answered.
	Input, Cached, Output float64
	// Date is the key date: when these prices were looked up, as 2026-01-31.
	Date string
}

// Limits bound what agents make. Sizes are in bytes, written like 100MiB; 0 is no limit.
type Limits struct {
	// FileSize is the key limits.file_size: the largest new or changed file that is kept. Default: 100 MiB.
	FileSize Size
	// WorkSize is the key limits.work_size: all new and changed files of an agent together, any
	// file that its processes write, and its transcript. Default: 2 GiB.
	WorkSize Size
	// Entries is the key limits.entries: new and changed files of an agent. Default: 1,000,000.
	Entries Count
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

// Ports configures which ports each agent is given.
type Ports struct {
	// First is the key ports.first: the lowest port of all, 1024 to 65000. Default: 20000.
	First int
	// Each is the key ports.each: how many ports an agent gets, at most 1000; 0 gives none. Default: 10.
	Each int
}

// Profile says how one agent program is run.
// A field that was not configured is empty, and then the built-in profile
// of the same name, or the default that the field names, holds.
type Profile struct {
	// Name is the profile's key under profiles.
	Name string
	// Command is the key command: the program and its arguments, as a list,
	// or as one string that is split into words the way a shell would quote them.
	// It is never run through a shell; placeholders in braces are replaced argument by argument.
	Command []string
	// Prompt is the key prompt: how the program gets its prompt,
	// "argument", "stdin" or "file". Empty: not configured.
	Prompt string
	// Resume is the key resume: the command that goes on with an earlier session,
	// written like Command. Empty: not configured.
	Resume []string
	// Takeover is the key takeover: the command by which a person goes on with an earlier session at a
	// terminal, written like Command. Empty: not configured.
	Takeover []string
	// Output is the key output: the form of what the program prints,
	// "text", "stream-json", "json" or "acp". Empty: not configured, which means text.
	Output string
	// Env is the key env: variables added to the program's environment.
	Env map[string]string
	// PassEnv is the key pass_env: names of the user's own variables that are handed on.
	// Secrets are named here or not passed.
	PassEnv []string
	// Extends is the key extends: the profile that this one is built on, key by key.
	Extends string
	// Model and Effort are the keys model and effort, for subtasks that name none.
	Model, Effort string
	// Login is the key login, files below the home that hold the program's login, as ~/…; Files is the key
	// files, others that it is given a copy of.
	Login, Files []string
	// MCP is the key mcp: names of the MCP servers that the program is given, of those that the project's
	// and the person's own files for that program name.
	MCP []string
	// Permissions is the key permissions: PermissionsByScope or PermissionsAsk. Empty: not configured.
	Permissions string
}

// The values of Profile.Permissions.
const (
	// PermissionsByScope answers what the program asks from the scope. It is the default.
	PermissionsByScope = "scope"
	// PermissionsAsk asks a person before the program writes or runs something.
	PermissionsAsk = "ask"
)

// Review configures the automated review of an agent's work.
type Review struct {
	// Architecture is the key review.architecture: patterns of where new files may be.
	// Default: none, new files may be anywhere in the scope.
	Architecture []string
	// Standards is the key review.standards: shell commands (sh -c) that check the work,
	// such as linters. Default: none.
	Standards []string
	// Secrets is the key review.secrets: whether added lines are scanned for secrets.
	// Default: true.
	Secrets bool
}

// The values of Landing.Mode.
const (
	// LandByMerge makes one merge commit for each agent; its own commits are in the history.
	LandByMerge = "merge"
	// LandBySquash makes one commit for each agent; its own commits are kept under a reference.
	LandBySquash = "squash"
	// LandByRebase puts each agent's own commits on top of the target.
	LandByRebase = "rebase"
	// LandByPullRequest pushes one commit for each agent to a branch of the remote, where others decide.
	LandByPullRequest = "pr"
)

// The values of Landing.Forge.
const (
	// AutoForge finds out what the target's remote is.
	AutoForge = "auto"
	// GitHub is reached by the program gh.
	GitHub = "github"
	// Gitea is Gitea or Forgejo.
	Gitea = "gitea"
	// GitLab is GitLab.
	GitLab = "gitlab"
	// NoForge pushes branches and opens nothing.
	NoForge = "none"
)

// The values of Landing.Hooks.
const (
	// SkipHooks runs no hook of the repository.
	SkipHooks = "skip"
	// RunHooks runs pre-merge-commit, commit-msg and post-merge.
	RunHooks = "run"
)

// Landing configures how approved work gets onto the target. Commits are signed where git's commit.gpgSign says so.
type Landing struct {
	// Mode is the key landing.mode: LandByMerge, LandBySquash, LandByRebase or LandByPullRequest. Default: squash.
	Mode string
	// Forge is the key landing.forge: what the target's remote is. Default: auto.
	Forge string
	// AgentTrace is the key landing.agent_trace: whether each landed commit gets an Agent Trace record as a git
	// note. Default: false.
	AgentTrace bool
	// Hooks is the key landing.hooks: SkipHooks or RunHooks. Default: skip.
	Hooks string
}

// The values of Sandbox.Level.
const (
	// SandboxRequired starts no agent where the kernel cannot hold it in.
	SandboxRequired = "required"
	// SandboxOff starts agents with the rights of the person.
	SandboxOff = "off"
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

// Sandbox configures what the kernel lets an agent's processes do.
type Sandbox struct {
	// Level is the key sandbox.level: SandboxRequired or SandboxOff. Default: required.
	Level string
	// Read is the key sandbox.read: ReadHome or ReadByList. Default: home.
	Read string
	// Readable is the key sandbox.readable: files and folders, absolute or below "~/", that agents may read, also
	// where ReadByList or a place of credentials hides them. Default: none.
	Readable []string
	// Network is the key sandbox.network: NetworkOpen, NetworkNone (a loopback interface of the agent's own)
	// or NetworkHosts (that, and a proxy that lets Hosts through). Default: open.
	Network string
	// Hosts is the key sandbox.hosts: names with an optional port, a leading "*." for everything below a name.
	// Default: none.
	Hosts []string
	// Writable is the key sandbox.writable: folders of the person, absolute or below "~/", that all agents may write.
	// Default: none.
	Writable []string
	// Sockets is the key sandbox.sockets: Unix sockets of the person, absolute or below "~/", that agents may reach.
	Sockets []string
	// Hidden is the key sandbox.hidden: files and folders, absolute or below "~/", that agents cannot read,
	// beside the places where credentials usually lie. Default: none.
	Hidden []string
	// Scratch is the key sandbox.scratch: folders below the root that builds fill.
	// Where git ignores one it may be written whatever the scope says, since nothing of it can land.
	// Default: the usual ones, such as target and node_modules.
	Scratch []string
	// Verify is the key sandbox.verify: whether the verify commands, which run what agents wrote, are held in as well.
	// Default: true.
	Verify bool
	// VerifyNetwork is the key sandbox.verify_network: the network of commands of the person's that
	// run what agents wrote (verify, setup). Default: empty, what Network says.
	VerifyNetwork string
	// Limits are the keys below sandbox.limits.
	Limits Resources
}

// Resources bound what the processes of one agent use of the machine together.
type Resources struct {
	// Memory is the key sandbox.limits.memory. Default: by the machine.
	Memory Bytes
	// Processes is the key sandbox.limits.processes: processes and threads. Default: by the machine.
	Processes Count
	// CPUWeight is the key sandbox.limits.cpu_weight: the share of the processor where it is short,
	// against 100 of what is beside it. Default: 50.
	CPUWeight int
}

// OfVerify is the network of commands of the person's that run what agents wrote.
func (s Sandbox) OfVerify() string { return cmp.Or(s.VerifyNetwork, s.Network) }

// Default returns the configuration of a repository that has no configuration file.
func Default() Config {
	return Config{
		PlannerTimeout:     DefaultSpan(10 * time.Minute),
		MaxParallelAgents:  DefaultCount(3),
		AgentTimeout:       DefaultSpan(time.Hour),
		CheckpointInterval: DefaultSpan(30 * time.Minute),
		ScopeLimit:         DefaultCount(20),
		TurnLimit:          DefaultCount(0),
		VerifyTimeout:      DefaultSpan(10 * time.Minute),
		EndAfter:           DefaultSpan(time.Minute),
		PermissionWait:     DefaultSpan(5 * time.Minute),
		VerifyRuns:         4,
		ConfirmTimeout:     DefaultSpan(2 * time.Minute),
		AnalysisLimit:      DefaultSpan(10 * time.Second),
		Stall: map[string]Span{
			Quick:         DefaultSpan(5 * time.Minute),
			Standard:      DefaultSpan(10 * time.Minute),
			Research:      DefaultSpan(20 * time.Minute),
			Orchestration: DefaultSpan(30 * time.Minute),
		},
		NudgeGrace:   DefaultSpan(2 * time.Minute),
		StopGrace:    DefaultSpan(10 * time.Second),
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
