//go:build !windows

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestAgentWordsAreCompleted: whatever takes an agent, a reference, a session or a folder offers
// some, and every entry is of a command that is there.
func TestAgentWordsAreCompleted(t *testing.T) {
	a := &app{}
	root := a.rootCommand()
	left := a.wordCompletions()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "delegate ")
		_, words, _ := strings.Cut(c.Use, " ")
		if _, has := left[name]; !has &&
			strings.ContainsAny(strings.NewReplacer("AGT", "#", "REF", "#", "DEL-", "#", "DIR", "#").Replace(words),
				"#") {
			t.Errorf("the words of %q are not completed", c.Use)
		}
		delete(left, name)
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(root)
	for name := range left {
		t.Errorf("completions of %q, which is no command", name)
	}
}

// programFolder is a new folder with delegate in it: the test binary is that under this name, as in scripts.
func programFolder(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(program, filepath.Join(folder, "delegate")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestShellsComplete has real shells read the scripts and complete a line.
func TestShellsComplete(t *testing.T) {
	folder := programFolder(t)
	for shell, c := range map[string]struct {
		args []string
		// script is read by the shell with the completion script as $1, and prints the completions
		// of "delegate sync r" and "delegate conflicts --depth s".
		script string
	}{
		"bash": {[]string{"--norc", "--noprofile"}, `
			compopt() { :; }
			. "$1"
			ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMPREPLY=(); __start_delegate; printf '%s\n' "${COMPREPLY[@]}"; }
			ask delegate sync ro; ask delegate conflicts --depth=s`},
		"zsh": {[]string{"-f"}, `
			autoload -Uz compinit; compinit -u -D
			. "$1"
			_describe() { local name; for name in "$@"; do case $name in completions) print -l -- "${completions[@]}";; esac; done; }
			ask() { words=("$@"); CURRENT=$#; _delegate; }
			ask delegate sync ro; ask delegate conflicts --depth s`},
		"fish": {[]string{"--no-config"},
			`source $argv[1]; complete -C "delegate sync ro"; complete -C "delegate conflicts --depth s"`},
	} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip("not installed")
			}
			env := append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "HOME="+folder, "XDG_CONFIG_HOME="+folder,
				"XDG_DATA_HOME="+folder, "XDG_CACHE_HOME="+folder)
			write := exec.Command(filepath.Join(folder, "delegate"), "completion", shell)
			write.Env = env
			made, err := write.Output()
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, "made."+shell)
			if err := os.WriteFile(file, made, 0o600); err != nil {
				t.Fatal(err)
			}
			args := append(c.args, "-c", c.script)
			if shell != "fish" {
				args = append(args, shell)
			}
			cmd := exec.Command(shell, append(args, file)...)
			cmd.Env, cmd.Dir = env, folder
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{"rollback", "symbols"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q is not among the completions:\n%s", want, out)
				}
			}
			for _, not := range []string{"complete", "checked"} {
				if strings.Contains(string(out), not) && shell != "zsh" { // which filters by itself, later
					t.Errorf("%q is among the completions:\n%s", not, out)
				}
			}
		})
	}
}

// TestBashAloneCompletesFiles holds that bash without the package bash-completion offers the files
// and folders that fit, and says nothing into the line.
func TestBashAloneCompletesFiles(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("not installed")
	}
	folder := programFolder(t)
	for _, name := range []string{"plan one.md", "plan.txt", "plans/one.md"} {
		file := filepath.Join(folder, "here", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"delegate -f pl":      "plans\nplan one.md\n",
		"delegate --file=pl":  "plans\nplan one.md\n",
		"delegate -f plans/":  "plans/one.md\n",
		"delegate man pl":     "plans\n",
		"delegate man nobody": "",
	} {
		cmd := exec.Command("bash", "--norc", "--noprofile", "-c", `eval "$(delegate completion bash)"
			compopt() { :; }
			COMP_WORDS=($1) COMP_CWORD=$((${#COMP_WORDS[@]}-1)) COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
			__start_delegate
			((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"`, "bash", line)
		cmd.Env, cmd.Dir = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "HOME="+folder),
			filepath.Join(folder, "here")
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%q: %v\n%q, want %q", line, err, out, want)
		}
	}
}
