package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/intake/takeover"
	"delegate/internal/land/suite"
	"delegate/internal/project/config"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/text/shorten"
)

// Result is what the verify commands said.
type Result string

// The results. NoCommands: there are none, so nothing was tested.
const (
	Pass       Result = "pass"
	Fail       Result = "fail"
	NoCommands Result = "none"
)

// Outcome is one verification of one tree.
type Outcome struct {
	Result   Result        `json:"result"`
	Command  string        `json:"command,omitempty"` // the one that failed
	Reason   string        `json:"reason,omitempty"`
	TimedOut bool          `json:"timed_out,omitempty"` // that is why it failed
	Output   string        `json:"output,omitempty"`    // file with everything the commands printed
	Took     time.Duration `json:"took_ns"`
	Flaky    []Flake       `json:"flaky,omitempty"` // commands that pass now and did not before, on the same tree
	Cached   bool          `json:"-"`               // nothing was run: the answer was known
	Runs     int           `json:"-"`               // how often the commands were run for it
	Commands []string      `json:"-"`               // those that were run, or of which it was known
	// Detected are, where none are configured, the commands that `verify: detect` would run.
	Detected []string `json:"-"`
	passed   []passing
}

// Tested says in a row of the record how a verification ended, and by which commands.
func Tested(result string, commands []string) string {
	if len(commands) == 0 {
		return "tests " + result
	}
	return "tests " + result + " (" + shorten.Runes(OneLine(strings.Join(commands, "; ")), 120) + ")"
}

// Flake is a command that failed, and passed when it was run again on the same tree.
type Flake struct {
	Command string `json:"command"`
	Reason  string `json:"reason"`
	Output  string `json:"output"` // file with what it printed when it failed
}

// String is one sentence for people.
func (f Flake) String() string {
	return fmt.Sprintf("%q failed (%s) and passed when it was run again; its first output is in %s", f.Command,
		f.Reason, f.Output)
}

// passing is a command that passed, with how long it took.
type passing struct {
	line string
	took time.Duration
}

// Commands are those that verify a commit: the configured ones, or with `verify: detect` those that
// its files call for. None where nothing is configured.
func (p *Project) Commands(ctx context.Context, commit string) ([]suite.Command, error) {
	if p.Config.VerifyDetect {
		return p.detected(ctx, commit)
	}
	var all []suite.Command
	for _, line := range p.Config.Verify {
		all = append(all, suite.Command{Line: line, Why: config.FileName})
	}
	return all, nil
}

// Verifies says whether the configuration wants trees to be tested.
func (p *Project) Verifies() bool { return p.Config.VerifyDetect || len(p.Config.Verify) > 0 }

// detected is what the files of a commit call for. A tree is looked at once: a candidate is built again to be merged.
func (p *Project) detected(ctx context.Context, commit string) (all []suite.Command, err error) {
	id, err := p.Repo.TreeOf(ctx, commit)
	if known, ok := p.tests.Load(id); ok && err == nil {
		return known.([]suite.Command), nil
	}
	if err == nil {
		err = p.onTree(ctx, commit, func(tree fs.FS) error {
			all, err = suite.Detect(tree)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("detect how %.12s is tested: %w", commit, err)
	}
	p.tests.Store(id, slices.Clip(all))
	return all, nil
}

func (p *Project) onTree(ctx context.Context, commit string, look func(fs.FS) error) error {
	objects := objects.New(p.Repo)
	return errors.Join(look(objects.Tree(ctx, commit)), objects.Close())
}

// Verify runs the verify commands on a commit in a scratch checkout. A failing command is an Outcome, not an error.
func (p *Project) Verify(ctx context.Context, commit string) (Outcome, error) {
	all, err := p.Commands(ctx, commit)
	if err != nil {
		return Outcome{}, err
	}
	switch {
	case len(all) > 0:
		return p.VerifyOnly(ctx, commit, all)
	case p.Verifies():
		return Outcome{Result: NoCommands, Reason: "nothing in this tree says how it is tested"}, nil
	}
	could, err := p.detected(ctx, commit)
	if err != nil {
		could = nil // it is a hint, and nothing depends on it
	}
	return Outcome{Result: NoCommands, Detected: suite.Lines(could)}, nil
}

// VerifyOnly runs these commands on a commit in a scratch checkout, in their order.
//
// A command that passed on the same tree is not run again, unless one behind it fails, which may
// need what it makes. A failure is believed when the commands fail once more, from the first of
// them and in a checkout made anew; if they pass then, the Outcome says who is flaky. What went
// over the time limit is not tried again. A pass is remembered for good, a failure by this Project
// alone: who mended the machine gets a new run from the next command line.
func (p *Project) VerifyOnly(ctx context.Context, commit string, all []suite.Command) (Outcome, error) {
	if len(all) == 0 {
		return Outcome{Result: NoCommands}, nil
	}
	tree, err := p.subject(ctx, commit)
	if err != nil {
		return Outcome{}, err
	}
	lines := suite.Lines(all)
	known, open := p.known(tree, lines)
	if known.Commands = lines; len(open) == 0 {
		return known, nil
	}
	key := p.verifyKey(tree, lines...)
	if failed, ok := p.failed.Load(key); ok {
		o := failed.(Outcome)
		o.Cached, o.Runs = true, 0
		return o, nil
	}
	if p.Verifying != nil {
		defer p.Verifying(all)()
	}
	o, err := p.tried(ctx, tree, commit, lines, open, filepath.Join(p.Private, "verified", key))
	if err != nil {
		return Outcome{}, err
	}
	o.Flaky, o.Commands = append(known.Flaky, o.Flaky...), lines
	if o.Result == Fail {
		p.failed.Store(key, o)
	}
	return o, nil
}

// tried runs the commands on a commit until it is clear what they say, and notes what passed on the
// tree, which is the commit's subject. Of those in open it is not known; output goes to the file
// log, without its ending.
func (p *Project) tried(ctx context.Context, tree, commit string, lines, open []string,
	log string) (Outcome, error) {
	runs := 0
	run := func(lines []string) (Outcome, error) {
		runs++
		o, err := p.RunOn(ctx, commit, lines, log+".log")
		o.Runs = runs
		return o, err
	}
	if len(open) < len(lines) {
		if o, err := run(open); err != nil || o.Result == Pass {
			return o, errors.Join(err, p.notePasses(tree, o))
		}
	}
	first, err := run(lines)
	if err != nil || first.Result == Pass || first.TimedOut {
		return first, errors.Join(err, p.notePasses(tree, first))
	}
	kept := log + ".first.log"
	if err := os.Rename(log+".log", kept); err != nil {
		return Outcome{}, fmt.Errorf("keep output of verify commands: %w", err)
	}
	again, err := run(lines)
	if err != nil {
		return Outcome{}, err
	}
	if again.Result == Pass {
		again.Flaky = []Flake{{Command: first.Command, Reason: first.Reason, Output: kept}}
	}
	return again, p.notePasses(tree, again)
}

// subject is what commands are run on: the commit's tree, with the files that are copied into every checkout.
func (p *Project) subject(ctx context.Context, commit string) (string, error) {
	tree, err := p.Repo.TreeOf(ctx, commit)
	if err != nil {
		return "", err
	}
	list, err := p.CopyList(ctx)
	if err != nil || len(list) == 0 {
		return tree, err
	}
	stamp, err := (&takeover.Checkout{Path: p.Main, Repo: p.Repo}).CopyStamp(p.Main, list)
	return tree + stamp, err
}

// verifyKey names what is noted about command lines on a tree.
func (p *Project) verifyKey(tree string, lines ...string) string {
	sum := sha256.New()
	sum.Write([]byte(tree))
	fmt.Fprintf(sum, "%+v", p.Config.Sandbox) // what passes with a network may fail without
	for _, line := range lines {
		sum.Write([]byte("\x00" + line))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// passNote is the file that remembers that a command line passed on a tree.
func (p *Project) passNote(tree, line string) string {
	return filepath.Join(p.Private, "verified", p.verifyKey(tree, line))
}

// notePasses remembers the commands that passed. Which of them was flaky is a part of that.
func (p *Project) notePasses(tree string, o Outcome) error {
	for _, c := range o.passed {
		note := Outcome{Result: Pass, Output: o.Output, Took: c.took}
		for _, f := range o.Flaky {
			if f.Command == c.line {
				note.Flaky = append(note.Flaky, f)
			}
		}
		if err := atomicfile.WriteJSON(p.passNote(tree, c.line), note); err != nil {
			return err
		}
	}
	return nil
}

// known is what is remembered of the commands on a tree, and those of which nothing is.
func (p *Project) known(tree string, lines []string) (Outcome, []string) {
	all := Outcome{Result: Pass, Cached: true}
	var open []string
	for _, line := range lines {
		var o Outcome
		if atomicfile.ReadJSON(p.passNote(tree, line), &o) != nil || o.Result != Pass {
			open = append(open, line)
			continue
		}
		all.Took += o.Took
		all.Output = o.Output
		all.Flaky = append(all.Flaky, o.Flaky...)
	}
	return all, open
}

// ChangedPaths are the paths that differ between two commits, also those that are gone.
func (p *Project) ChangedPaths(ctx context.Context, from, to string) ([]string, error) {
	files, err := p.Repo.Changes(ctx, from, to, git.RawEntries)
	if err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(files))
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths, nil
}

// Passed is what is remembered of verify commands on a commit's tree, and whether each of them
// passed there. Nothing is run. Without lines they are those of the configuration as it is now.
func (p *Project) Passed(ctx context.Context, commit string, lines []string) (Outcome, bool) {
	if len(lines) == 0 {
		all, err := p.Commands(ctx, commit)
		if err != nil {
			return Outcome{}, false
		}
		lines = suite.Lines(all)
	}
	tree, err := p.subject(ctx, commit)
	if err != nil || len(lines) == 0 {
		return Outcome{}, false
	}
	o, open := p.known(tree, lines)
	return o, len(open) == 0
}
