// Package delegate is the map of the house; it holds no code.
//
// The program delegate gives the subtasks of a plan to agent programs, each in its own git worktree,
// watches them, and lands their work on a branch after a person's yes.
//
// # Floors
//
// Imports go down only, never up and never sideways.
// Each outside thing has one door, named in parentheses; arch_test.go is the doorman.
//
//	floor 5   cmd/delegate          the words of the command line, exit codes, tables (cobra)
//	          bench                 measurements of the whole, against plain git; holds no code
//	          bench/history         conflict analysis against labelled pairs of public repositories
//	          bench/soak            many sessions with random kills
//	          bench/agents          real agent programs against a scripted model
//	          bench/landing         many agents' work in one candidate, beside as many runs of git merge
//	          bench/record          a terminal in which all of it is used, as a picture that moves (vt10x)
//	floor 4   internal/control      what a person's commands write
//	          internal/supervise    what should be is compared with what is: the next step of each agent
//	          internal/planner      a task becomes a plan
//	          internal/status       reading commands' answers, and what waits for a person
//	          internal/session      what commands and supervisor share on disk
//	          internal/scopemonitor what a running agent does outside of its scope
//	          internal/turnsetup    what a turn runs in
//	          internal/transcript   what a turn prints
//	          internal/merge        candidate → verified → approved → landed, or undone
//	          internal/watch        a session on the whole screen (bubbletea)
//	          internal/mcp          commands as tools of a parent agent, and what an agent reports by one (MCP go-sdk)
//	          internal/doctor       what sessions left, and what delegation takes of the disk
//	floor 3   internal/project      one repository: its layout, heads, scope check, verification
//	          internal/analyze      what parsers and type checkers say of agents' work, in a child process with limits
//	floor 2   worktree              a checkout and what changed in it (go-git, to read objects)
//	          internal/agent        profiles of agent programs; a turn under its keeper, in its fence
//	          internal/acp          a turn of a program that speaks the Agent Client Protocol (acp-go-sdk)
//	          internal/review       what a program can say about a change before a person reads it
//	          internal/report       a session as one HTML page
//	          internal/setup        the configuration and the commands of agent programs that fit a repository
//	          internal/survey       what a repository says about a split of work
//	floor 1   registry              the Markdown record and the state machine
//	          conflict              what two sets of changes do to each other
//	          internal/plan         the plan file, its analysis, groups and order
//	          internal/git          git as a library of typed operations
//	          internal/channel      COMMANDS.md and EXECUTION_STATE.md of a session
//	          internal/notes        notes and learnings, files that people edit as well
//	          internal/notify       telling a person who is not looking
//	          internal/suite        how a project is tested, what a change can affect, which tests failed
//	          internal/guard        what an agent's tool and its git may do, as their hooks ask
//	          internal/sandbox      what an agent's processes can write at all; one file a platform (go-landlock)
//	floor 0   checkpoint            the grammar of the blocks that agents print
//	          scope                 what a path may be; overlap with a witness (gobwas/glob)
//	          change                what an agent did, as data; text diffs (go-diff)
//	          internal/run          every start of another program (os/exec)
//	          internal/atomicfile   lock, compare, replace
//	          internal/config       .delegate.yaml (goccy/go-yaml)
//	          internal/syntax       what a source file defines, imports and refers to (tree-sitter)
//	          internal/manifest     what a project says it depends on (go-toml)
//	          internal/gocheck      Go's type checker on trees that are not on disk
//	          internal/dialect      what agent programs print when they are asked for events
//	          internal/scripted     a model that follows a script, to run real agent programs without one
//	          internal/proxy        named hosts for a process without a network
//	          internal/ui           questions, colours, tables (survey)
//
// The folders at the top are a vocabulary that other programs could import; internal is the machinery.
//
// # Three journeys
//
// A checkpoint:
// the agent's output file → checkpoint.Scanner finds a block, or a fault with its line →
// session holds the claim against evidence and makes an event →
// registry decides whether it is legal, locks, compares and replaces the file →
// a row in "delegate status".
//
// A changed file:
// worktree takes the agent's head → change.Set → scope gives a verdict →
// conflict finds what two sets do to each other →
// merge builds a candidate and project verifies it → a person approves its digest →
// landing by compare-and-swap, journalled → an event in the registry.
//
// A write of an agent's:
// session compiles the scope into a sandbox.Policy and writes it beside the turn → agent's keeper
// starts this program anew behind it →
// sandbox carries it out on itself and becomes the first process, which starts the agent's program →
// the kernel allows or refuses; its git writes into a quarantine →
// worktree takes over what is sound → session's watch and project's gate find what the kernel left.
//
// docs/DESIGN.md says why things are as they are, docs/formats.md what every file and answer looks
// like, docs/security.md what holds agents in.
package delegate
