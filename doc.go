// Package delegate lists the packages of this module; it has no code.
//
// The program delegate gives the subtasks of a plan to agent programs, each in its own git worktree, supervises them,
// and merges their work into a branch after a person approves. docs/architecture.md describes its processes, folders
// and locks, and what happens from a plan to a merge.
//
// Each folder of internal is one journey or one door to the outside. A package imports only packages of lower floors:
// arch_test.go has the floor of each, and the one package that may import each external dependency, which is in
// parentheses below.
//
// The command line:
//
//	cmd/delegate                      the command line: one file for each command, its output and exit codes (cobra)
//
// One turn of an agent, from the brief to the exit (internal/turn):
//
//	internal/turn/agent               profiles, prompts and configuration of agent programs
//	internal/turn/agentdir            the folder of one agent outside of its worktree
//	internal/turn/program             the known agent programs, one file each
//	internal/turn/dialect             parses the event streams of agent programs
//	internal/turn/acp                 turns of programs that speak the Agent Client Protocol (acp-go-sdk)
//	internal/turn/keeper              the processes of a turn
//	internal/turn/transcript          reads the output of a turn: blocks, usage, duration
//	internal/turn/turnsetup           prepares what a turn needs: folders, hooks, sandbox, configuration, credentials
//
// What a process of an agent can do (internal/fence):
//
//	internal/fence/sandbox            the kernel's sandbox for agents; one file for each platform (go-landlock)
//	internal/fence/guard              what hooks of agent programs and of git allow (mvdan.cc/sh)
//	internal/fence/proxy              a proxy to named hosts, for processes without a network
//	internal/fence/resource           limits of memory and processes
//
// An agent's files become a head (internal/intake):
//
//	internal/intake/takeover          takes commits and files of agents over into the repository
//
// What each agent needs next (internal/supervise):
//
//	internal/supervise                the supervisor: decides the next step of each agent, and does it
//	internal/supervise/scopemonitor   detects writes of running agents outside of their scope
//
// What a person's command writes (internal/control):
//
//	internal/control                  commands that change a session
//	internal/control/planner          runs an agent program that writes a plan
//	internal/control/session          messages, violations, conflicts and the supervisor's lock, as files
//
// From heads to a commit or a request, and back (internal/land):
//
//	internal/land/candidate           builds the result of a merge and verifies it before anyone is asked
//	internal/land/compare             finds conflicts between agents, and between agents and the target
//	internal/land/analyze             runs parsers and checkers on agents' work in a child process with limits
//	internal/land/bisect              finds the agents whose work fails together, and whose change breaks which test
//	internal/land/threeway            three-way merges of a file, and their resolution by a person
//	internal/land/suite               how a project is tested, and which tests failed
//	internal/land/review              automatic checks of a change before a person reviews it
//	internal/land/approval            approvals that are signed with the keys of the user's git configuration
//	internal/land                     merges an approved candidate into the target, and rolls it back
//	internal/land/journal             records intents before an operation of several steps
//	internal/land/checkout            updates a checkout from one tree to another, safely if interrupted
//	internal/land/pullrequest         approved candidates as pull requests, and their state
//	internal/land/forge               pull requests and issues of the host of a remote (gh, HTTP; go-git)
//
// The registry file, its versions, its log (internal/record):
//
//	internal/record                   the registry file: lock, versions, archive
//	internal/record/audit             compares the registry with git
//
// What people see of a session (internal/view):
//
//	internal/view/status              commands that read a session, or wait for it
//	internal/view/overview            the data of a session for screens, reviews and reports
//	internal/view/watch               a session on the whole terminal screen (bubbletea)
//	internal/view/page                a session as a web page for reviews, on the local machine
//	internal/view/report              a session as one HTML page
//
// Ends and leftovers (internal/tidy):
//
//	internal/tidy/completion          the end of a session
//	internal/tidy/cleanup             finds and removes what ended sessions left
//	internal/tidy/doctor              checks of the machine and the repository
//
// A task becomes subtasks (internal/plan):
//
//	internal/plan                     parses and checks the plan file; groups and order of subtasks
//	internal/plan/setup               "delegate init": configuration and command files for a repository
//
// Turns on other machines (internal/engine):
//
//	internal/engine                   jobs on a cluster: submit, look, exec, cancel
//	internal/engine/remote            turns on another machine, by an engine
//
// git as a library (internal/git):
//
//	internal/git                      git as typed operations
//	internal/git/objects              git's objects as trees, files and changes
//	internal/git/gittest              repositories for tests
//
// One repository and its configuration (internal/project):
//
//	internal/project                  one repository: configuration, registry, heads, scope checks, verification
//	internal/project/config           .delegate.yaml (goccy/go-yaml)
//
// Tools for agents (internal/mcp):
//
//	internal/mcp                      an MCP server: commands as tools of a parent agent, reports (MCP go-sdk)
//
// Processes, files, terminals (internal/sys):
//
//	internal/sys/run                  starts other programs (os/exec)
//	internal/sys/atomicfile           locks, and replacing a file atomically
//	internal/sys/terminal             a pseudo-terminal between the user and a program (creack/pty)
//	internal/sys/notify               notifications for the user
//	internal/sys/long                 whether tests that take long run
//
// Lines and words (internal/text):
//
//	internal/text/ui                  questions, colours, tables (survey)
//	internal/text/notes               notes and learnings, in files that people edit too
//	internal/text/channel             COMMANDS.md and EXECUTION_STATE.md of a session
//	internal/text/shorten             shortens texts with …
//	internal/text/spelling            suggestions for mistyped words
//	internal/text/budget              amounts of US dollars and tokens
//	internal/text/lazyregexp          regular expressions that are compiled at their first use
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
// With the tag bench, tests that measure the whole program: bench compares it with plain git, bench/history measures
// conflict analysis on labelled pairs of public repositories, bench/soak kills processes at random, bench/agents runs
// real agent programs with a scripted model, bench/landing compares merges with git merge, bench/peers compares with
// other programs, and bench/record records the pictures of the documents.
// bench/forge is a separate module, which builds the forge of the tests with the tag forge.
package delegate
