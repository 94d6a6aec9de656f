// Package delegate is the map of the house; it holds no code.
//
// The program delegate gives the subtasks of a plan to agent programs, each in its own git worktree,
// watches them, and lands their work on a branch after a person's yes. docs/architecture.md shows
// its processes, folders, locks and journeys.
//
// The rooms stand here by what they are for, those that others import further down. Imports go down
// only; arch_test.go has the floor of each, and the one package that imports each outside thing,
// which stands here in parentheses.
//
// The command line:
//
//	cmd/delegate            one file a command: words, answers, exit codes, tables (cobra)
//	internal/watch          a session on the whole screen (bubbletea)
//	internal/page           a session in the person's browser, to review on
//	internal/mcp            commands as tools of a parent agent, and what an agent reports by one (MCP go-sdk)
//	internal/overview       what a session came to, put together for screens, reviews and reports
//	internal/report         a session as one HTML page
//	internal/doctor         what a machine and a repository need, and what sessions left
//	internal/setup          the configuration and command files that fit a repository
//
// A person's command and the supervisor, which meet in data on the disk:
//
//	internal/control        what a person's commands write
//	internal/supervise      what should be is compared with what is: the next step of each agent
//	internal/status         reading commands' answers, what waits for a person, waiting
//	internal/scopemonitor   what a running agent does outside of its scope
//	internal/session        messages, violations, conflicts and who supervises, on disk
//
// A task becomes a plan:
//
//	internal/planner        an agent program writes the plan, and it is analyzed
//	internal/plan           the plan file, its checks, its groups and order, a draft without a planner
//	internal/survey         what a repository says about a split of work
//
// A turn runs:
//
//	internal/turnsetup      what a turn runs in: folders, hooks, fence, configuration, logins
//	internal/remote         a turn on an engine: its keeper here, and its keeper there
//	internal/transcript     what a turn prints, uses up, and how long it takes
//	internal/keeper         the processes of a turn, with a picture
//	internal/approval       a person's yes as a signature by the keys of their git configuration
//	internal/acp            a turn of a program that speaks the Agent Client Protocol (acp-go-sdk)
//	internal/agent          profiles, prompts and configuration of agent programs
//	internal/guard          what an agent's tool and its git may do, as their hooks ask (mvdan.cc/sh)
//	internal/engine         jobs on a cluster: submit, look, exec, cancel
//	internal/sandbox        what an agent's processes can write at all; one file a platform (go-landlock)
//	internal/resource       how much of the machine an agent's processes use together
//	internal/program        the agent programs that are known: one file each, one list
//	internal/agentdir       the agent's own folder
//	internal/dialect        what agent programs print when they are asked for events
//	internal/proxy          named hosts for a process without a network
//	internal/channel        COMMANDS.md and EXECUTION_STATE.md of a session
//	internal/notes          notes and learnings, files that people edit as well
//	internal/notify         telling a person who is not looking
//
// Work lands:
//
//	internal/completion     a session ends
//	internal/cleanup        what sessions left is found and taken away
//	internal/land           an approved candidate comes to the target, or is taken back
//	internal/pullrequest    approved candidates as pull requests, and what became of them
//	internal/candidate      what a landing would make, verified before anyone is asked
//	internal/bisect         whose work fails together, whose change breaks whose test
//	internal/compare        what lines of work do to each other
//	internal/analyze        what parsers and checkers say of agents' work, in a child process with limits
//	internal/audit          the registry against git
//	internal/journal        intents that are written before what must not stay half done
//	internal/threeway       three versions of a file, and what a person decided about them
//	internal/review         what a program can say about a change before a person reads it
//	internal/suite          how a project is tested, what a change can affect, which tests failed
//
// One repository:
//
//	internal/project        its configuration, registry, heads, scope checks and verification
//	internal/takeover       what an agent made, taken over into the repository
//	internal/checkout       a checkout goes from one tree to another, and can be cut off anywhere
//	internal/objects        objects read in this process (go-git)
//	internal/record         the registry on disk: lock, versions, archive
//	internal/forge          pull requests and issues where a remote is hosted (gh, HTTP, push options)
//	internal/git            git as a library of typed operations
//	internal/config         .delegate.yaml (goccy/go-yaml)
//
// For other programs as well:
//
//	registry                the Markdown record and the state machine
//	worktree                checkouts of a repository, and what changed between commits
//	conflict                what two sets of changes do to each other
//	conflict/source         one file read: what it defines, imports and refers to
//	conflict/code           that, as data
//	checkpoint              the grammar of the blocks that agents print
//	scope                   what a path may be; overlap with a witness (gobwas/glob)
//	change                  what an agent did, as data; text diffs (go-diff)
//
// Below conflict, for nobody else:
//
//	conflict/internal/gocheck   Go's type checker on trees that are not on disk
//	conflict/internal/plain     what files give out and mention that no grammar reads
//	conflict/internal/manifest  what a project says it depends on (go-toml)
//	conflict/internal/languages the list of languages
//	conflict/internal/lang/...  a folder for each language
//	conflict/internal/sitter    files read by a grammar (tree-sitter)
//	conflict/internal/lang      what a language is
//
// For all:
//
//	internal/terminal       a person's terminal, copied for a program that must not have it (creack/pty)
//	internal/ui             questions, colours, tables (survey)
//	internal/lazyregexp     regular expressions that wait for their first use
//	internal/atomicfile     lock, compare, replace
//	internal/run            every start of another program (os/exec)
//	internal/budget         sums of US dollars and tokens
//	internal/spelling       the known word that a mistyped one was meant to be
//	internal/shorten        texts that end with … where they were longer
//	internal/gittest        repositories for tests
//	internal/long           whether tests that take long run
//
// With the tag bench, measurements of the whole from outside: bench against plain git, bench/history
// on labelled pairs of public repositories, bench/soak with random kills, bench/agents with real
// agent programs and a scripted model, bench/landing beside git merge, bench/peers
// beside other programs, bench/record the pictures.
// bench/forge is a module of its own, which builds the forge of the tests with the tag forge.
package delegate
