//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"delegate/checkpoint"
	"delegate/internal/control/session"
	"delegate/internal/sys/run"
)

// programs are what scripts, and the agents in them, run beside delegate itself.
func programs() map[string]func([]string) error {
	return map[string]func([]string) error{
		"terminal": terminal, // terminal ANSWERS COMMAND…   on a pseudo-terminal
		"code":     code,     // code N COMMAND…             must end with exit code N
		"await":    await,    // await COMMAND…              again until it ends well
		"mkrepo":   makeRepo, // mkrepo DIR                  a repository of what lies in DIR
		"mkplan":   makePlan, // mkplan FILE SUBTASK…        NAME|ALLOWED|AGENT|DEPENDENCIES|OUTPUTS|ON
		"begin":    begin,    // begin SUBTASK…              mkplan, and yes at a terminal
		"snapshot": snapshot, // snapshot                    notes what a refused command must not change
		"same":     same,     // same                        is it still the same?
		// json PATH[=VALUE|~PART]…    holds one document on standard input against that
		"json":           checkJSON,
		"harmless":       harmless,       // harmless COMMAND…           shows nothing of strangers that acts
		"gone":           gone,           // gone FILE…                  the processes with those ids have ended
		"cluster":        cluster,        // cluster WHAT [AGENT]             what happens to an engine
		"forge":          forgeEnd,       // forge …   delegate on a node, in other hands
		"killsupervisor": killSupervisor, // killsupervisor              kill -9
		"block":          printBlock,     // block STATUS REQUEST PATH=ACTION…   for agents
		"browse":         browse,         // browse LINK STEPS           a page, in a browser
		"listen":         listen,         // listen PORT FILE            a server, until the file is there; for agents
		// documented SPAN…            one document on standard input has the form of that example
		"documented": documented,
		"probe":      probe,      // probe WHAT…                 for attacks: what a shell cannot try
		"readonly":   readOnly,   // readonly COMMAND…             for which nothing of the repository can be written
		"terminated": terminated, // terminated WORD COMMAND…     asked to end while its process __WORD works
		"tool":       tool,       // tool NAME ARGUMENTS         one call to `delegate mcp`
		"traced":     traced,     // traced FILE COMMAND…        with a trace of what is done to files
		"supervised": supervised, // supervised FILE             the same of a new supervisor
		"synced":     synced,     // synced FILE ROW             was all on the disk before the row of the registry?
	}
}

func asExit(err error, into **exitError) bool { return errors.As(err, into) }

// call runs a command on this process's streams and answers with its exit code, 137 for one that was killed.
func call(args []string) (int, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return ended(cmd.Run())
}

func ended(err error) (int, error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, err
	}
	if exit.ExitCode() < 0 {
		return 128 + int(syscall.SIGKILL), nil
	}
	return exit.ExitCode(), nil
}

func code(args []string) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	got, err := call(args[1:])
	if err == nil && got != want {
		err = fmt.Errorf("%q ended with exit code %d, want %d", args[1:], got, want)
	}
	return err
}

// terminated wants the command to end at once, and to leave nothing behind.
func terminated(args []string) error {
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	worker := 0
	for deadline := time.Now().Add(patience); worker == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("no process with %q came to work", args[0]), cmd.Process.Kill())
		}
		for _, p := range run.Descendants(cmd.Process.Pid) {
			line, lineErr := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
			stat, statErr := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
			_, rest, _ := strings.Cut(string(stat), ") ")
			if fields := strings.Fields(rest); lineErr == nil && statErr == nil && len(fields) > 11 &&
				len(fields[11]) > 1 &&
				strings.HasSuffix(string(line), "\x00__"+args[0]+"\x00") {
				worker = p.PID // it has used the processor for a tenth of a second
			}
		}
	}
	start := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	got, err := ended(cmd.Wait())
	switch took := time.Since(start); {
	case err != nil || got != exitInterrupted:
		return fmt.Errorf("%q ended with exit code %d, %w", args[1:], got, err)
	case took > 5*time.Second: // it is milliseconds on a machine that has nothing else to do
		return fmt.Errorf("%q ended %s after it was asked to", args[1:], took)
	case syscall.Kill(worker, 0) == nil:
		return fmt.Errorf("%q left process %d behind", args[1:], worker)
	}
	return nil
}

func await(args []string) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		if err == nil {
			_, err = os.Stdout.Write(out)
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%q: still %w\n%s", args, err, out)
		}
	}
}

func gitIn(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %q: %w\n%s", args, err, out)
	}
	return nil
}

// makeRepo commits DIR on main. Each agents/NAME.sh becomes the profile NAME; config.yaml is what
// else the configuration says.
func makeRepo(args []string) error {
	dir := args[0]
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "agents")); err != nil {
		if err := os.CopyFS(filepath.Join(dir, "agents"), os.DirFS(os.Getenv("AGENTS"))); err != nil {
			return err
		}
	}
	agents, err := fs.Glob(os.DirFS(dir), "agents/*.sh") // the folder's own name may be a pattern
	if err != nil {
		return err
	}
	config, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err == nil {
		err = os.Remove(filepath.Join(dir, "config.yaml"))
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text := strings.ReplaceAll(string(config), "$"+engineVariable, os.Getenv(engineVariable))
	for _, name := range []string{"TEMPLATES", mirrorVariable} {
		text = strings.ReplaceAll(text, "$"+name, os.Getenv(name))
	}
	if !strings.Contains(text, "stop_grace:") {
		text += "stop_grace: 1s\n"
	}
	for i, path := range agents {
		name := strings.TrimSuffix(filepath.Base(path), ".sh")
		if i == 0 {
			text += "agent: " + name + "\nprofiles:\n"
		}
		text += fmt.Sprintf("  %s:\n    command: [sh, agents/%s.sh]\n    pass_env: [GORACE]\n", name, name)
	}
	if _, err := os.Stat(filepath.Join(dir, ".delegate.yaml")); err != nil {
		if err := os.WriteFile(filepath.Join(dir, ".delegate.yaml"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return errors.Join(gitIn(dir, "init", "--quiet", "-b", "main"), gitIn(dir, "add", "-A"),
		gitIn(dir, "commit", "--quiet", "-m", "Begin"))
}

func makePlan(args []string) error {
	text := "# Delegation Plan: A tested plan\n\nBecause.\n"
	for i, spec := range args[1:] {
		f := append(strings.Split(spec, "|"), "", "", "", "", "")
		text += fmt.Sprintf("\n## Subtask %d: %s\n- **Description**: Do %s\n- **Context**: Nothing else.\n- "+
			"**Allowed**: %s\n", i+1, f[0], f[0], f[1])
		for at, name := range []string{"Agent", "Dependencies", "Expected Outputs", "On"} {
			if f[at+2] != "" {
				text += fmt.Sprintf("- **%s**: %s\n", name, f[at+2])
			}
		}
	}
	return os.WriteFile(args[0], []byte(text), 0o644)
}

func begin(args []string) error {
	plan := filepath.Join(os.Getenv("WORK"), "begin.md")
	if err := makePlan(append([]string{plan}, args...)); err != nil {
		return err
	}
	return terminal([]string{filepath.Join(os.Getenv("ANSWERS"), "start"), "delegate", "-f", plan})
}

// shown prints references (but for those of looks), worktrees (the scratch checkout is a cache),
// status, the folder docs with all content, and what lies beside. A state file, what it is written to
// before it is put in place, and what the supervisor finds and records of conflicts have its own pace.
const shown = `git for-each-ref | grep -v '/look$'; git worktree list | grep -v /scratch | tr -s ' '; git status --porcelain=v2 --branch --untracked-files=all 2>&1 | grep -v /.EXECUTION_STATE.md.new-; git stash list 2>&1
if [ -d docs ]; then find docs -type f ! -name "*EXECUTION_STATE.md*" | sort | while read -r f; do
echo "$f $(grep -vE '\| (CONFLICT|RESOLVED) \|.*\(by supervisor\)|^(- |\| )Conflicts' "$f" | sha256sum)"; done; fi
ls -A .. | grep '^repo' | grep -v '^repo.delegate$'; ls -A ../repo.delegate 2>/dev/null | grep -v scratch; true`

func snapshot([]string) error {
	out, err := exec.Command("sh", "-c", shown).CombinedOutput()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(os.Getenv("WORK"), "snapshot"), out, 0o644)
}

func same([]string) error {
	out, err := exec.Command("sh", "-c",
		"{ "+shown+"; } | diff "+filepath.Join(os.Getenv("WORK"), "snapshot")+" -").CombinedOutput()
	if err != nil {
		return fmt.Errorf("something changed:\n%s", out)
	}
	return nil
}

// checkJSON reads exactly one document; path segments are names and list positions, len is a list's length.
func checkJSON(args []string) error {
	dec := json.NewDecoder(os.Stdin)
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return fmt.Errorf("no JSON document: %w", err)
	}
	if rest, err := io.ReadAll(io.MultiReader(dec.Buffered(), os.Stdin)); err != nil || len(bytes.TrimSpace(rest)) > 0 {
		return fmt.Errorf("after the document: %q, %v", rest, err)
	}
	var faults []error
	for _, arg := range args {
		at := strings.IndexAny(arg, "=~")
		path, op, want := arg, byte(0), ""
		if at >= 0 {
			path, op, want = arg[:at], arg[at], arg[at+1:]
		}
		got, err := pick(doc, path)
		switch {
		case err != nil:
			faults = append(faults, err)
		case op == '=' && got != want, op == '~' && !strings.Contains(got, want):
			faults = append(faults, fmt.Errorf("%s is %s, want %c%s", path, got, op, want))
		}
	}
	return errors.Join(faults...)
}

func pick(doc any, path string) (string, error) {
	for name := range strings.SplitSeq(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			value, found := v[name]
			if !found {
				return "", fmt.Errorf("%s: no field %q", path, name)
			}
			doc = value
		case []any:
			if name == "len" {
				return strconv.Itoa(len(v)), nil
			}
			at, err := strconv.Atoi(name)
			if err != nil || at >= len(v) {
				return "", fmt.Errorf("%s: no element %q among %d", path, name, len(v))
			}
			doc = v[at]
		default:
			return "", fmt.Errorf("%s: %q is no field of %v", path, name, doc)
		}
	}
	if text, ok := doc.(string); ok {
		return text, nil
	}
	data, err := json.Marshal(doc)
	return string(data), err
}

// harmless runs a command, which must not hand on what acts in a terminal or hides how a text reads: the marks that
// scripts put into issues, names and words of agents.
func harmless(args []string) error {
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) && ended.ExitCode() != faultyScript {
		err = nil
	}
	for _, mark := range []string{"\x1b]0;owned", "\x1b(0", "\u009b", "\u202e", "\u2066", "\u200b", "\u2028"} {
		if bytes.Contains(out, []byte(mark)) {
			err = errors.Join(err, fmt.Errorf("%q shows %q", args, mark))
		}
	}
	_, writeErr := os.Stdout.Write(out)
	return errors.Join(err, writeErr)
}

func gone(files []string) error {
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for word := range strings.FieldsSeq(string(data)) {
			if pid := runs(word); pid != "" {
				return fmt.Errorf("%s: process %s still runs, as %s", file, word, pid)
			}
		}
	}
	return nil
}

// runs finds the process of this script's agents that calls itself by that id, which is its id in
// its own namespace; "" if there is none.
func runs(id string) string {
	all, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return ""
	}
	for _, status := range all {
		text, err := os.ReadFile(status)
		if err != nil {
			continue // over
		}
		for line := range strings.Lines(string(text)) {
			ids, found := strings.CutPrefix(line, "NSpid:")
			if fields := strings.Fields(ids); !found || len(fields) == 0 || fields[len(fields)-1] != id {
				continue
			}
			folder := filepath.Dir(status)
			env, err := os.ReadFile(filepath.Join(folder, "environ"))
			if err == nil && bytes.Contains(env, []byte("DELEGATE_AGENT_DIR="+os.Getenv("WORK"))) {
				return filepath.Base(folder)
			}
		}
	}
	return ""
}

// supervisor is the one that runs for the repository in this folder.
func supervisor() (session.Supervisor, error) {
	var s session.Supervisor
	data, err := os.ReadFile(filepath.Join(".git", "delegate", "supervisor.json"))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil && !s.Alive() {
		err = errors.New("no supervisor runs")
	}
	return s, err
}

func killSupervisor([]string) error {
	s, err := supervisor()
	if err != nil {
		return err
	}
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); s.Alive(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("supervisor %d survived", s.PID)
		}
	}
	return nil
}

// printBlock prints what an agent says: block [-as AGT] [-ask TEXT] [-broken] STATUS REQUEST PATH=ACTION…
func printBlock(args []string) error {
	b := checkpoint.Block{Agent: os.Getenv("DELEGATE_AGENT"), Progress: 50,
		Tests: checkpoint.Tests{Result: checkpoint.Skipped}}
	broken := false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-as":
			b.Agent, args = args[1], args[1:]
		case "-ask":
			b.Questions, args = args[1], args[1:]
		case "-broken":
			broken = true
		default:
			return fmt.Errorf("block: what is %q?", args[0])
		}
		args = args[1:]
	}
	b.Status, b.Request = checkpoint.Status(args[0]), checkpoint.Request(args[1])
	if b.Status == checkpoint.Complete {
		b.Progress = 100
	}
	for _, change := range args[2:] {
		path, action, _ := strings.Cut(change, "=")
		b.Changes = append(b.Changes, checkpoint.Change{Path: path, Action: checkpoint.Action(action),
			Description: "as asked"})
	}
	text := b.String()
	if broken {
		text = strings.Replace(text, "Status: "+args[0], "Status: PERHAPS", 1)
	}
	_, err := os.Stdout.WriteString(text)
	return err
}

// plain takes out of a terminal's output what only moves or colours.
func plain(data []byte) string {
	var out []byte
	for i := 0; i < len(data); i++ {
		switch {
		case data[i] == 0x1b && i+1 < len(data) && data[i+1] == '[':
			for i += 2; i < len(data) && (data[i] < 0x40 || data[i] > 0x7e); i++ {
			}
		case data[i] == '\r':
		default:
			out = append(out, data[i])
		}
	}
	return string(slices.Clip(out))
}
