package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/sys/run"

	"github.com/spf13/cobra"
)

// hangingGit says by a file that it was called, and never answers.
const hangingGit = `#!/bin/sh
: > "$CALLED"
exec sleep 300
`

// TestEveryCommandEndsBySignal runs each command where git never answers, and tells it to end.
func TestEveryCommandEndsBySignal(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("delegate")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(hangingGit), 0o755); err != nil {
		t.Fatal(err)
	}
	waited := 0
	for _, words := range everyCommand((&app{}).rootCommand()) {
		name := strings.Join(words, "_")
		t.Run(name, func(t *testing.T) {
			called := filepath.Join(dir, name)
			c := exec.Command(program, words...)
			c.Dir = t.TempDir()
			c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "CALLED="+called, "HOME="+c.Dir,
				"TMPDIR="+c.Dir)
			hung, err := endedBySignal(c, called)
			if err != nil {
				t.Fatalf("delegate %s: %v", strings.Join(words, " "), err)
			}
			if hung {
				waited++
			}
		})
	}
	if waited < 30 {
		t.Errorf("only %d commands were waiting for git when they were told to end", waited)
	}
}

// endedBySignal starts a command, tells it to end once the file is there, and reports whether it
// came so far: a command may end by itself.
func endedBySignal(c *exec.Cmd, called string) (hung bool, err error) {
	if err := c.Start(); err != nil {
		return false, err
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		select {
		case <-done:
			return false, nil
		default:
		}
		if _, err := os.Stat(called); err == nil {
			break
		}
		if time.Now().After(deadline) {
			return false, errors.Join(errors.New("it neither ended nor called git"), c.Process.Kill())
		}
	}
	children := run.Descendants(c.Process.Pid)
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		return true, err
	}
	select {
	case err := <-done:
		if code, _ := ended(err); code != exitInterrupted {
			return true, fmt.Errorf("it ended with %d, want %d", code, exitInterrupted)
		}
	case <-time.After(patience): // the program gives itself 0.7 s; a machine may be busy
		return true, errors.Join(errors.New("it went on"), c.Process.Kill())
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		left := false
		for _, p := range children {
			left = left || syscall.Kill(p.PID, 0) == nil
		}
		if !left {
			return true, nil
		}
		if time.Now().After(deadline) {
			return true, errors.New("its git was left running")
		}
	}
}

var placeholder = regexp.MustCompile(`^"?[A-Z]`)

// everyCommand lists the words of each command that does something, with a word for each argument that it needs.
func everyCommand(c *cobra.Command) (all [][]string) {
	for _, child := range c.Commands() {
		all = append(all, everyCommand(child)...)
	}
	if !c.Runnable() {
		return all
	}
	words := strings.Fields(c.CommandPath())[1:]
	_, arguments, _ := strings.Cut(c.Use, " ")
	for word := range strings.FieldsSeq(arguments) {
		if placeholder.MatchString(word) {
			words = append(words, "AGT-001")
		}
	}
	return append(all, words)
}
