// Package keeper runs the turns of agent programs: a turn is one run of a program, in a folder that
// holds its prompt, its transcript and its exit status.
//
// Five processes have to do with a turn. All but the last are this same program.
//
//	delegate -f plan.md      the person's command: it writes the registry and ends
//	   | starts, in a session of its own
//	delegate __supervise     session's supervisor: it prepares the turn's folder and starts the keeper
//	   | Turn.Start, in a session of its own       writes prompt.md, spec.json
//	delegate __keeper DIR    RunKeeper: holds keeper.lock; runs the proxy of named hosts; at the end
//	   |                     ends every process of the tree and writes exit.json
//	   | Fence.keep          writes keeper.json when the fence stands
//	delegate __fence ...     sandbox.Enter: builds the fence around itself and becomes the next one
//	   | execve
//	delegate __first ...     runInit: the first process of the agent's namespace; copies what the
//	   |                     program prints to output, collects its orphans, tells how it ended
//	   | starts
//	the agent's program
//
// Without a fence the keeper starts the program itself. Where a system has a fence and no process
// namespaces the fence becomes the program.
//
// The keeper outlives the supervisor, so that a later supervisor learns how the turn ended: from
// the lock, whether a keeper holds the turn, and from exit.json, which is written before the lock
// is given up. About what is refused inside the kernel asks the keeper, which writes refused.json.
// Nothing else passes between them but signals: SIGINT interrupts the program, SIGTERM stops its
// whole tree.
//
// Callers use a turn by four groups of calls, and know nothing of the processes: Prepare and
// Turn.Start submit it; Turn.State, Record, Exit, Output and Readable look at it; Fence.Run and
// Fence.Group execute a command as the turn would; Turn.Interrupt, Stop and FinalizeLost cancel it.
package keeper
