//go:build bench && !windows

package agents_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"delegate/internal/sys/run"
)

// bench is one run of all chosen cases through delegate.
type bench struct {
	root     string // of everything it makes
	bin      string // where the programs are
	delegate string // the one that was built
	address  string // of the model, host:port
	model    *journal
	keep     bool
}

// atOnce is how many cases are run at the same time: one waits for most of its time.
const atOnce = 6

// outcome is what one case came to.
type outcome struct {
	program, scenario string
	wrong             []string
}

// known are the faults that have a reason outside of this project, "PROGRAM SCENARIO", each with the reason.
func known() map[string]string { return map[string]string{} }

var (
	errWrong   = errors.New("something was wrong")
	errNothing = errors.New("no case was run: no such program is installed, or it has no such scenario")
)

func runAll(ctx context.Context, o options, b bench) error {
	if err := b.prepare(ctx); err != nil {
		return errors.Join(err, os.RemoveAll(b.root))
	}
	all := b.every(ctx, o.chosen)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(all) == 0 {
		return errors.Join(errNothing, os.RemoveAll(b.root))
	}
	versions := map[string]string{}
	for _, p := range agents() {
		if slices.ContainsFunc(all, func(o outcome) bool { return o.program == p.name }) {
			versions[p.name] = b.version(ctx, p)
		}
	}
	fmt.Print("\n", table(all, versions))
	return b.close(all)
}

// every runs the chosen cases, those of one scene beside each other, so that what the machine does at a time differs.
func (b bench) every(ctx context.Context, chosen selection) []outcome {
	var (
		mu   sync.Mutex // guards all
		all  []outcome
		wait sync.WaitGroup
	)
	places := make(chan struct{}, atOnce)
	programs := slices.DeleteFunc(agents(), func(p program) bool { return !installed(b.bin, p) })
	for _, s := range scenes() {
		for _, p := range programs {
			if !chosen.has(p.name, s.name) || !s.concerns(p) || ctx.Err() != nil {
				continue
			}
			places <- struct{}{}
			wait.Go(func() {
				done := b.one(ctx, p, s)
				<-places
				mu.Lock()
				defer mu.Unlock()
				all = append(all, done)
			})
		}
	}
	wait.Wait()
	return all
}

// close gives the verdict on all cases, and removes what was made if nothing of it is to be kept.
func (b *bench) close(all []outcome) (verdict error) {
	kept := b.keep
	for _, done := range all {
		if len(done.wrong) == 0 {
			continue
		}
		kept = true
		if known()[done.name()] == "" {
			verdict = errWrong
		}
	}
	if kept {
		return verdict
	}
	return os.RemoveAll(b.root)
}

// prepare builds delegate.
func (b *bench) prepare(ctx context.Context) (err error) {
	if b.root, err = os.MkdirTemp("", "agents-"); err != nil {
		return err
	}
	b.delegate = filepath.Join(b.root, "bin", "delegate")
	overlay, err := shortPauses(b.root)
	if err != nil {
		return err
	}
	if err := run.Do(ctx, run.Command{Path: "go",
		Args: []string{"build", "-overlay", overlay, "-o", b.delegate, "./cmd/delegate"}}); err != nil {
		return fmt.Errorf("build delegate: %w", err)
	}
	return nil
}

// shortPauses has the build take a second for the first pause after a fault of the network.
func shortPauses(folder string) (overlay string, err error) {
	const (
		name  = "internal/supervise/hold.go"
		usual = "const faultPause = 30 * time.Second\n"
		short = "const faultPause = time.Second\n"
	)
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	if bytes.Count(text, []byte(usual)) != 1 {
		return "", fmt.Errorf("%s has no line %q", name, usual)
	}
	other, overlay := filepath.Join(folder, "hold.go"), filepath.Join(folder, "overlay.json")
	err = os.WriteFile(other, bytes.Replace(text, []byte(usual), []byte(short), 1), 0o600)
	if err == nil {
		err = os.WriteFile(overlay, []byte(encode(object{"Replace": object{name: other}})), 0o600)
	}
	return overlay, err
}

func (o outcome) name() string { return o.program + " " + o.scenario }

// one runs a case, with a model of its own, and says at once what came of it.
func (b bench) one(ctx context.Context, p program, s scene) outcome {
	begun := time.Now()
	b.model = &journal{log: b.model.log}
	t := &trial{bench: &b, agent: p, scene: s, folder: filepath.Join(b.root, p.name+"-"+s.name)}
	model, err := serve(b.model)
	if err == nil {
		defer model.Close()
		b.address = model.Addr
		err = t.begin(ctx)
	}
	if err != nil {
		t.fault("begin: %v", err)
	} else {
		s.play(ctx, t)
		t.end(context.WithoutCancel(ctx))
	}
	done := outcome{p.name, s.name, t.wrong}
	word := "ok"
	switch {
	case len(t.wrong) > 0:
		word = "wrong, kept in " + t.folder
	case !b.keep:
		if err := os.RemoveAll(t.folder); err != nil {
			fmt.Fprintln(os.Stderr, "agents:", err)
		}
	}
	var said strings.Builder
	fmt.Fprintf(&said, "%-8s %-9s %5.1fs  %s\n", p.name, s.name, time.Since(begun).Seconds(), word)
	for _, w := range t.wrong {
		said.WriteString("  " + w + "\n")
	}
	if reason := known()[done.name()]; reason != "" {
		said.WriteString("  known: " + reason + "\n")
	}
	fmt.Print(said.String())
	return done
}

var versionNumber = regexp.MustCompile(`\d+(?:\.\d+)+`)

// version is the number that a program tells of itself, "?" if it tells none.
func (b *bench) version(ctx context.Context, p program) string {
	home := filepath.Join(b.root, "version-home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "?"
	}
	var out, stderr bytes.Buffer
	err := run.Do(ctx, run.Command{Path: filepath.Join(b.bin, p.name), Args: []string{"--version"}, Dir: home,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home}, Stdout: &out, Stderr: &stderr})
	if number := versionNumber.FindString(out.String() + "\n" + stderr.String()); err == nil && number != "" {
		return number
	}
	return "?"
}

// table shows outcomes in Markdown: a row for each program, a column for each scenario.
func table(all []outcome, versions map[string]string) string {
	words := map[string]string{}
	for _, o := range all {
		switch {
		case len(o.wrong) == 0:
			words[o.name()] = "ok"
		case known()[o.name()] != "":
			words[o.name()] = "known"
		default:
			words[o.name()] = "wrong"
		}
	}
	var b strings.Builder
	b.WriteString("| program | version |")
	rule := "|---|---|"
	for _, s := range scenes() {
		fmt.Fprintf(&b, " %s |", s.name)
		rule += "---|"
	}
	b.WriteString("\n" + rule + "\n")
	for _, p := range agents() {
		if versions[p.name] == "" {
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s |", p.name, versions[p.name])
		for _, s := range scenes() {
			word := words[p.name+" "+s.name]
			if word == "" {
				word = "–"
			}
			fmt.Fprintf(&b, " %s |", word)
		}
		b.WriteString("\n")
	}
	return b.String()
}
