//go:build bench

package agents_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"delegate/internal/run"
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

// atOnce is how many programs are run at the same time: a case waits for most of its time.
const atOnce = 2

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
	var all []outcome
	versions := map[string]string{}
	programs := agents()
	done, faults := make([][]outcome, len(programs)), make([]error, len(programs))
	var wait sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i, p := range programs {
		wait.Go(func() {
			places <- struct{}{}
			done[i], faults[i] = b.every(ctx, p, o.chosen)
			<-places
		})
	}
	wait.Wait()
	if err := errors.Join(faults...); err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	for i, p := range programs {
		if len(done[i]) > 0 {
			all, versions[p.name] = append(all, done[i]...), b.version(ctx, p)
		}
	}
	if len(all) == 0 {
		return errors.Join(errNothing, os.RemoveAll(b.root))
	}
	fmt.Print("\n", table(all, versions))
	return b.close(all)
}

// every runs the chosen cases of one program, one after another, with a model of its own.
func (b bench) every(ctx context.Context, p program, chosen selection) (all []outcome, err error) {
	b.model = &journal{log: b.model.log}
	if b.address, err = serve(b.model); err != nil {
		return nil, err
	}
	for _, s := range scenes() {
		if !chosen.has(p.name, s.name) || !s.concerns(p) || !installed(b.bin, p) {
			continue
		}
		all = append(all, b.one(ctx, p, s))
		if ctx.Err() != nil {
			break
		}
	}
	return all, nil
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

// one runs a case and says at once what came of it.
func (b *bench) one(ctx context.Context, p program, s scene) outcome {
	begun := time.Now()
	t := &trial{bench: b, agent: p, scene: s, folder: filepath.Join(b.root, p.name+"-"+s.name)}
	b.model.begin()
	if err := t.begin(ctx); err != nil {
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
	fmt.Printf("%-8s %-9s %5.1fs  %s\n", p.name, s.name, time.Since(begun).Seconds(), word)
	for _, w := range t.wrong {
		fmt.Println("  " + w)
	}
	if reason := known()[done.name()]; reason != "" {
		fmt.Println("  known: " + reason)
	}
	return done
}

var versionNumber = regexp.MustCompile(`\d+(?:\.\d+)+`)

// version is the number that a program tells of itself, "?" if it tells none.
func (b *bench) version(ctx context.Context, p program) string {
	home := filepath.Join(b.root, "version-home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "?"
	}
	var out, beside bytes.Buffer
	err := run.Do(ctx, run.Command{Path: filepath.Join(b.bin, p.name), Args: []string{"--version"}, Dir: home,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home}, Stdout: &out, Stderr: &beside})
	if number := versionNumber.FindString(out.String() + "\n" + beside.String()); err == nil && number != "" {
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
