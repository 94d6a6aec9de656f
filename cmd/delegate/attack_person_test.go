//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// command is a program as the person starts it.
func (w *world) command(dir string, args ...string) *exec.Cmd {
	program := args[0]
	if path := filepath.Join(w.root, "bin", args[0]); !filepath.IsAbs(program) {
		if _, err := os.Stat(path); err == nil {
			program = path
		}
	}
	cmd := exec.Command(program, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + filepath.Join(w.root, "bin") + ":" + w.path,
		"HOME=" + filepath.Join(w.root, "home"), "TERM=xterm", "PAGER=cat", "LANG=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "SHELL=/bin/sh", "WORK=" + w.root,
		"GITHUB_TOKEN=SECRET", "AWS_SECRET_ACCESS_KEY=SECRET", "SSH_AUTH_SOCK=" + w.root + "/socket",
		"TMUX=" + w.root + "/tmux,1,0", "DBUS_SESSION_BUS_ADDRESS=unix:path=" + w.root + "/socket",
	}
	cmd.Env = append(cmd.Env, w.env...)
	cmd.ExtraFiles = w.open
	if os.Getuid() == 0 && w.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(w.uid), Gid: uint32(w.uid)}}
	}
	return cmd
}

// run runs a program as the person would, with its output on a file that nobody else waits for.
func (w *world) run(dir string, args ...string) (string, int) {
	return w.runWithin(patience, dir, args...)
}

func (w *world) runWithin(limit time.Duration, dir string, args ...string) (string, int) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	output, err := os.CreateTemp(filepath.Join(w.root, "out"), "")
	if err != nil {
		return err.Error(), -1
	}
	defer output.Close()
	cmd := w.command(dir, args...)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		return err.Error(), -1
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	code, err := ended(cmd.Wait())
	stop()
	data, readErr := os.ReadFile(output.Name())
	if err := errors.Join(err, readErr, os.Remove(output.Name())); err != nil {
		return err.Error(), -1
	}
	return string(data), code
}

// runOnTerminal is run for somebody who sits at a terminal, and answers with the bytes that came
// there. Nothing is typed.
func (w *world) runOnTerminal(dir string, args ...string) (string, int) {
	cmd := w.command(dir, args...)
	attr := cmd.SysProcAttr
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.Setsid, attr.Setctty = true, true
	screen, err := pty.StartWithAttrs(cmd, &pty.Winsize{Rows: 50, Cols: 160}, attr)
	if err != nil {
		return err.Error(), -1
	}
	defer screen.Close()
	timer := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var seen bytes.Buffer
	_, _ = seen.ReadFrom(screen) // ends with an error when the command does
	code, err := ended(cmd.Wait())
	if err != nil {
		return err.Error(), -1
	}
	return seen.String(), code
}

// agentState is what the rig reads of `delegate list --json`.
type agentState struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

func (w *world) states(t *testing.T) map[string]string {
	t.Helper()
	cmd := w.command(w.main(), "delegate", "list", "--json")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("delegate list: %v\n%s", err, out)
	}
	var list struct {
		Agents []agentState `json:"agents"`
	}
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, a := range list.Agents {
		states[a.ID] = a.Status
	}
	return states
}

func (w *world) awaitStates(t *testing.T, o worldOptions) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(w.root, "repo.delegate", "DEL-*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("session folders: %q, %v", found, err)
	}
	w.session = filepath.Base(found[0])
	want := map[string]string{attackedAgent: "COMPLETE", "AGT-002": "RUNNING", "AGT-003": "COMPLETE"}
	if o.turns {
		want[attackedAgent] = "RUNNING"
	}
	w.await(t, want)
}

func (w *world) await(t *testing.T, want map[string]string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		states := w.states(t)
		met := true
		for id, state := range want {
			met = met && states[id] == state
		}
		if met {
			return
		}
		if time.Now().After(deadline) {
			shown, _ := w.run(w.main(), "delegate", "show", attackedAgent)
			t.Fatalf("agents are %v, want %v\n%s", states, want, shown)
		}
		time.Sleep(30 * time.Millisecond)
	}
}
