//go:build bench && !windows

package agents_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"delegate/internal/sys/run"
)

const (
	limit   = 90 * time.Second // ends a turn that should have ended by itself
	silence = time.Second      // how long a stalled model is waited for before the program is ended
	grace   = 10 * time.Second
)

// ending is how a turn comes to its end.
type ending int

const (
	byItself    ending = iota
	interrupted        // as by Ctrl-C, when the model stalls
	killed             // without a chance to say anything, when the model stalls
)

// recorded is one recording of a program.
type recorded struct {
	name     string
	scenario string
	resume   string // scenario of a second turn in the same session, which is then the one recorded
	end      ending
}

func cases() []recorded {
	return []recorded{
		{name: "basic", scenario: "basic"},
		{name: "progress", scenario: "progress"},
		{name: "resume", scenario: "progress", resume: "resume"},
		{name: "denied", scenario: "denied"},
		{name: "silent", scenario: "silent"},
		{name: "limit", scenario: "limit"},
		{name: "exhausted", scenario: "exhausted"},
		{name: "stall", scenario: "stall", end: killed},
		{name: "interrupt", scenario: "stall", end: interrupted},
	}
}

// place is where one program lives during one case.
type place struct {
	root, worktree, repository, outside, home, tmp string
	bin, address                                   string
}

func (r recorder) one(ctx context.Context, p program, c recorded) error {
	at, err := r.settle(ctx)
	defer os.RemoveAll(at.root)
	if err != nil {
		return err
	}
	for name, text := range p.files(at) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	began := time.Now()
	out, exit, err := r.turn(ctx, p, at, c.end, p.start(at, at.prompt(c.scenario)))
	if err != nil {
		return err
	}
	if c.resume != "" {
		session := sessionOf(out)
		if session == "" {
			return fmt.Errorf("no session in %.300q", out)
		}
		out, exit, err = r.turn(ctx, p, at, byItself, p.resume(at, at.prompt(c.resume), session))
		if err != nil {
			return err
		}
	}
	file := filepath.Join(r.folder, p.name+"-"+c.name+".jsonl")
	fmt.Printf("%s: exit %d%s after %.1fs, %d bytes\n", filepath.Base(file), exit.Code, exit.Signal,
		time.Since(began).Seconds(), len(out))
	return os.WriteFile(file, at.mask(out), 0o644)
}

// settle makes a repository with a remote, a worktree of it, and the folders beside.
func (r recorder) settle(ctx context.Context) (place, error) {
	root, err := os.MkdirTemp("", "agents-")
	if err != nil {
		return place{}, err
	}
	at := place{root: root, worktree: root + "/tree/work", repository: root + "/repository", outside: root + "/outside",
		home: root + "/home", tmp: root + "/tmp", bin: r.bin, address: r.address}
	for _, folder := range []string{at.repository + "/src", at.outside, at.home, at.tmp} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return at, err
		}
	}
	if err := os.WriteFile(at.repository+"/src/start.txt", []byte("start\n"), 0o644); err != nil {
		return at, err
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "."},
		{"commit", "-q", "-m", "Start"},
		{"init", "-q", "--bare", root + "/origin.git"},
		{"remote", "add", "origin", root + "/origin.git"},
		{"worktree", "add", "-q", "-b", "delegate/AGT-001/work", at.worktree},
	} {
		if _, err := run.Output(ctx, run.Command{Path: "git", Args: args, Dir: at.repository,
			Env: at.environ()}); err != nil {
			return at, err
		}
	}
	return at, nil
}

// environ is the environment of everything that runs here; nothing of this process's own reaches a program but PATH.
func (at place) environ() []string {
	return []string{"PATH=" + at.bin + ":" + os.Getenv("PATH"), "HOME=" + at.home, "TMPDIR=" + at.tmp, "LANG=C.UTF-8",
		"TERM=dumb",
		"GIT_AUTHOR_NAME=Agent", "GIT_AUTHOR_EMAIL=agent@example.com", "GIT_COMMITTER_NAME=Agent",
		"GIT_COMMITTER_EMAIL=agent@example.com"}
}

func (at place) prompt(scenario string) string {
	return fmt.Sprintf("Do your part of the work, then report.\n[[scenario:%s]] [[var:cwd=%s]] [[var:agent=AGT-001]] "+
		"[[var:outside=%s]]\n",
		scenario, at.worktree, at.outside)
}

// turn runs a program to its end and returns all that it printed.
func (r recorder) turn(ctx context.Context, p program, at place, end ending, args []string) ([]byte, run.Exit, error) {
	var out bytes.Buffer
	child, err := run.Keep(run.Command{Path: filepath.Join(at.bin, p.name), Args: args, Dir: at.worktree,
		Env: append(at.environ(), p.env(at)...), Stdout: &out, Stderr: &out})
	if err != nil {
		return nil, run.Exit{}, err
	}
	var ends []func() // each calls one off, or waits for it: a late one would end what runs here next
	later := func(after time.Duration, do func()) {
		done := make(chan struct{})
		timer := time.AfterFunc(after, func() { defer close(done); do() })
		ends = append(ends, func() {
			if !timer.Stop() {
				<-done
			}
		})
	}
	stop := func(after, patience time.Duration) { later(after, func() { _ = child.Stop(patience) }) }
	stop(limit, grace)
	defer context.AfterFunc(ctx, func() { _ = child.Stop(grace) })()
	r.stalls.stalled(func() {
		switch end {
		case interrupted:
			later(silence, func() { _ = child.Interrupt() })
			stop(silence+grace, 0)
		case killed:
			stop(silence, 0)
		}
	})
	exit, err := child.Wait()
	r.stalls.stalled(nil) // from here on nothing is added
	for _, end := range ends {
		end()
	}
	if err != nil {
		return nil, exit, err
	}
	return out.Bytes(), exit, child.Clear("HOME="+at.home, grace)
}

var sessionID = regexp.MustCompile(`"(?:session_id|sessionID|sessionId|thread_id|version":\d+,"id)":"([^"]+)"`)

func sessionOf(out []byte) string {
	if found := sessionID.FindSubmatch(out); found != nil {
		return string(found[1])
	}
	return ""
}

var randomID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:ses|msg|prt)_[0-9A-Za-z]{20,}`)

// mask replaces what is of this machine and this run alone: the same text stands for the same thing
// all over a recording.
func (at place) mask(out []byte) []byte {
	var pairs []string
	for _, p := range [][2]string{
		{at.worktree, "/work-tree"}, {at.root, "/root-folder"}, {filepath.Dir(filepath.Dir(at.bin)), "/programs"},
		{at.address, "127.0.0.1:4000"},
	} {
		pairs = append(pairs, p[0], p[1], strings.ReplaceAll(p[0], "/", "-"), strings.ReplaceAll(p[1], "/", "-"))
	}
	out = []byte(strings.NewReplacer(pairs...).Replace(string(out)))
	seen := map[string]string{}
	return randomID.ReplaceAllFunc(out, func(id []byte) []byte {
		old := string(id)
		if _, found := seen[old]; !found {
			seen[old] = standIn(old, len(seen)+1)
		}
		return []byte(seen[old])
	})
}

// standIn is the n-th id of its recording, in the form of the old one.
func standIn(old string, n int) string {
	if kind, _, found := strings.Cut(old, "_"); found {
		return fmt.Sprintf("%s_%026d", kind, n)
	}
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
}
