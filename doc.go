// Package delegate lists the packages of this module; it has no code.
//
// The program delegate gives the subtasks of a plan to agent programs, each in its own git worktree, supervises them,
// and merges their work into a branch after a person approves. docs/architecture.md describes its processes, folders
// and locks, and what happens from a plan to a merge.
//
// The packages are listed by purpose. A package imports only packages of lower floors: arch_test.go has the floor of
// each, and the one package that may import each external dependency, which is in parentheses below.
//
// Commands and screens:
//
//	cmd/delegate            the command line: one file for each command, its output and exit codes (cobra)
//	internal/watch          a session on the whole terminal screen (bubbletea)
//	internal/page           a session as a web page for reviews, on the local machine
//	internal/mcp            an MCP server: commands as tools of a parent agent, and reports of agents (MCP go-sdk)
//	internal/overview       the data of a session for screens, reviews and reports
//	internal/report         a session as one HTML page
//	internal/doctor         checks of the machine and the repository
//	internal/setup          "delegate init": configuration and command files for a repository
//
// Commands and the supervisor of a session, which communicate by files:
//
//	internal/control        commands that change a session
//	internal/supervise      the supervisor: decides the next step of each agent, and does it
//	internal/status         commands that read a session, or wait for it
//	internal/scopemonitor   detects writes of running agents outside of their scope
//	internal/session        messages, violations, conflicts and the supervisor's lock, as files
//
// Plans:
//
//	internal/planner        runs an agent program that writes a plan
//	internal/plan           parses and checks the plan file; groups and order of subtasks
//
// Turns of agents:
//
//	internal/turnsetup      prepares what a turn needs: folders, hooks, sandbox, configuration, credentials
//	internal/remote         turns on another machine, by an engine
//	internal/transcript     reads the output of a turn: blocks, usage, duration
//	internal/keeper         the processes of a turn
//	internal/approval       approvals that are signed with the keys of the user's git configuration
//	internal/acp            turns of programs that speak the Agent Client Protocol (acp-go-sdk)
//	internal/agent          profiles, prompts and configuration of agent programs
//	internal/guard          what hooks of agent programs and of git allow (mvdan.cc/sh)
//	internal/engine         jobs on a cluster: submit, look, exec, cancel
//	internal/sandbox        the kernel's sandbox for agents; one file for each platform (go-landlock)
//	internal/resource       limits of memory and processes
//	internal/program        the known agent programs, one file each
//	internal/agentdir       the folder of one agent outside of its worktree
//	internal/dialect        parses the event streams of agent programs
//	internal/proxy          a proxy to named hosts, for processes without a network
//	internal/channel        COMMANDS.md and EXECUTION_STATE.md of a session
//	internal/notes          notes and learnings, in files that people edit too
//	internal/notify         notifications for the user
//
// Merges:
//
//	internal/completion     the end of a session
//	internal/cleanup        finds and removes what ended sessions left
//	internal/land           merges an approved candidate into the target, and rolls it back
//	internal/pullrequest    approved candidates as pull requests, and their state
//	internal/candidate      builds the result of a merge and verifies it before anyone is asked
//	internal/bisect         finds the agents whose work fails together, and whose change breaks which test
//	internal/compare        finds conflicts between agents, and between agents and the target
//	internal/analyze        runs parsers and checkers on agents' work in a child process with limits
//	internal/audit          compares the registry with git
//	internal/journal        records intents before an operation of several steps
//	internal/threeway       three-way merges of a file, and their resolution by a person
//	internal/review         automatic checks of a change before a person reviews it
//	internal/suite          how a project is tested, and which tests failed
//
// The repository:
//
//	internal/project        one repository with its configuration, registry, heads, scope checks and verification
//	internal/takeover       takes commits and files of agents over into the repository
//	internal/checkout       updates a checkout from one tree to another, safely if interrupted
//	internal/objects        git's objects as trees, files and changes
//	internal/record         the registry file: lock, versions, archive
//	internal/forge          pull requests and issues of the host of a remote (gh, HTTP, push options)
//	internal/git            git as typed operations (go-git, for the format of an index)
//	internal/config         .delegate.yaml (goccy/go-yaml)
//
// Packages that other programs can import:
//
//	registry                the Markdown record of sessions and agents, and their states
//	worktree                worktrees of a repository, and what changed between commits
//	conflict                conflicts between two sets of changes
//	conflict/source         parses source files and manifests
//	conflict/code           the data types of parsed files
//	checkpoint              parses the blocks that agents print
//	scope                   globs of the paths that an agent may write, and whether two scopes overlap (gobwas/glob)
//	change                  changed files as data; diffs of one file (go-diff)
//
// Internal packages of conflict:
//
//	conflict/internal/gocheck   Go's type checker for trees that are not on disk
//	conflict/internal/plain     names that files without a grammar define and mention
//	conflict/internal/manifest  dependencies of a project (go-toml)
//	conflict/internal/languages the list of languages
//	conflict/internal/lang/...  a folder for each language
//	conflict/internal/sitter    parses files with a grammar (tree-sitter)
//	conflict/internal/lang      the interface of a language
//
// Packages that many others use:
//
//	internal/terminal       a pseudo-terminal between the user and a program (creack/pty)
//	internal/ui             questions, colours, tables (survey)
//	internal/lazyregexp     regular expressions that are compiled at their first use
//	internal/atomicfile     locks, and replacing a file atomically
//	internal/run            starts other programs (os/exec)
//	internal/budget         amounts of US dollars and tokens
//	internal/spelling       suggestions for mistyped words
//	internal/shorten        shortens texts with …
//	internal/gittest        repositories for tests
//	internal/long           whether tests that take long run
//
// With the tag bench, tests that measure the whole program: bench compares it with plain git, bench/history measures
// conflict analysis on labelled pairs of public repositories, bench/soak kills processes at random, bench/agents runs
// real agent programs with a scripted model, bench/landing compares merges with git merge, bench/peers compares with
// other programs, and bench/record records the pictures of the documents.
// bench/forge is a separate module, which builds the forge of the tests with the tag forge.
package delegate
