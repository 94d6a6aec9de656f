//go:build bench && linux

package peers

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// given is what the command line asks for.
var given struct {
	agents, sig string
	runs        int
}

func TestMain(m *testing.M) {
	flag.StringVar(&given.agents, "agents", "", "how many agents, by commas")
	flag.IntVar(&given.runs, "runs", 5, "how often each is measured")
	flag.StringVar(&given.sig, "sig", "", "the program sig")
	flag.Parse()
	os.Exit(m.Run())
}

func TestPeers(t *testing.T) {
	if given.agents == "" {
		t.Skip("measures for minutes; give it -args -agents 2,8")
	}
	program := filepath.Join(t.TempDir(), "delegate")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../cmd/delegate")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fmt.Printf("%s/%s, %d processors\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Println("| agents | program | ms (smallest to largest) | beside git | beside sig |\n|---|---|---|---|---|")
	for word := range strings.SplitSeq(given.agents, ",") {
		agents, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, program, agents)
	}
}

// contestant is one way to get all the work onto the branch.
type contestant struct {
	name  string
	run   func(s *site) error
	leave func(s *site) error // what is not measured; nil for nothing
}

func compare(t *testing.T, program string, agents int) {
	all := []contestant{{name: "git", run: (*site).byGit}, {
		name: "delegate", run: func(s *site) error { return s.byDelegate(program) },
		leave: func(s *site) error {
			yes := []answer{{"Enter alone means", "yes"}, {"Enter answers yes", "\r"}}
			return s.talk(yes, program, "sync", "complete")
		}}}
	if given.sig != "" {
		sig := contestant{name: "sig", run: func(s *site) error { return s.bySig(given.sig) }}
		all = slices.Insert(all, 1, sig)
	}
	times := map[string][]time.Duration{}
	for range given.runs {
		for _, c := range all {
			s, err := newSite(t.Context(), t.TempDir(), agents)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if err := errors.Join(c.run(s), s.landed()); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			times[c.name] = append(times[c.name], time.Since(start))
			if c.leave != nil {
				if err := c.leave(s); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, c := range all {
		slices.Sort(times[c.name])
		all := times[c.name]
		row := []string{strconv.Itoa(agents), c.name, fmt.Sprintf("%d (%d to %d)", median(all).Milliseconds(),
			all[0].Milliseconds(), all[len(all)-1].Milliseconds()), ratio(all, times["git"]), ratio(all, times["sig"])}
		fmt.Printf("| %s |\n", strings.Join(row, " | "))
	}
}

func median(sorted []time.Duration) time.Duration { return sorted[len(sorted)/2] }

func ratio(of, to []time.Duration) string {
	if len(to) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", float64(median(of))/float64(median(to)))
}

// site is a fresh repository, and a home without anybody's settings.
type site struct {
	ctx          context.Context
	folder, repo string
	agents       int
	env          []string
}

func newSite(ctx context.Context, folder string, agents int) (*site, error) {
	s := &site{ctx: ctx, folder: folder, repo: filepath.Join(folder, "repo"), agents: agents}
	home := filepath.Join(folder, "home")
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GIT_") && !strings.HasPrefix(entry, "DELEGATE") {
			s.env = append(s.env, entry)
		}
	}
	s.env = append(s.env, "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "TERM=xterm",
		"XDG_CONFIG_HOME="+filepath.Join(home, ".config"))
	if err := errors.Join(os.MkdirAll(home, 0o755), os.MkdirAll(s.repo, 0o755)); err != nil {
		return nil, err
	}
	settings := "[user]\n\tname = A\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n"
	err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(settings), 0o644)
	for i := range 20 {
		err = errors.Join(err, s.write(fmt.Sprintf("d%d/f.txt", i), fmt.Sprintln(i)))
	}
	err = errors.Join(err, s.write(".delegate.yaml", configuration), s.write("agents/done.sh", done))
	return s, errors.Join(err, s.git("init", "-q"), s.git("add", "-A"), s.git("commit", "-qm", "base"))
}

func (s *site) write(name, text string) error {
	path := filepath.Join(s.repo, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func (s *site) git(args ...string) error { return s.command(s.repo, "git", args...) }

func (s *site) command(dir, name string, args ...string) error {
	cmd := exec.CommandContext(s.ctx, name, args...)
	cmd.Dir, cmd.Env = dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// landed holds that the work of all is on the branch.
func (s *site) landed() error {
	var err error
	for i := range s.agents {
		err = errors.Join(err, s.git("cat-file", "-e", fmt.Sprintf("main:w%d/made", i+1)))
	}
	return err
}

func (s *site) byGit() error {
	for i := range s.agents {
		n := strconv.Itoa(i + 1)
		tree := filepath.Join(s.folder, "w"+n)
		if err := s.git("worktree", "add", "-q", "-b", "w"+n, tree); err != nil {
			return err
		}
		at := filepath.Join(tree, "w"+n)
		if err := errors.Join(os.Mkdir(at, 0o755), os.WriteFile(filepath.Join(at, "made"), []byte("made\n"), 0o644),
			s.command(tree, "git", "add", "-A"), s.command(tree, "git", "commit", "-qm", "work "+n),
			s.git("merge", "-q", "--no-ff", "--no-edit", "w"+n)); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) bySig(program string) error {
	var tasks []string
	for i := range s.agents {
		tasks = append(tasks, fmt.Sprintf(`{"id": "w%d", "prompt": "w%[1]d", "files": ["w%[1]d/made"]}`, i+1))
	}
	file := filepath.Join(s.folder, "tasks.json")
	if err := os.WriteFile(file, []byte("["+strings.Join(tasks, ",")+"]"), 0o644); err != nil {
		return err
	}
	return s.command(s.repo, program, "run", "-repo", s.repo, "-base", "main", "-tasks", file, "-strategy", "overlay",
		"-lanes", "strict", "-parallel-agents", "8", "-agent", `mkdir -p "$SIGBOUND_TASK_ID"; echo made >"$SIGBOUND_TASK_ID/made"`)
}

const configuration = `max_parallel_agents: 8
agent: done
profiles:
  done:
    command: [sh, agents/done.sh]
`

// done is an agent that writes one file and says so.
const done = `d=w${DELEGATE_AGENT#AGT-00}
mkdir -p $d
echo made > $d/made
cat <<TEXT
═══════════════════════════════════════
AGENT CHECKPOINT: $DELEGATE_AGENT
═══════════════════════════════════════

Status: COMPLETE
Progress: 100%

## Changes Made
| File | Action | Description |
|------|--------|-------------|
| $d/made | created | it |

## Tests Run
- Executed: N
- Result: SKIPPED

## Blockers
None

## Questions for Parent
None

## Request
MERGE

═══════════════════════════════════════
TEXT
`

func (s *site) byDelegate(program string) error {
	plan := "# Delegation Plan: Agents that write a file\n\nTo see what a session takes.\n"
	for i := range s.agents {
		plan += fmt.Sprintf("\n## Subtask %d: Part %[1]d\n- **Description**: Write w%[1]d/made\n"+
			"- **Context**: Nothing.\n- **Allowed**: w%[1]d/**\n", i+1)
	}
	file := filepath.Join(s.folder, "plan.md")
	if err := os.WriteFile(file, []byte(plan), 0o644); err != nil {
		return err
	}
	var answers []answer
	for range s.agents {
		answers = append(answers, answer{"Enter alone means later", "yes"}, answer{"Enter answers yes", "\r"})
	}
	return errors.Join(s.talk([]answer{{"Start these agents?", "yes\r"}}, program, "-f", file),
		s.command(s.repo, program, "wait"), s.talk(answers, program, "sync"))
}

// answer is what a person types when a question is on the screen.
type answer struct{ question, text string }

// talk runs a command at a pseudo-terminal.
func (s *site) talk(answers []answer, name string, args ...string) error {
	cmd := exec.CommandContext(s.ctx, name, args...)
	cmd.Dir, cmd.Env = s.repo, s.env
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 160})
	if err != nil {
		return err
	}
	defer tty.Close()
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	var said, all []byte
	part := make([]byte, 64<<10)
	for {
		n, err := tty.Read(part)
		if err != nil { // it has ended
			break
		}
		said, all = append(said, part[:n]...), append(all, part[:n]...)
		for len(answers) > 0 {
			_, rest, asked := bytes.Cut(said, []byte(answers[0].question))
			if !asked {
				break
			}
			if _, err := tty.WriteString(answers[0].text); err != nil {
				return err
			}
			said, answers = rest, answers[1:]
		}
	}
	if err := cmd.Wait(); err != nil || len(answers) > 0 {
		return fmt.Errorf("%s %s: %w, %d answers left: %s", name, strings.Join(args, " "), err, len(answers), all)
	}
	return nil
}
