//go:build bench

package agents_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
	for _, p := range agents() {
		for _, s := range scenes() {
			if !o.chosen.has(p.name, s.name) || !s.concerns(p) || !installed(b.bin, p) {
				continue
			}
			if versions[p.name] == "" {
				versions[p.name] = b.version(ctx, p)
			}
			done := b.one(ctx, p, s)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			all = append(all, done)
		}
	}
	if len(all) == 0 {
		return errors.Join(errNothing, os.RemoveAll(b.root))
	}
	fmt.Print("\n", table(all, versions))
	return b.close(all)
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

// prepare builds delegate and starts the model.
func (b *bench) prepare(ctx context.Context) (err error) {
	if b.root, err = os.MkdirTemp("", "agents-"); err != nil {
		return err
	}
	b.delegate = filepath.Join(b.root, "bin", "delegate")
	if err := run.Do(ctx, run.Command{Path: "go",
		Args: []string{"build", "-o", b.delegate, "./cmd/delegate"}}); err != nil {
		return fmt.Errorf("build delegate: %w", err)
	}
	b.address, err = serve(b.model)
	return err
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
	out, err := run.Output(ctx, run.Command{Path: filepath.Join(b.bin, p.name), Args: []string{"--version"}, Dir: home,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home}})
	if number := versionNumber.Find(out); err == nil && number != nil {
		return string(number)
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
