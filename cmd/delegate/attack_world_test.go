//go:build linux

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/turn/keeper"

	"github.com/creack/pty"
)

// attackedAgent is who all attempts are made as; the second works all the time, the third is done.
const attackedAgent = "AGT-001"

// world is a person's machine in small: home, repository, remote, agents, and what lies around.
// Everything is below one folder.
type world struct {
	root    string
	uid     int // who the person is
	path    string
	env     []string
	session string
	plain   fingerprint // as it was before the first attempt
	tty     *os.File    // the person's side of a second terminal
	pids    string      // the namespace of processes outside
	daemon  string      // address of a server on the network, "" if there is none
	working bool        // the attacked agent is at work, so the supervisor is as well
	inside  string      // the namespace of processes that an attempt is made in
	open    []*os.File  // what the person's shell left open for all that it starts
}

// attackPlan gives the first agent a scope with everything that is hard in it.
const attackPlan = `# Delegation Plan: Attacked

Because.

## Subtask 1: First
- **Description**: Do as you like
- **Context**: None needed.
- **Allowed**: src/**, one/allowed.txt
- **Forbidden**: src/secret/**, src/deep/secret/**, src/later/**, src/late.txt, **/*.pem
- **Agent**: attacker

## Subtask 2: Second
- **Description**: Work on
- **Context**: None needed.
- **Allowed**: two/**
- **Agent**: worker

## Subtask 3: Third
- **Description**: Be done
- **Context**: None needed.
- **Allowed**: three/**
- **Agent**: done
`

// attackerProgram runs one script for a message that asks for it, and else one after the other as
// its folder says, until that says end. Its name is in ATTACKS.
const attackerProgram = `name=$(sed -n 's/.*RUN \([0-9][-a-z0-9]*\).*/\1/p' "$DELEGATE_PROMPT_FILE" | tail -n 1)
part=$(sed -n 's/.*RUN [0-9][-a-z0-9]* PART \([0-9]\).*/\1/p' "$DELEGATE_PROMPT_FILE" | tail -n 1)
mkdir -p src
{ echo made > src/made; } 2> /dev/null || echo made >> src/app.txt # without namespaces it makes no file beside forbidden ones
if [ -n "$name" ]; then
	(
		. "ATTACKS/facts.sh"
		refs="$GITDIR/refs/heads/delegate"
		rm -f "$OWNGIT"/*.lock "$refs"/*.lock "$refs/garbage" "$refs/link" "$refs/pipe"
		echo "ref: refs/heads/delegate/first" > "$OWNGIT/HEAD"
		echo "$BASE" > "$refs/first"
		[ -s "$GITDIR/objects/info/alternates" ] && find "$GITDIR/objects" -type f -path '*/[0-9a-f][0-9a-f]/*' -delete # of its own
		git reset -q --hard "$BASE"
		git clean -qfd src
	)
	sh "ATTACKS/$name.sh" "$part" < /dev/null 2>&1
	block COMPLETE MERGE src/made=created
	exit
fi
last=
[ ONCE = no ] || last=end
while [ "$last" != end ]; do
	read -r next 2> /dev/null < "$DELEGATE_AGENT_DIR/go"
	[ "$next" = "$last" ] || [ -z "$next" ] && sleep 0.01 && continue
	last=$next
	[ "$next" = end ] && break
	set -- $next
	timeout 10 sh "ATTACKS/$2.sh" "$3" < /dev/null 2>&1
	code=$?
	printf '\nthat was %s\n' "$1"
	echo "$1 $code" > "$DELEGATE_AGENT_DIR/code.new" && mv "$DELEGATE_AGENT_DIR/code.new" "$DELEGATE_AGENT_DIR/code"
done
block COMPLETE MERGE src/made=created
`

// worldOptions are how one world differs from another.
type worldOptions struct {
	uid      int
	settings string   // of .delegate.yaml
	turns    bool     // the attacked agent makes the attempts itself, in a turn that goes on
	path     string   // where the person finds programs, if not where systems have them
	env      []string // what the person has beside
}

// systemPath is where systems have programs.
const systemPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

// newWorld builds everything and waits until the session is as attempts need it.
func newWorld(t *testing.T, o worldOptions) *world {
	t.Helper()
	root, err := os.MkdirTemp("", "attacks-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{root: root, uid: o.uid, working: o.turns, path: cmp.Or(o.path, systemPath), env: o.env}
	t.Cleanup(func() {
		w.kill(t)
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	if w.pids, err = os.Readlink("/proc/self/ns/pid"); err != nil {
		t.Fatal(err)
	}
	w.prepare(t, o)
	w.own(t)
	w.leaveOpen(t)
	w.repository(t)
	w.surround(t)
	answers := filepath.Join(root, "answers")
	if out, code := w.run(w.main(), "terminal", answers, "delegate", "-f", filepath.Join(root, "plan.md")); code != 0 {
		shown, _ := w.run(w.main(), "delegate", "show", attackedAgent)
		t.Fatalf("start the session: %d\n%s\n%s", code, out, shown)
	}
	w.awaitStates(t, o)
	w.facts(t)
	return w
}

func (w *world) main() string   { return filepath.Join(w.root, "repo") }
func (w *world) gitDir() string { return filepath.Join(w.main(), ".git") }
func (w *world) agentDir() string {
	return filepath.Join(w.root, "repo.delegate", w.session, attackedAgent)
}
func (w *world) work() string   { return filepath.Join(w.root, "repo.delegate", "first") }
func (w *world) ownDir() string { return filepath.Join(w.agentDir(), "desk") }
func (w *world) registryFile() string {
	return filepath.Join(w.main(), "docs", "logs", "delegation_registry.md")
}

// number is what no other world has.
func (w *world) number() string { return strings.TrimPrefix(filepath.Base(w.root), "attacks-") }

// sentinel is a file of the person's in the temporary folder that everybody shares.
func (w *world) sentinel() string { return w.root + "-sentinel" }

// prepare writes all that is no repository.
func (w *world) prepare(t *testing.T, o worldOptions) {
	t.Helper()
	once := "yes"
	if o.turns {
		once = "no"
	}
	attacker := strings.NewReplacer("ATTACKS", filepath.Join(w.root, "attacks"), "ONCE", once).Replace(attackerProgram)
	files := map[string]string{
		"answers": "EXPECT ? Start these agents?\nTYPE yes\n", "plan.md": attackPlan,
		"home/.gitconfig": "[user]\n\tname = Ada Person\n\temail = ada@example.com\n[init]\n\tdefaultBranch = " +
			"main\n[credential]\n\thelper = store\n" + agentsMay,
		"home/.ssh/id_ed25519": "SECRET\n", "home/.netrc": "machine example.com password SECRET\n",
		"home/.git-credentials":     "https://ada:SECRET@example.com\n",
		"home/.config/gh/hosts.yml": "oauth_token: SECRET\n", "home/.bashrc": "# mine\n",
		"home/.cache/go-build/00/x-d":               "built\n",
		"home/go/pkg/mod/example.com/m@v1.0.0/m.go": "package m\n",
		"repo/README.md":                            "Read me\n", "repo/docs/01_progress.md": "**Progress**: 10%\n",
		"repo/docs/guide.md": "Guide\n", "repo/.claude/settings.json": "{}\n",
		"repo/lib/lib.txt": "lib\n", "repo/src/app.txt": "app\n", "repo/src/old.pem": "key\n",
		"repo/src/secret/key.txt": "key\n", "repo/src/deep/secret/key.txt": "key\n",
		"repo/src/deep/open.txt": "open\n", "repo/one/allowed.txt": "allowed\n", "repo/one/other.txt": "other\n",
		"repo/two/two.txt": "two\n", "repo/three/three.txt": "three\n",
		"repo/agents/attacker.sh": attacker,
		"repo/agents/done.sh":     "echo mine > three/mine.txt\nblock COMPLETE MERGE three/mine.txt=created\n",
		"repo/agents/worker.sh":   "exec sleep 9000\n",
		"repo/.delegate.yaml": "agent: attacker\nstop_grace: 1s\nprofiles:\n  attacker: {command: [sh, " +
			"agents/attacker.sh], prompt: file, pass_env: [GORACE]}\n  worker: {command: [sh, agents/worker.sh]}\n  " +
			"done: {command: [sh, agents/done.sh]}\n" + o.settings,
		"programs/codex.sh":                                  "#!/bin/sh\necho I am an agent\n",
		"programs/dist/main.js":                              "console.log('I am an agent')\n",
		"programs/package.json":                              `{"bin": {"codex": "codex.sh"}, "optionalDependencies": {"@openai/codex-x": "1"}}`,
		"programs/node_modules/@openai/codex-x/vendor/codex": "#!/bin/sh\necho I am an agent\n",
		"net/empty":                                          "",
		"out/empty":                                          "",
	}
	for name, content := range files {
		path := filepath.Join(w.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(w.sentinel(), []byte("somebody's\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(w.root, "bin")
	err = errors.Join(os.Mkdir(bin, 0o755), duplicate(program, filepath.Join(bin, "delegate")),
		os.Symlink("../programs/codex.sh", filepath.Join(bin, "codex")),
		duplicate(program, filepath.Join(w.root, "out", "delegate")),
		duplicate("/bin/echo", filepath.Join(w.root, "programs", "native")),
		os.Chmod(filepath.Join(w.root, "programs", "codex.sh"), 0o755),
		os.Chmod(filepath.Join(w.root, "programs/node_modules/@openai/codex-x/vendor/codex"), 0o755),
		os.CopyFS(filepath.Join(w.root, "attacks"), os.DirFS(attackFolder)))
	for _, name := range []string{"block", "probe", "terminal"} {
		err = errors.Join(err, os.Symlink("delegate", filepath.Join(bin, name)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// own gives everything to the person, and lets them through to it.
func (w *world) own(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(w.root, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, w.uid, w.uid))
	})
	if err := errors.Join(err, os.Chmod(w.root, 0o755), os.Chown(w.sentinel(), w.uid, w.uid)); err != nil {
		t.Fatal(err)
	}
}

// leaveOpen opens a folder and a file of the person's, as a shell or an editor may have them.
func (w *world) leaveOpen(t *testing.T) {
	t.Helper()
	for name, mode := range map[string]int{"home": os.O_RDONLY, "home/.bashrc": os.O_RDWR} {
		file, err := os.OpenFile(filepath.Join(w.root, name), mode, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		w.open = append(w.open, file)
	}
}

// repository makes the main checkout with a remote on the disk, and a third repository that a server offers.
func (w *world) repository(t *testing.T) {
	t.Helper()
	for _, line := range []string{
		"git init -q --template= -b main repo", "git init -q --template= --bare remote.git",
		"git init -q --template= --bare net/net.git", "git -C repo add -A", "git -C repo commit -qm Begin",
		"git -C repo remote add origin " + w.root + "/remote.git", "git -C repo push -q origin main",
		"git -C repo tag v1", "git -C repo branch kept",
		"git -C repo commit -q --allow-empty -m Second", "git -C repo notes add -m mine HEAD",
	} {
		if out, code := w.run(w.root, strings.Fields(line)...); code != 0 {
			t.Fatalf("%s: %d\n%s", line, code, out)
		}
	}
}

// surround starts what a person has running beside: a program that listens, a terminal, tmux, and a
// server on the network.
func (w *world) surround(t *testing.T) {
	t.Helper()
	for _, address := range []string{w.root + "/socket", w.root + "/bound", "@" + w.root} {
		l, err := net.Listen("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	if err := os.Rename(w.root+"/bound", w.root+"/renamed"); err != nil {
		t.Fatal(err)
	}
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(master.Close(), slave.Close()) })
	w.tty = slave
	if err := errors.Join(slave.Chown(w.uid, w.uid), os.Chown(w.root+"/socket", w.uid, w.uid),
		os.Chown(w.root+"/renamed", w.uid, w.uid)); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("tmux"); err == nil {
		w.run(w.root, "tmux", "-S", w.root+"/tmux", "-f", "/dev/null", "new-session", "-d", "sleep 9000")
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	server := w.command(w.root, "git", "daemon", "--listen=127.0.0.1", "--port="+port, "--base-path="+w.root+"/net",
		"--export-all", "--enable=receive-pack")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(server.Process.Kill(), server.Wait()) })
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			_ = c.Close()
			w.daemon = "git://127.0.0.1:" + port + "/net.git"
			return
		}
	}
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// turnDir is the private folder of an agent's turn.
func (w *world) turnDir(id string, turn int) string {
	return filepath.Join(w.gitDir(), "delegate", "sessions", w.session, id, "turn-"+strconv.Itoa(turn))
}

// facts writes what scripts know, beside them.
func (w *world) facts(t *testing.T) {
	t.Helper()
	var supervisor session.Supervisor
	data, err := os.ReadFile(filepath.Join(w.gitDir(), "delegate", "supervisor.json"))
	if err == nil {
		err = json.Unmarshal(data, &supervisor)
	}
	if err != nil {
		t.Fatal(err)
	}
	worker, err := keeper.Turn{Dir: w.turnDir("AGT-002", 1)}.Record()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(w.root, "repo.delegate", w.session, "AGT-003")
	facts := []string{
		"MAIN=" + w.main(), "GITDIR=" + w.gitDir(), "OTHERDESK=" + other + "/desk",
		"OTHER=" + filepath.Join(w.root, "repo.delegate", "third"),
		"WORK=" + w.work(), "DESK=" + w.ownDir(),
		"REALHOME=" + w.root + "/home", "REMOTE=" + w.root + "/remote.git", "SESSION=" + w.session,
		"LOGS=" + filepath.Join(w.main(), "docs", "logs", w.session),
		"PROBE=probe", "BASE=" + w.base(t), "NUMBER=" + w.number(),
		"OWNGIT=" + filepath.Join(w.gitDir(), "worktrees", w.gitID()), "SENTINEL=" + w.sentinel(),
		"SOCKET=" + w.root + "/socket", "RENAMED=" + w.root + "/renamed",
		"ABSTRACT=@" + w.root, "TMUXSOCKET=" + w.root + "/tmux", "TTY=" + w.tty.Name(),
		"NETWORK=" + w.daemon, "PROGRAMS=" + w.root + "/programs", "PIDS=" + w.pids,
		fmt.Sprintf("SUPERVISOR=%d\nKEEPER=%d\nOTHERPID=%d", supervisor.PID, worker.Keeper.PID, worker.Agent.PID),
		`MARK=attack-$(basename "$0" .sh)-` + filepath.Base(w.root),
	}
	if err := os.WriteFile(filepath.Join(w.root, "attacks", "facts.sh"), []byte(strings.Join(facts, "\n")+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
}

// base is the commit that the agents started from.
func (w *world) base(t *testing.T) string {
	t.Helper()
	out, code := w.run(w.main(), "git", "rev-parse", "main")
	if code != 0 {
		t.Fatalf("git rev-parse main: %d\n%s", code, out)
	}
	return strings.TrimSpace(out)
}

// kill ends the session and everything that still runs of this world.
func (w *world) kill(t *testing.T) {
	if w.session != "" {
		w.run(w.main(), "delegate", "sync", "abort", "--yes")
	}
	for range 50 {
		left := processesOf(w.root)
		if len(left) == 0 {
			break
		}
		for pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if left := processesOf(w.root); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	for _, file := range append(w.leftovers(), w.sentinel()) {
		_ = os.Remove(file)
	}
}

// leftovers are what attempts made in the folders that everybody shares.
func (w *world) leftovers() []string {
	var all []string
	for _, folder := range []string{"/tmp", "/dev/shm"} {
		found, _ := filepath.Glob(filepath.Join(folder, "attack-*-"+filepath.Base(w.root))) // the pattern is sound
		all = append(all, found...)
	}
	return all
}
