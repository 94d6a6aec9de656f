//go:build !windows

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/fence/resource"
	"delegate/internal/land/analyze"
	"delegate/internal/supervise"
	"delegate/internal/sys/long"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"

	"github.com/rogpeppe/go-internal/testscript"
)

// crashVariable names the step at which a command of a script kills itself, as a power cut would.
const crashVariable = "SCRIPT_CRASH"

// aboveVariable has a command of a script look for agent programs above it, as the program itself does.
const aboveVariable = "SCRIPT_ABOVE"

// homeVariable is the home of the person who plays in a script, as the account has it in earnest.
const homeVariable = "SCRIPT_HOME"

// interruptPrefix before the step has the command get the signal of Ctrl-C there instead.
const interruptPrefix = "interrupt:"

func TestMain(m *testing.M) {
	if keeper.IsTurnProcess(os.Args) || len(os.Args) > 1 &&
		slices.Contains([]string{analyze.Verb, agent.BridgeVerb, supervise.SupervisorVerb, integrateVerb, hookVerb},
			os.Args[1]) {
		os.Exit(runUntilSignal(commandLine(os.Args), crashing()))
	}
	// Scripts spend their time waiting for agents, so more of them than processors go at once.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	commands := map[string]func(){"delegate": asDelegate, "git-delegate": asDelegate, "git-sync": asDelegate}
	for name, do := range programs() {
		commands[name] = func() { os.Exit(exitStatus(name, do(os.Args[1:]))) }
	}
	testscript.Main(m, commands)
}

// A link named sync or git-sync is `delegate sync`, unless this program called itself by it.
func TestLinksNamedSync(t *testing.T) {
	for typed, want := range map[string]string{
		"/bin/delegate status":          "status",
		"/bin/git-delegate status":      "status",
		"/home/a/bin/sync":              "sync",
		"sync merge add-words":          "sync merge add-words",
		"/bin/git-sync --status":        "sync --status",
		"sync.exe merge":                "sync merge",
		"/bin/async merge":              "merge",
		"sync " + hookVerb + " x":       hookVerb + " x",
		"/bin/git-sync __supervise DEL": "__supervise DEL",
	} {
		if got := strings.Join(commandLine(strings.Fields(typed)), " "); got != want {
			t.Errorf("%q is %q, not %q", typed, got, want)
		}
	}
}

func asDelegate() { os.Exit(runUntilSignal(commandLine(os.Args), crashing())) }

func crashing() environment {
	above := func(context.Context, string) error { return nil } // whoever runs the tests may be an agent program
	if os.Getenv(aboveVariable) != "" {
		above = agentAbove
	}
	at := os.Getenv(crashVariable)
	if at == "" {
		return environment{above: above, home: os.Getenv(homeVariable)}
	}
	at, interrupted := strings.CutPrefix(at, interruptPrefix)
	return environment{above: above, home: os.Getenv(homeVariable), step: func(name string) {
		switch {
		case name == at && interrupted:
			_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
			time.Sleep(100 * time.Millisecond) // the signal arrives, and what goes on sees it
		case name == at:
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	}}
}

// Scripts lie in one folder, those that take seconds, or tools that a machine need not have, below it in another.
const (
	scriptFolder     = "testdata/script"
	longScriptFolder = scriptFolder + "/long"
)

func TestScripts(t *testing.T) { runScripts(t, scriptFolder) }

func TestLongScripts(t *testing.T) {
	long.Only(t)
	runScripts(t, longScriptFolder)
}

func runScripts(t *testing.T, folder string) {
	t.Helper()
	p := testscript.Params{Dir: folder, Setup: setUp, RequireUniqueNames: true, Condition: condition}
	if raced {
		p.Dir, p.Files = "", concurrentScripts(t, folder)
	}
	testscript.Run(t, p)
}

// condition is what a script can ask for in brackets.
func condition(name string) (bool, error) {
	switch name {
	case "traced":
		return whyNotTraced() == "", nil
	case "agent":
		return agentsMay != "", nil
	case "groups":
		return resource.Try(resource.Limits{Memory: 1 << 30, Processes: 100}).Whole(), nil
	case "sshd":
		return sshd() != "", nil
	case "nodes": // those of the engine are ours
		return os.Getenv(configVariable) == "", nil
	}
	return false, fmt.Errorf("what is [%s]?", name)
}

// agentsMay lets agent programs answer questions, where one runs these tests.
var agentsMay = func() string {
	if agentAbove(context.Background(), run.AccountHome()) == nil {
		return ""
	}
	return "[delegate]\n\tfromAgents = allow\n"
}()

// concurrentScripts are the scripts that run with the race detector in every process: those in which something
// happens while something else does. In the others one command follows another, and the supervisor
// does in them what it does in these. Those of the screen are not here: its library (Bubble Tea
// 2.0.10 with cancelreader 0.2.2) closes the terminal's reader beside its last read.
func concurrentScripts(t *testing.T, folder string) (files []string) {
	t.Helper()
	for name := range strings.FieldsSeq(`
		abort_agent abort_starting adapt_clash agent_hooked agent_protocol conflicts_session conflicts_working continue_answer
		dependencies_complete dependencies_merged end_broken end_silent give_up_recover interrupt_message mcp_inside mcp_tools
		notes_tasks plan_planner ports_apart review_walk scope_outside semi_autonomous slots_one start_pending supervisor_killed
		sync_answers sync_crash sync_resolve sync_wait timeout_extend worktree_ready
	`) {
		found, err := filepath.Glob(filepath.Join(scriptFolder, name+".txt"))
		late, lateErr := filepath.Glob(filepath.Join(longScriptFolder, name+".txt"))
		if err := errors.Join(err, lateErr); err != nil || len(found)+len(late) != 1 {
			t.Fatalf("%d scripts are called %q: %v", len(found)+len(late), name, err)
		}
		if file := append(found, late...)[0]; filepath.Dir(file) == filepath.FromSlash(folder) {
			files = append(files, file)
		}
	}
	return files
}

// setUp gives a script a home and a git configuration of its own, the usual answers, and looks for
// processes it left behind.
func setUp(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv(homeVariable, home)
	for name, folder := range map[string]string{
		"XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".data", "XDG_STATE_HOME": ".state",
	} {
		env.Setenv(name, filepath.Join(home, folder))
	}
	env.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("TERM", "xterm")
	env.Setenv("PAGER", "cat")
	env.Setenv("GORACE", os.Getenv("GORACE"))
	// For scripts in which go builds: without what is built already it begins with the standard library.
	caches, err := os.UserCacheDir()
	env.Setenv("BUILT", cmp.Or(os.Getenv("GOCACHE"), filepath.Join(caches, "go-build")))
	if err != nil {
		return err
	}
	agents, err := filepath.Abs(filepath.Join("testdata", "agents"))
	if err != nil {
		return err
	}
	env.Setenv("AGENTS", agents)
	formats, err := filepath.Abs(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		return err
	}
	env.Setenv(formatsVariable, formats)
	env.Setenv("ANSWERS", filepath.Join(env.WorkDir, "answers"))
	files := map[string]string{
		"home/.gitconfig": "[user]\n\tname = Ada Person\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n" +
			// what only a crash of the machine or a large repository needs,
			"[core]\n\tfsync = none\n[maintenance]\n\tauto = false\n" + agentsMay,
		"answers/start":   "EXPECT ? Start these agents?\nTYPE yes\n",
		"answers/cancel":  "EXPECT ? Start these agents?\nTYPE cancel\n",
		"answers/yes":     "EXPECT Enter alone means\nTYPE yes\n",
		"answers/no":      "EXPECT Enter alone means\nTYPE no\n",
		"answers/nothing": "",
		"answers/land":    "EXPECT ? Land AGT-001\nTYPE yes\n",
		"answers/land2":   "EXPECT ? Land AGT-002\nTYPE yes\n",
	}
	for name, content := range files {
		path := filepath.Join(env.WorkDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	env.Defer(func() { noneLeft(env) })
	return nil
}

// noneLeft fails a script that leaves processes behind, and kills them.
func noneLeft(env *testscript.Env) {
	deadline := time.Now().Add(patience)
	left := processesOf(env.WorkDir)
	for len(left) > 0 && time.Now().Before(deadline) {
		if failed, ok := env.T().(interface{ Failed() bool }); ok && failed.Failed() {
			break // the script ended in its middle: nothing more to learn
		}
		time.Sleep(50 * time.Millisecond)
		left = processesOf(env.WorkDir)
	}
	if len(left) == 0 {
		return
	}
	for range 100 { // a supervisor may be starting another at this moment
		for pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
		again := processesOf(env.WorkDir)
		if len(again) == 0 {
			break
		}
		maps.Copy(left, again)
	}
	if t, ok := env.T().(interface{ Errorf(string, ...any) }); ok {
		t.Errorf("left running: %v", left)
	}
}

// processesOf finds every process whose environment names the script's folder.
func processesOf(folder string) map[int]string {
	found := map[int]string{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !bytes.Contains(environ, []byte(folder+"/")) {
			continue
		}
		if id, err := run.Identify(pid); err != nil || !id.Alive() {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		found[pid] = strings.ReplaceAll(string(line), "\x00", " ")
	}
	return found
}

// faultyScript is no exit code of delegate's, which a script might expect.
const faultyScript = 99

func exitStatus(name string, err error) int {
	if err == nil {
		return 0
	}
	var code *exitError
	if asExit(err, &code) {
		return code.code
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	return faultyScript
}
