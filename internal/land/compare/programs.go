package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/conflict"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/text/lazyregexp"
)

// program is a compiler or type checker that is installed or not.
type program struct {
	name  string
	reads []string // endings of the files that it looks at
	needs string   // file at the root without which it does not know the project; "" for none
	// trusting programs run code of the repository (build scripts, plugins), so they are used only
	// where the configuration names them, and what they leave in the files is of that code's
	// making.
	trusting bool
	// args are the arguments for the files in question, of which only those that exist are given.
	// own is a folder of the program's own.
	// Files begin with "./": agents choose their names, and one that began with "-" or "@" would be an option.
	args func(own string, files []string) []string
	// problem finds path, line and message in its output.
	problem *lazyregexp.Regexp
	// missing tells messages that say that something could not be loaded.
	missing *lazyregexp.Regexp
	// stops finds what has it look at no code at all, if it does not stand in problem.
	stops *lazyregexp.Regexp
	// lists finds the files that it has read among its output; nil: those that it was given.
	lists *lazyregexp.Regexp
	// inPhases compilers end after a phase with errors, so that a tree with any says nothing of later ones.
	inPhases bool
	// untyped checkers pass the members of values whose type they do not know.
	untyped bool
}

// wholeProject are the arguments of a program that finds its files by itself.
func wholeProject(args ...string) func(string, []string) []string {
	return func(string, []string) []string { return args }
}

// withFiles are those of one that is given its files.
func withFiles(args ...string) func(string, []string) []string {
	return func(_ string, files []string) []string { return append(args, files...) }
}

// programs are those that can be named in the configuration.
func programs() []program {
	whole, with := wholeProject, withFiles
	return append([]program{
		{
			name: "tsc", reads: []string{".ts", ".tsx", ".mts", ".cts"}, needs: "tsconfig.json",
			// Build information would be written where the tree's tsconfig.json says.
			args: whole("--noEmit", "--incremental", "false", "--composite", "false", "--tsBuildInfoFile", "null",
				"--pretty", "false", "--listFiles", "--project", "."),
			problem: lazyregexp.New(`(?m)^(.+?)\((\d+),\d+\): error (TS\d+: .*)$`),
			missing: lazyregexp.New(`^TS(2307|2688|7016|2792)\b`),
			stops:   lazyregexp.New(`(?m)^error (TS\d+: .*)$`),
			lists:   lazyregexp.New(`(?m)^(/.+)$`), inPhases: true,
		},
		{
			name: "pyright", reads: []string{".py", ".pyi"}, args: with(), untyped: true,
			problem: lazyregexp.New(`(?m)^\s*(.+?):(\d+):\d+ - error: (.*)$`),
			missing: lazyregexp.New(`reportMissing(Import|ModuleSource)`),
		},
		{
			name: "javac", reads: []string{".java"}, args: javaArgs, inPhases: true,
			problem: lazyregexp.New(`(?m)^(.+?\.java):(\d+): error: (.*(?:\n.*\n.*\n  symbol: .*)?)$`),
			missing: lazyregexp.New(`^package .* does not exist`),
		},
		{
			name: "gcc", reads: cEndings, inPhases: true,
			args: func(_ string, files []string) []string {
				args := []string{"-fsyntax-only", "-Werror=implicit-function-declaration"}
				for _, root := range append(roots(files), "./include") {
					args = append(args, "-I", root)
				}
				return append(args, files...)
			},
			problem: lazyregexp.New(`(?m)^(.+?):(\d+):\d+: (?:fatal )?error: (.*)$`),
			missing: lazyregexp.New(`: No such file or directory$`),
		},
		{
			name: "mcs", reads: []string{".cs"}, inPhases: true,
			args: func(own string, files []string) []string {
				return append([]string{"-target:library", "-warn:0", "-out:" + filepath.Join(own, "out.dll")}, files...)
			},
			problem: lazyregexp.New(`(?m)^(.+?)\((\d+),\d+\): error (CS\d+: .*)$`),
			missing: lazyregexp.New(`^CS(0234|0246|0012|0103)\b`),
		},
	}, trustingPrograms()...)
}

// trustingPrograms are those that run code of the repository.
func trustingPrograms() []program {
	whole, with := wholeProject, withFiles
	return []program{
		{
			name: "mypy", reads: []string{".py", ".pyi"}, trusting: true, untyped: true,
			args: with("--no-color-output", "--no-error-summary", "--hide-error-context",
				"--check-untyped-defs"),
			problem: lazyregexp.New(`(?m)^(.+?):(\d+): error: (.*)$`),
			missing: lazyregexp.New(`\[import-(not-found|untyped)\]$`),
		},
		{
			name: "cargo", reads: []string{".rs"}, needs: "Cargo.toml", trusting: true, inPhases: true,
			args: whole("check", "--offline", "--quiet", "--workspace", "--all-targets", "--message-format",
				"short"),
			problem: lazyregexp.New(`(?m)^(.+?):(\d+):\d+: error(?:\[E\d+\])?: (.*)$`),
			missing: lazyregexp.New(`can't find crate`),
			lists:   lazyregexp.New(`^\b$`), // it does not say which files are modules of its crates
		},
		{
			name: "phpstan", reads: []string{".php"}, trusting: true, untyped: true,
			args:    with("analyse", "--no-progress", "--error-format", "raw"),
			problem: lazyregexp.New(`(?m)^(.+?):(\d+):(.*)$`),
			missing: lazyregexp.New(`not found.*(discovering|autoload)`),
		},
	}
}

// javaArgs compiles the files in question and what they need from the source folders that they stand in.
// The class path is empty: by itself it would be the tree, in which a plugin of the compiler's is found and run.
func javaArgs(own string, files []string) []string {
	sources := strings.Join(roots(files), string(filepath.ListSeparator))
	args := []string{
		// One run is over before the quicker compiled code and the second collector would pay.
		"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC",
		// Errors that a bound left out of one tree and not of another would be its own.
		"-Xmaxerrs", "0", "-proc:none", "-implicit:none", "-cp", own, "-d", own, "-sourcepath", sources,
	}
	return append(args, files...)
}

// cEndings are those of the files that gcc reads.
var cEndings = []string{".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh"}

// roots are the folders around files, from which one of them may name another.
func roots(files []string) []string {
	all := []string{"./"}
	for _, f := range files {
		for dir := path.Dir(filepath.ToSlash(f)); dir != "."; dir = path.Dir(dir) {
			all = append(all, "./"+dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// installed are the checkers by programs that may be used here.
func (r *Comparer) installed() []conflict.Checker {
	var all []conflict.Checker
	for _, p := range r.found() {
		if !r.p.Inspects() {
			break
		}
		all = append(all, conflict.Checker{
			Name: p.name, Endings: p.reads, Untyped: p.untyped,
			Check: func(ctx context.Context, tree conflict.Tree, paths []string) (conflict.Report, error) {
				return r.ask(ctx, p.program, p.binary, tree, paths)
			},
		})
	}
	return all
}

// foundProgram is a program and the file that it is.
type foundProgram struct {
	program
	binary string
}

// found are the programs that the configuration lets check and that are installed.
func (r *Comparer) found() (all []foundProgram) {
	for _, p := range programs() {
		named := slices.Contains(r.p.Config.Confirm, p.name)
		if !named && (r.p.Config.Confirm != nil || p.trusting) {
			continue
		}
		if binary := p.find(r.p.Main); binary != "" {
			all = append(all, foundProgram{p, binary})
		}
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

// ask lets the program look at one tree, and remembers what it said: a side is one of many pairs.
func (r *Comparer) ask(ctx context.Context, p program, binary string, seen conflict.Tree,
	paths []string) (conflict.Report, error) {
	key := p.name + "\x00" + seen.ID
	if p.needs == "" { // else it looks at the whole project
		key += "\x00" + strings.Join(paths, "\x00")
	}
	if known, asked := r.reports[key]; asked {
		return known, nil
	}
	report, err := r.askAnew(ctx, p, binary, seen, paths)
	if err == nil {
		r.reports[key] = report
	}
	return report, err
}

// askAnew writes the tree out to a folder away from every checkout.
func (r *Comparer) askAnew(ctx context.Context, p program, binary string, seen conflict.Tree,
	paths []string) (conflict.Report, error) {
	if p.needs != "" {
		if _, err := fs.Stat(seen.FS, p.needs); err != nil {
			return conflict.Report{Unresolved: []string{"there is no " + p.needs}}, nil
		}
	}
	if err := r.open(); err != nil {
		return conflict.Report{}, err
	}
	folder := filepath.Join(r.scratch, "tree")
	if err := r.held.WriteOut(ctx, seen.ID, folder); err != nil {
		return conflict.Report{}, err
	}
	r.linkInstalled(folder)
	var files []string
	for _, name := range paths {
		if info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); err == nil && !info.IsDir() &&
			slices.Contains(p.reads, path.Ext(name)) {
			files = append(files, "."+string(filepath.Separator)+filepath.FromSlash(name))
		}
	}
	if len(files) == 0 {
		return conflict.Report{}, nil
	}
	out, err := r.run(ctx, p, run.Command{Path: binary, Args: files})
	var exit *run.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Code <= 0) {
		return conflict.Report{}, err
	}
	report := p.read(out, folder, files)
	if exit != nil && len(report.Problems) == 0 && len(report.Unresolved) == 0 {
		return conflict.Report{}, fmt.Errorf("%s: %s", exit.Ending(), firstLine(out))
	}
	return report, nil
}

// run lets the program look at the files in the tree that is written out, in a fence and within its
// time limit, and answers with what it printed.
func (r *Comparer) run(ctx context.Context, p program, c run.Command) (string, error) {
	if limit := r.p.Config.ConfirmTimeout; !limit.Off() {
		if r.left <= 0 {
			return "", fmt.Errorf("the time of all checkers together is over (confirm_timeout: %s)", limit)
		}
		began := time.Now()
		defer func() { r.left -= time.Since(began) }()
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.left)
		defer cancel()
	}
	in := project.Inspection{Tree: filepath.Join(r.scratch, "tree"), Own: filepath.Join(r.scratch, "own"),
		Writes: p.trusting}
	if err := os.MkdirAll(in.Own, 0o700); err != nil {
		return "", fmt.Errorf("make folder for %s: %w", p.name, err)
	}
	var out boundedOutput
	c.Args, c.Stdout, c.Stderr = p.args(in.Own, c.Args), &out, &out
	err := r.p.Inspect(ctx, in, c)
	left := []string{in.Own}
	if in.Writes {
		left = append(left, in.Tree, in.Tree+".index")
	}
	for _, path := range left { // what ran for one tree must not decide about another
		if gone := atomicfile.RemoveTree(path); gone != nil {
			return "", fmt.Errorf("remove what %s left: %w", p.name, gone)
		}
	}
	return out.String(), err
}

// boundedOutput is what a checker prints, up to a bound: the files that it prints about are of an agent's choosing.
type boundedOutput struct{ bytes.Buffer }

const mostOutputOfChecker = 16 << 20

func (s *boundedOutput) Write(data []byte) (int, error) {
	if s.Len()+len(data) > mostOutputOfChecker {
		return 0, fmt.Errorf("it says more than %d bytes", mostOutputOfChecker)
	}
	return s.Buffer.Write(data)
}

// linkInstalled makes what the person has installed for the project readable in the folder, as far
// as git does not track it.
func (r *Comparer) linkInstalled(folder string) {
	for _, name := range []string{"node_modules", ".venv", "vendor"} {
		there := filepath.Join(r.p.Main, name)
		if _, err := os.Stat(there); err != nil {
			continue
		}
		if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
			_ = os.Symlink(there, filepath.Join(folder, name)) // without it the program says what it misses
		}
	}
}

// read finds the problems in what the program printed, and which files it has read.
func (p program) read(out, folder string, given []string) conflict.Report {
	var r conflict.Report
	inTree := func(name string) string {
		return path.Clean(filepath.ToSlash(strings.TrimPrefix(name, folder+string(filepath.Separator))))
	}
	for _, m := range p.problem.FindAllStringSubmatch(out, -1) {
		name := inTree(m[1])
		line, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		message := strings.Join(strings.Fields(m[3]), " ")
		switch {
		case p.missing.MatchString(message):
			r.Unresolved = append(r.Unresolved, message)
		case !slices.Contains(p.reads, path.Ext(name)): // its configuration
			r.Unresolved = append(r.Unresolved, fmt.Sprintf("it stopped at %s:%d: %s", name, line, message))
			continue
		}
		r.Problems = append(r.Problems, conflict.Problem{Path: name, Line: line, Message: message})
	}
	if p.stops != nil {
		for _, m := range p.stops.FindAllStringSubmatch(out, -1) {
			r.Unresolved = append(r.Unresolved, "it stopped: "+m[1])
		}
	}
	if len(r.Unresolved) > 0 || p.inPhases && len(r.Problems) > 0 {
		return r
	}
	if p.lists != nil {
		given = nil
		for _, m := range p.lists.FindAllStringSubmatch(out, -1) {
			given = append(given, m[1])
		}
	}
	for _, name := range given {
		r.Read = append(r.Read, inTree(name))
	}
	slices.Sort(r.Read)
	r.Read = slices.Compact(r.Read)
	return r
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
