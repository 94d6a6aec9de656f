//go:build bench && !windows

package agents_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	builtin "delegate/internal/turn/program"
	"delegate/registry"
)

// scene is what a program and a person do, and what must come of it.
type scene struct {
	name    string
	script  string // that the model follows first
	outputs string // that the plan expects
	config  string // lines of .delegate.yaml
	only    []string
	except  []string
	alone   bool // without a session
	servers bool // with an MCP server
	house   bool // with servers of the person's, of which the configuration allows one
	marked  bool // with marks in all places where the project and the person say what a program is to know
	play    func(ctx context.Context, t *trial)
}

// concerns reports whether the scene says anything about the program.
func (s scene) concerns(p program) bool {
	known, _ := builtin.Named(p.name)
	takesServers := len(known.Person.Servers) > 0
	chosen := len(s.only) == 0 || slices.Contains(s.only, p.name)
	return chosen && !slices.Contains(s.except, p.name) && (!s.servers || takesServers)
}

func scenes() []scene {
	return []scene{
		{name: "basic", script: "basic", outputs: "src/greeting.txt",
			config: "verify: [grep -q morning src/greeting.txt]\n", play: basic},
		{name: "progress", script: "progress", outputs: "src/verses.txt", play: progress},
		{name: "denied", script: "denied", outputs: "None", play: denied},
		// the script calls its tool by name
		{name: "escape", script: "escape", outputs: "None", only: []string{"codex"}, play: escape},
		{name: "silent", script: "silent", outputs: "src/quiet.txt", marked: true, play: silent},
		{name: "claims", script: "claims", outputs: "src/real.txt, src/imagined.txt", play: claims},
		{name: "nothing", script: "nothing", outputs: "None", play: nothing},
		{name: "stall", script: "stall", outputs: "None", config: patient, play: stall},
		{name: "interrupt", script: "stall", outputs: "None", play: interrupt},
		{name: "takeover", script: "progress", outputs: "src/verses.txt", play: takenOver},
		{name: "parent", script: "progress", outputs: "src/verses.txt", servers: true, play: asParent},
		{name: "servers", script: "servers", outputs: "src/garden.txt", servers: true, house: true, play: servers},
		{name: "planning", script: "planning", outputs: "None", alone: true, play: planning},
		{name: "limit", script: "limit", outputs: "src/late.txt", play: limited},
		// The others try for minutes in each turn before they give up.
		{name: "lost", script: "lost", outputs: "src/late.txt", only: []string{"codex"}, play: lost},
		// pi counts by prices of its own.
		{name: "budget", script: "budget", outputs: "None", config: "budget: {agent: 1.00 US$}\n" +
			"prices: {scripted: {input: 2000, output: 10000, date: 2026-11-25}, " +
			"claude: {input: 2000, output: 10000, date: 2026-11-25}, " +
			"gpt: {input: 2000, output: 10000, date: 2026-11-25}, " +
			"gemini: {input: 2000, output: 10000, date: 2026-11-25}}\n",
			except: []string{"pi"}, play: spent},
		{name: "key", script: "key", outputs: "None",
			play: refused("its login is missing, or its provider refuses it: ", true)},
		{name: "model", script: "model", outputs: "None",
			play: refused("its provider has no such model, or not for this account: ", true)},
		{name: "account", script: "account", outputs: "None", play: refused("its provider says that the account has "+
			"nothing left; everything it did is kept: ", false)},
		{name: "network", script: "network", outputs: "src/late.txt", play: network},
		// The others wait by themselves for as long as they are told to.
		{name: "exhausted", script: "exhausted", outputs: "None", only: []string{"claude", "gemini", "copilot", "pi"},
			play: exhausted},
	}
}

// basic: the work, one block, and the landing.
func basic(ctx context.Context, t *trial) {
	v, ok := t.rest(ctx, registry.Complete)
	if !ok {
		return
	}
	t.expect(v.Checkpoints == 1 && v.count(registry.EventCheckpoint, "turn 1, line ",
		"COMPLETE 100%; request MERGE") == 1,
		"%d blocks were counted: %q", v.Checkpoints, v.rows(registry.EventCheckpoint))
	t.expect(len(v.rows(registry.EventLate)) == 0, "more was read than was said: %q", v.rows(registry.EventLate))
	t.expect(len(v.Flags) == 0 && len(v.Report.Differences) == 0 && v.Violations == 0,
		"flags %q, differences %q, %d violations: %q", v.Flags, v.Report.Differences, v.Violations,
		v.rows(registry.EventViolation))
	sheet, err := os.ReadFile(t.turn(1).PromptFile())
	t.expect(err == nil && t.model.carried("basic", string(sheet)),
		"the model was not told what the prompt file says: %v", err)
	for _, part := range []string{"<delegation_context>", "`src/**`", "`docs/logs/**`", "# Subtask: ",
		"## Order of work", "the name in its header must be " + agentID} {
		t.expect(strings.Contains(string(sheet), part), "the prompt lacks %q", part)
	}
	t.expect(v.Tokens > 0, "no tokens were counted")
	t.expect(t.turn(1).SessionID() != "", "the program's session is not known")
	logs := t.do(ctx, "logs", agentID)
	t.expect(strings.Contains(logs, "The greeting is there.") && !strings.Contains(logs, `{"type"`),
		"delegate logs: %.300q", logs)
	var report struct{ Ready []string }
	status := t.do(ctx, "sync", "--status", "--json")
	err = json.Unmarshal([]byte(status), &report)
	t.expect(err == nil && slices.Equal(report.Ready, []string{agentID}), "delegate sync --status: %v %.300q", err,
		status)
	t.land(ctx)
	v, err = t.show(ctx)
	t.expect(err == nil && v.Status == registry.Merged && v.Tests == "pass",
		"after the landing it is %s, tests %s (%v)", v, v.Tests, err)
	got := file(t.repo(), "src/greeting.txt")
	t.expect(got == "Good morning.\n", "main has src/greeting.txt with %q", got)
}

// progress: a question, its answer, and a second turn in the same conversation.
func progress(ctx context.Context, t *trial) {
	v, ok := t.rest(ctx, registry.Checkpoint)
	if !ok {
		return
	}
	t.expect(v.count(registry.EventCheckpoint, "line ", "asks: Does the second verse go into the same file?") == 1,
		"its question is not told: %q", v.rows(registry.EventCheckpoint))
	t.do(ctx, "continue", agentID, "Yes, into the same. "+t.marks("resume"))
	if v, ok = t.rest(ctx, registry.Complete); !ok {
		return
	}
	t.expect(v.Turns == 2 && v.Attempt == 1 && v.Checkpoints == 2, "%d turns, attempt %d, %d blocks", v.Turns,
		v.Attempt, v.Checkpoints)
	t.resumed(2)
	got := file(t.worktree(), "src/verses.txt")
	t.expect(got == "the first verse\nthe second verse\n", "src/verses.txt has %q", got)
}

// resumed holds a later turn against the one before: the same conversation, by the program's own way to go on with one.
func (t *trial) resumed(n int) {
	session := t.turn(n - 1).SessionID()
	t.expect(session != "" && t.turn(n).SessionID() == session, "turn %d was of the conversation %q, turn %d of %q",
		n-1, session, n, t.turn(n).SessionID())
	spec, err := t.turn(n).Spec()
	if err != nil {
		t.fault("read turn %d: %v", n, err)
		return
	}
	p, _ := builtin.Named(t.agent.name)
	resume := p.Resume
	word := resume[slices.Index(resume, "{session_id}")-1]
	at := slices.Index(spec.Args, word)
	t.expect(at >= 0 && at+1 < len(spec.Args) && spec.Args[at+1] == session, "turn %d was not started with %s %s: %q",
		n, word, session, spec.Args)
}

// denied: what lies outside of the scope is refused, or found.
func denied(ctx context.Context, t *trial) {
	v, ok := t.rest(ctx, registry.Checkpoint)
	if !ok {
		return
	}
	t.expect(file(t.worktree(), "src/mine.txt") == "allowed\n", "src/mine.txt is not there, and it is allowed")
	t.expect(file(t.worktree(), "secret/theirs.txt") == "", "secret/theirs.txt was written")
	t.expect(file(t.outside(), "away.txt") == "", "a file outside of the repository was written")
	if file(t.worktree(), "secret/shell.txt") != "" {
		t.expect(v.count(registry.EventViolation, "changed outside its scope", "secret/shell.txt") == 1,
			"a shell command wrote secret/shell.txt, and no row tells it")
	}
	refs := file(t.remote(), "packed-refs") + file(t.remote(), "refs/heads/main")
	t.expect(refs == "", "something was pushed: %q", refs)
	t.expect(t.model.count("part", "") == 0, "a sub-agent was started")
	pattern := "secret/**"
	if p, _ := builtin.Named(t.agent.name); p.Hook == nil {
		pattern = "refused (program" // such a program does not say which of its rules decided
	}
	for _, parts := range [][]string{{"secret/theirs.txt", pattern}, {"away.txt"}, {"git push"}} {
		n := v.count(registry.EventViolation, append(parts, "refused")...)
		t.expect(n == 1 && v.count(registry.EventViolation, parts[0]) == 1, "%d rows tell that %s was refused: %q", n,
			parts[0], v.rows(registry.EventViolation))
	}
	t.expect(!v.flagged("unguarded"), "it is flagged unguarded")
}

// escape: a shell command writes outside of the worktree, which no hook sees.
func escape(ctx context.Context, t *trial) {
	if _, ok := t.rest(ctx, registry.Checkpoint); !ok {
		return
	}
	t.expect(t.model.count("escape", "call exec_command") == 2, "the commands were not asked for")
	t.expect(file(t.outside(), "shell.txt") == "", "a file outside of the repository was written")
	t.expect(!strings.Contains(file(t.repo(), ".git", "config"), "forbidden"),
		"the repository's configuration was written")
}

// silent: the work without a word. The model has been told what the project and the person wrote for its program.
func silent(ctx context.Context, t *trial) {
	v, ok := t.rest(ctx, registry.Complete)
	if !ok {
		return
	}
	t.expect(v.flagged("response lost"), "the flags are %q", v.Flags)
	t.expect(v.FilesChanged == 1, "%d files changed", v.FilesChanged)
	t.knows(v)
}

// claims: a block that says more than is true.
func claims(ctx context.Context, t *trial) {
	v, ok := t.rest(ctx, registry.Complete)
	if !ok {
		return
	}
	t.expect(v.flagged("contradicts evidence"), "the flags are %q", v.Flags)
	t.expect(v.flagged("missing outputs: src/imagined.txt"), "the flags are %q", v.Flags)
	for _, claim := range []string{"src/imagined.txt", "tests"} {
		t.expect(strings.Contains(strings.Join(v.Report.Differences, "\n"), claim), "nothing is said about %s: %q",
			claim, v.Report.Differences)
	}
}

// nothing: a block and no work.
func nothing(ctx context.Context, t *trial) {
	v, ok := t.rest(ctx, registry.Complete)
	if !ok {
		return
	}
	t.expect(v.flagged("no changes"), "the flags are %q", v.Flags)
}

// What the configuration says of a silence: how long it may last until the program has come to it, and then.
const (
	patient   = "stall: {STANDARD: 10m}\nnudge_grace: 3s\n"
	impatient = "stall: {STANDARD: 3s}\nnudge_grace: 3s\n"
)

// stall: a model that does not answer. The agent is asked for a sign of life, and started once more.
func stall(ctx context.Context, t *trial) {
	if !t.stalled(ctx, 1) {
		return
	}
	config := strings.Replace(t.config(), patient, impatient, 1)
	if err := os.WriteFile(filepath.Join(t.repo(), ".delegate.yaml"), []byte(config), 0o644); err != nil {
		t.fault("configure a shorter silence: %v", err)
		return
	}
	v := t.until(ctx, "a second attempt", func(v shown) bool { return len(v.rows(registry.EventRespawned)) > 0 })
	again := slices.IndexFunc(v.Events, func(e event) bool { return e.Event == registry.EventRespawned })
	v.Events = v.Events[:max(again, 0)] // the second attempt is as silent
	for _, kind := range []registry.Kind{registry.EventNudged, registry.EventFailed} {
		t.expect(len(v.rows(kind)) == 1, "%d rows %s: %q", len(v.rows(kind)), kind, v.rows(kind))
	}
	t.expect(file(t.worktree(), "src/before.txt") != "", "what the first attempt wrote is gone")
}

// interrupt: a person stops a silent agent, lets it go on, and stops it once more with a message.
func interrupt(ctx context.Context, t *trial) {
	if !t.stalled(ctx, 1) {
		return
	}
	t.do(ctx, "interrupt", agentID)
	v, ok := t.rest(ctx, registry.Checkpoint)
	if !ok {
		return
	}
	t.expect(v.flagged("interrupted"), "the flags are %q", v.Flags)
	t.expect(file(t.worktree(), "src/before.txt") != "", "what it wrote is gone")
	t.do(ctx, "continue", agentID, "Try again. "+t.marks("stall"))
	if !t.stalled(ctx, 2) {
		return
	}
	t.do(ctx, "message", "--interrupt", agentID, "Write the greeting instead. "+t.marks("basic"))
	if v, ok = t.rest(ctx, registry.Complete); !ok {
		return
	}
	t.expect(v.Turns == 3 && v.Attempt == 1, "%d turns, attempt %d", v.Turns, v.Attempt)
	t.resumed(3)
	t.expect(file(t.worktree(), "src/greeting.txt") != "", "it did not do what the message said")
}

// exhausted: the program gives up for the provider's limit, which is no failure of the agent.
func exhausted(ctx context.Context, t *trial) {
	const flag = "rate limited until "
	v := t.until(ctx, "a rate limit", func(v shown) bool { return v.flagged(flag) || v.Status == registry.Failed })
	t.expect(v.Status == registry.Running && len(v.rows(registry.EventFailed)) == 0, "it is %s", v)
	for _, f := range v.Flags {
		if end, found := strings.CutPrefix(f, flag); found {
			until, err := time.Parse(time.RFC3339, end)
			t.expect(err == nil && until.After(time.Now()), "the flag is %q, which is no time to come (%v)", f, err)
		}
	}
}
