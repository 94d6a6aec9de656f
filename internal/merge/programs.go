package merge

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"delegate/conflict"
	"delegate/internal/project"
	"delegate/internal/run"
)

// program is a compiler or type checker that is installed or not.
type program struct {
	name  string
	reads []string // endings of the files that it looks at
	needs string   // file at the root without which it does not know the project; "" for none
	// trusting programs run code of the repository (build scripts, plugins), so they are used only where the configuration names them.
	trusting bool
	// args are the arguments for the files in question, of which only those that exist are given.
	args func(files []string) []string
	// problem finds path, line and message in its output.
	problem *regexp.Regexp
	// missing tells messages that say that something could not be loaded.
	missing *regexp.Regexp
}

// programs are those that can be named in the configuration.
func programs() []program {
	whole := func(args ...string) func([]string) []string { return func([]string) []string { return args } }
	with := func(args ...string) func([]string) []string {
		return func(files []string) []string { return append(args, files...) }
	}
	return []program{
		{
			name: "tsc", reads: []string{".ts", ".tsx", ".mts", ".cts"}, needs: "tsconfig.json",
			args:    whole("--noEmit", "--pretty", "false", "--project", "."),
			problem: regexp.MustCompile(`(?m)^(.+?)\((\d+),\d+\): error (TS\d+: .*)$`),
			missing: regexp.MustCompile(`^TS(2307|2688|7016|2792)\b`),
		},
		{
			name: "pyright", reads: []string{".py", ".pyi"}, args: with(),
			problem: regexp.MustCompile(`(?m)^\s*(.+?):(\d+):\d+ - error: (.*)$`),
			missing: regexp.MustCompile(`reportMissing(Import|ModuleSource)`),
		},
		{
			name: "javac", reads: []string{".java"}, args: javaArgs,
			problem: regexp.MustCompile(`(?m)^(.+?\.java):(\d+): error: (.*(?:\n.*\n.*\n  symbol: .*)?)$`),
			missing: regexp.MustCompile(`^package .* does not exist`),
		},
		{
			name: "mypy", reads: []string{".py", ".pyi"}, trusting: true,
			args:    with("--no-color-output", "--no-error-summary", "--hide-error-context"),
			problem: regexp.MustCompile(`(?m)^(.+?):(\d+): error: (.*)$`),
			missing: regexp.MustCompile(`\[import-(not-found|untyped)\]$`),
		},
		{
			name: "cargo", reads: []string{".rs"}, needs: "Cargo.toml", trusting: true,
			args:    whole("check", "--offline", "--quiet", "--workspace", "--all-targets", "--message-format", "short"),
			problem: regexp.MustCompile(`(?m)^(.+?):(\d+):\d+: error(?:\[E\d+\])?: (.*)$`),
			missing: regexp.MustCompile(`can't find crate`),
		},
		{
			name: "phpstan", reads: []string{".php"}, trusting: true, args: with("analyse", "--no-progress", "--error-format", "raw"),
			problem: regexp.MustCompile(`(?m)^(.+?):(\d+):(.*)$`),
			missing: regexp.MustCompile(`not found.*(discovering|autoload)`),
		},
	}
}

// javaArgs compiles the files in question and what they need from the source folders that they stand in.
func javaArgs(files []string) []string {
	roots := []string{"."}
	for _, f := range files {
		for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
			roots = append(roots, dir)
		}
	}
	slices.Sort(roots)
	args := []string{"-proc:none", "-implicit:none", "-Xmaxerrs", "1000", "-d", ".delegate-classes", "-sourcepath", strings.Join(slices.Compact(roots), string(filepath.ListSeparator))}
	return append(args, files...)
}

// installed are the checkers by programs that may be used here.
func (b *Builder) installed() []conflict.Checker {
	var all []conflict.Checker
	for _, p := range programs() {
		named := slices.Contains(b.p.Config.Confirm, p.name)
		if !named && (b.p.Config.Confirm != nil || p.trusting) {
			continue
		}
		binary := p.find(b.p.Main)
		if binary == "" {
			continue
		}
		all = append(all, conflict.Checker{
			Name:    p.name,
			Endings: p.reads,
			Check: func(ctx context.Context, tree conflict.Tree, paths []string) (conflict.Report, error) {
				return b.ask(ctx, p, binary, question{tree, paths})
			},
		})
	}
	return all
}

// find is where the program is: in the person's PATH, or among the tools of the project in the person's own checkout.
func (p program) find(main string) string {
	if found, err := run.Which(p.name, main, os.Getenv("PATH")); err == nil {
		return found
	}
	for _, folder := range []string{"node_modules/.bin", ".venv/bin", "vendor/bin"} {
		if found, err := run.Which(folder+"/"+p.name, main, ""); err == nil {
			return found
		}
	}
	return ""
}

// question is what a program is asked about.
type question struct {
	tree  conflict.Tree
	paths []string
}

// ask lets the program look at one tree, written out to a folder away from every checkout.
func (b *Builder) ask(ctx context.Context, p program, binary string, q question) (conflict.Report, error) {
	if p.needs != "" {
		if _, err := fs.Stat(q.tree.FS, p.needs); err != nil {
			return conflict.Report{Unresolved: []string{p.needs}}, nil
		}
	}
	if err := b.open(); err != nil {
		return conflict.Report{}, err
	}
	folder := filepath.Join(b.scratch, "tree")
	tree, err := b.made(ctx, q.tree.ID)
	if err != nil {
		return conflict.Report{}, err
	}
	if err := b.held.WriteOut(ctx, tree, folder); err != nil {
		return conflict.Report{}, err
	}
	b.lend(folder)
	var files []string
	for _, name := range q.paths {
		if info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); err == nil && !info.IsDir() && slices.Contains(p.reads, path.Ext(name)) {
			files = append(files, filepath.FromSlash(name))
		}
	}
	if len(files) == 0 {
		return conflict.Report{}, nil
	}
	limited := ctx
	if limit := b.p.Config.ConfirmTimeout; !limit.Off() {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit.Value())
		defer cancel()
	}
	var out bytes.Buffer
	err = run.Group(limited, run.Command{Path: binary, Args: p.args(files), Dir: folder, Stdout: &out, Stderr: &out, Env: project.Environ()})
	if err != nil && run.ExitCode(err) <= 0 {
		return conflict.Report{}, err
	}
	report := p.read(out.String(), folder)
	if err != nil && len(report.Problems) == 0 && len(report.Unresolved) == 0 {
		return conflict.Report{}, fmt.Errorf("%s: %w: %s", p.name, err, firstLine(out.String()))
	}
	return report, nil
}

// lend makes what the person has installed for the project readable in the folder, as far as git does not track it.
func (b *Builder) lend(folder string) {
	for _, name := range []string{"node_modules", ".venv", "vendor"} {
		there := filepath.Join(b.p.Main, name)
		if _, err := os.Stat(there); err != nil {
			continue
		}
		if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
			_ = os.Symlink(there, filepath.Join(folder, name)) // without it the program says what it misses
		}
	}
}

// read finds the problems in what the program printed.
func (p program) read(out, folder string) conflict.Report {
	var r conflict.Report
	for _, m := range p.problem.FindAllStringSubmatch(out, -1) {
		name := filepath.ToSlash(strings.TrimPrefix(m[1], folder+string(filepath.Separator)))
		line, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		message := strings.Join(strings.Fields(m[3]), " ")
		if p.missing.MatchString(message) {
			r.Unresolved = append(r.Unresolved, message)
		}
		r.Problems = append(r.Problems, conflict.Problem{Path: path.Clean(name), Line: line, Message: message})
	}
	return r
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
