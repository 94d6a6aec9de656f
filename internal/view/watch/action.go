package watch

import (
	"slices"
	"strings"

	"delegate/registry"
)

// The keys of actions that a Source names in what waits for a person.
const (
	KeyContinue   = "a"
	KeyMessage    = "m"
	KeyMessageNow = "n"
	KeyInterrupt  = "i"
	KeyLand       = "l"
	KeyReview     = "r"
	KeyRetry      = "R"
	KeyReassign   = "N"
	KeyExtend     = "e"
	KeyAllow      = "s"
	KeyDrop       = "S"
	KeyForce      = "F"
	KeyAbort      = "X"
	KeyAdapt      = "A"
	KeyApprove    = "P"
	KeyResume     = "p"
	KeyFinish     = "M"
	KeyUndo       = "u"
	KeyTakeOver   = "T"
)

// need is the input that a command takes before it is run.
type need int

const (
	nothing  need = iota // it asks at the terminal whatever there is to ask
	sureness             // it acts at once: Enter runs it
	maybe                // a text that may be empty
	words                // a text
)

// action is a command of this program, and the key that runs it.
type action struct {
	key  string
	name string // one word or two, for the line of keys
	does string // for the help
	// args are the command's words. In them AGT is the selected agent, and what ends in TEXT is what was typed;
	// it is left out, with the rest, where nothing was.
	args []string
	need need
	fill string            // what stands in the line at first
	when []registry.Status // of an agent for which it is offered; its command decides whether it is possible
}

// actions are all of them, in the order of the help.
func actions() []action {
	running := []registry.Status{registry.Running, registry.Spawning}
	failed := []registry.Status{registry.Failed}
	return []action{
		{key: KeyContinue, name: "answer", does: "give the agent its next turn, with an answer",
			args: []string{"continue", "AGT", "TEXT"}, need: maybe, when: []registry.Status{registry.Checkpoint}},
		{key: KeyLand, name: "land", does: "build and verify the merge, show it, ask",
			args: []string{"sync", "merge", "AGT"}, when: []registry.Status{registry.Complete}},
		{key: KeyMessage, name: "message", does: "queue a message", args: []string{"message", "AGT", "TEXT"},
			need: words, when: []registry.Status{registry.Running, registry.Checkpoint, registry.Complete,
				registry.Failed}},
		{key: KeyMessageNow, name: "tell now", does: "stop its turn and go on with a message",
			args: []string{"message", "--interrupt", "AGT", "TEXT"}, need: words},
		{key: KeyInterrupt, name: "interrupt", does: "stop its turn; it keeps its work",
			args: []string{"interrupt", "AGT"}, need: sureness, when: running},
		{key: "t", name: "attach", does: "follow it; a line you type is a message", args: []string{"attach", "AGT"},
			when: running},
		{key: KeyTakeOver, name: "take over", does: "work in its place, in its conversation",
			args: []string{"takeover", "AGT"},
			when: []registry.Status{registry.Running, registry.Checkpoint, registry.Complete, registry.Failed}},
		{key: "E", name: "open", does: "its worktree, in your editor", args: []string{"open", "AGT"}},
		{key: "$", name: "shell", does: "a shell where it works", args: []string{"shell", "AGT"}},
		{key: KeyExtend, name: "extend", does: "give it more time", args: []string{"extend", "AGT", "TEXT"},
			need: words, fill: "30m", when: running},
		{key: "L", name: "land all", does: "the same for everything that is ready", args: []string{"sync"}},
		{key: KeyReview, name: "review", does: "walk through everything that waits for you", args: []string{"review"}},
		{key: KeyRetry, name: "retry", does: "start a failed agent anew", args: []string{"retry", "AGT"},
			need: sureness, when: failed},
		{key: KeyReassign, name: "reassign", does: "give its subtask to a new agent (a profile)",
			args: []string{"reassign", "AGT", "--agent=TEXT"}, need: maybe, when: failed},
		{key: KeyAdapt, name: "adapt", does: "merge the base branch into its work",
			args: []string{"adapt", "AGT", "TEXT"}, need: maybe},
		{key: KeyAllow, name: "allow", does: "widen what it may write", args: []string{"scope", "AGT", "--allow=TEXT"},
			need: words},
		{key: KeyDrop, name: "drop", does: "take its changes of a path back",
			args: []string{"scope", "AGT", "--drop=TEXT"}, need: words},
		{key: KeyForce, name: "force complete", does: "mark it as done (a reason)",
			args: []string{"force-complete", "AGT", "TEXT"}, need: maybe},
		{key: KeyAbort, name: "abort", does: "cancel it; its branch is kept", args: []string{"abort", "AGT", "TEXT"},
			need: maybe, when: failed},
		{key: "U", name: "roll back", does: "revert its merge", args: []string{"sync", "rollback", "AGT"},
			when: []registry.Status{registry.Merged}},
		{key: "v", name: "show", does: "everything about it", args: []string{"show", "AGT"}},
		{key: "V", name: "full diff", does: "its changes, in your pager", args: []string{"diff", "AGT"}},
		{key: KeyApprove, name: "approve", does: "show the stored plan and ask", args: []string{"approve"}},
		{key: KeyFinish, name: "finish merge", does: "finish an interrupted merge that you approved",
			args: []string{"sync", "merge", "--continue"}, need: sureness},
		{key: KeyUndo, name: "undo merge", does: "undo an interrupted merge",
			args: []string{"sync", "merge", "--abort"}, need: sureness},
		{key: KeyResume, name: "resume", does: "end a pause; take the session up again", args: []string{"resume"},
			need: sureness},
		{key: "C", name: "complete", does: "close the session", args: []string{"sync", "complete"}},
		{key: "K", name: "cancel", does: "cancel the session", args: []string{"sync", "abort"}},
	}
}

func actionOf(key string) (action, bool) {
	all := actions()
	at := slices.IndexFunc(all, func(a action) bool { return a.key == key })
	if at < 0 {
		return action{}, false
	}
	return all[at], true
}

// placeholder stands for typed text in an action's words.
const placeholder = "TEXT"

// ofAgent says whether it is about one agent.
func (a action) ofAgent() bool { return slices.Contains(a.args, "AGT") }

// command is the words of the command line. A text that looks like an option is none.
func (a action) command(agent, text string) []string {
	var all []string
	for _, word := range a.args {
		before, typed := strings.CutSuffix(word, placeholder)
		switch {
		case word == "AGT":
			all = append(all, agent)
		case !typed:
			all = append(all, word)
		case text == "":
		case before == "" && strings.HasPrefix(text, "-"):
			all = append(all, "--", text)
		default:
			all = append(all, before+text)
		}
	}
	return all
}

// line is a command as a person would type it.
func line(args []string) string {
	all := []string{"delegate"}
	for _, word := range args {
		if word == "" || strings.ContainsAny(word, " \t\"'`$&|;<>()*?[]{}~#!\\") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}
