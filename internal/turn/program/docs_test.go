package program_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/fence/guard"
	"delegate/internal/fence/sandbox"
	"delegate/internal/plan/setup"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/program"
)

func document(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDocumented holds that each program has its row in docs/agents.md, in the order in which they
// are tried, and stands wherever else the documents list programs.
func TestDocumented(t *testing.T) {
	agents, protocol, files, readme := document(t, "docs/agents.md"), document(t, "docs/protocol.md"),
		document(t, "docs/configuration.md"), document(t, "README.md")
	var rows []string
	for line := range strings.Lines(agents) {
		if _, rest, found := strings.Cut(line, "| asks the pre-tool hook |"); found && rest != "" {
			rows = []string{}
		}
		if name, isRow := strings.CutPrefix(line, "| `"); rows != nil && isRow {
			rows = append(rows, "| `"+name)
		} else if len(rows) > 0 {
			break
		}
	}
	all := program.All()
	if len(rows) != len(all) {
		t.Fatalf("docs/agents.md has %d rows of programs, and there are %d", len(rows), len(all))
	}
	words := []string{"", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven",
		"Twelve", "Thirteen"}
	if count := words[len(all)] + " are built in"; !strings.Contains(agents, count) {
		t.Errorf("docs/agents.md does not say %q", count)
	}
	for i, p := range all {
		for what, cell := range map[string]string{
			"name": "| `" + p.Name + "` |", "output": output(p), "resuming": resuming(p), "hook": hook(p),
			"test": test(p),
		} {
			if !strings.Contains(rows[i], cell) {
				t.Errorf("docs/agents.md, row %d, %s of %s: %q is not in %q", i+1, what, p.Name, cell, rows[i])
			}
		}
		if p.Tested != "" && !strings.Contains(readme, p.Name) {
			t.Errorf("README.md does not name %s", p.Name)
		}
		for _, f := range setup.CommandFiles(p.Name) {
			short := path.Base(f.Path) // behind the whole path of another command of the same program
			if path.Base(path.Dir(f.Path)) != "commands" {
				short = path.Join(path.Base(path.Dir(f.Path)), short)
			}
			if !strings.Contains(files, "`"+f.Path+"`") && !strings.Contains(files, "`"+short+"`") {
				t.Errorf("docs/configuration.md does not name %s", f.Path)
			}
		}
		if p.Hook != nil && !strings.Contains(dialects(protocol), "`"+p.Name+"`") {
			t.Errorf("docs/protocol.md does not list the dialect %s of `delegate hook`", p.Name)
		}
	}
}

func output(p program.Program) string {
	if p.Output == dialect.EventLines {
		return "| events"
	}
	return "| text |"
}

func resuming(p program.Program) string {
	if len(p.Resume) == 0 {
		return "| no |"
	}
	return "| `"
}

func hook(p program.Program) string {
	if p.Hook == nil {
		return "| no"
	}
	return "| yes"
}

func test(p program.Program) string {
	if p.Tested == "" {
		return "| untested"
	}
	return "| run here |"
}

// dialects is the line of docs/protocol.md that lists them.
func dialects(protocol string) string {
	for line := range strings.Lines(protocol) {
		if strings.Contains(line, "Dialects are ") {
			return line
		}
	}
	return ""
}

// TestPlacesOfAProgram holds that each program is known where others must not reach it: its logins
// are hidden, its names are refused in shell text, and its tools mean one thing.
func TestPlacesOfAProgram(t *testing.T) {
	hidden, kinds := sandbox.Credentials(), map[string]string{}
	for _, p := range program.All() {
		for _, login := range slices.Concat(p.Credentials, p.Hidden) {
			if !slices.Contains(hidden, login) {
				t.Errorf("%s of %s is not hidden from agents", login, p.Name)
			}
		}
		for _, name := range append(p.Aliases, p.Name, p.Command[0]) {
			v, err := guard.Decide(guard.Policy{}, guard.Call{Tool: "Bash", Command: "npx " + name + " --help"})
			if err != nil || v.Allowed {
				t.Errorf("an agent may start %s: %+v, %v", name, v, err)
			}
		}
		for kind, names := range map[string][]string{"start": p.Tools.Start, "write": p.Tools.Write,
			"patch": p.Tools.Patch, "shell": p.Tools.Shell, "read": p.Tools.Read, "look": p.Tools.Look} {
			for _, name := range names {
				if known := kinds[name]; known != "" && known != kind {
					t.Errorf("tool %s of %s does two things: %s and %s", name, p.Name, known, kind)
				}
				kinds[name] = kind
			}
		}
		if p.Hook != nil {
			policy := guard.Policy{Worktree: "/w/work", AgentDir: "/w/desk", Home: "/w/home", Tmp: "/w/tmp"}
			if err := refuses(p.Name, policy); err != nil {
				t.Error(err)
			}
		}
		if p.Login == "" || len(p.Command) == 0 {
			t.Errorf("%s has no command, or nothing says how a person logs in", p.Name)
		}
	}
}

// refuses is nil if the hook of the dialect refuses what it must.
func refuses(name string, policy guard.Policy) error {
	payload, err := guard.Probe(name, policy)
	if err != nil {
		return err
	}
	call, err := guard.Parse(name, payload)
	if err != nil {
		return err
	}
	policy.Allowed = []string{"src/**"}
	if v, err := guard.Decide(policy, call); err != nil || v.Allowed {
		return fmt.Errorf("%s may write outside of its scope: %+v, %v", name, v, err)
	}
	if answer, err := guard.Refusal(name, "no"); err != nil || !strings.Contains(string(answer), "deny") {
		return fmt.Errorf("%s is refused by %q, %v", name, answer, err)
	}
	return nil
}

// TestHostsAreDocumented holds that docs/agents.md names the hosts of programs with one provider.
func TestHostsAreDocumented(t *testing.T) {
	agents := document(t, "docs/agents.md")
	for _, p := range program.All() {
		if slices.Contains(p.Hosts, "openrouter.ai") {
			continue // of many, whose own hosts are in other rows
		}
		for _, host := range p.Hosts {
			if !strings.Contains(agents, "`"+host+"`") {
				t.Errorf("docs/agents.md does not name %s of %s", host, p.Name)
			}
		}
	}
}
