package suite

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Failure is one test that an output says has failed, or one place at which a test or the code did not build.
type Failure struct {
	Test string // "" where something did not build
	// Path is a file of the tree, or the end of such a path where the output tells no more; "" where it tells none.
	Path string
	Line int    // 0 where the output does not tell
	Said string // the program's own words about what did not build; "" where there are none
	// Unit is what the output says the test belongs to where Path alone is not unique: Go's import path, Java's class.
	Unit string
}

// Failures finds what failed in what test runners printed: go, pytest, cargo, jest, vitest, node's own, and maven's.
// It leans to saying nothing: an output that is not known has none.
func Failures(output string) []Failure {
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	text := escapes.ReplaceAllString(strings.ReplaceAll(output, "\r\n", "\n"), "")
	lines := strings.Split(text, "\n")
	var all []Failure
	for _, read := range []func([]string) []Failure{goFailures, pytestFailures, cargoFailures, nodeFailures,
		tapFailures, mavenFailures} {
		for _, f := range read(lines) {
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// at makes a number of what was matched by `\d+`; too large ones are none.
func at(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// goFailures reads `go test`, `go build` and `go vet`. A test's line is that of its first message.
func goFailures(lines []string) (all []Failure) {
	failed := regexp.MustCompile(`^\s*--- FAIL: (\S+) \(`)
	// or a line of a panic's stack
	message := regexp.MustCompile(`^\s+(?:([^\s:]+\.go):(\d+): |(\S+_test\.go):(\d+) \+0x)`)
	broken := regexp.MustCompile(`^(?:vet: )?(?:\./)?([^\s:]+\.go):(\d+):\d+: (.*)`)
	unit := regexp.MustCompile(`^FAIL\t(\S+)(?:\t| \[)`)
	from := 0 // where the package's own failures begin
	for _, line := range lines {
		switch {
		case failed.MatchString(line):
			name := failed.FindStringSubmatch(line)[1]
			if n := len(all); n > from && strings.HasPrefix(name, all[n-1].Test+"/") && all[n-1].Path == "" {
				all[n-1].Test = name // the test in which it happened
			} else {
				all = append(all, Failure{Test: name})
			}
		case message.MatchString(line):
			if m := message.FindStringSubmatch(line); len(all) > from && all[len(all)-1].Path == "" {
				all[len(all)-1].Path, all[len(all)-1].Line = m[1]+m[3], at(m[2]+m[4])
			}
		case broken.MatchString(line):
			m := broken.FindStringSubmatch(line)
			all = append(all, Failure{Path: path.Clean(m[1]), Line: at(m[2]), Said: m[3]})
		case unit.MatchString(line):
			for i := from; i < len(all); i++ {
				all[i].Unit = unit.FindStringSubmatch(line)[1]
			}
			from = len(all)
		}
	}
	return all
}

// pytestFailures reads the short summary, and the lines from the tracebacks above it.
func pytestFailures(lines []string) (all []Failure) {
	summary := regexp.MustCompile(`^(?:FAILED|ERROR) ([^\s:]+\.py)(?:::(\S+))?(?: - (.*))?$`)
	raised := regexp.MustCompile(`^([^\s:]+\.py):(\d+): `)
	var found []Failure // in the order in which tracebacks and summary have them
	for _, line := range lines {
		if m := raised.FindStringSubmatch(line); m != nil {
			found = append(found, Failure{Path: m[1], Line: at(m[2])})
		}
		m := summary.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		f := Failure{Test: strings.ReplaceAll(m[2], "::", "."), Path: m[1], Said: m[3]}
		if i := slices.IndexFunc(found, func(r Failure) bool { return r.Path == f.Path }); i >= 0 {
			f.Line = found[i].Line
			found = slices.Delete(found, 0, i+1)
		}
		all = append(all, f)
	}
	return all
}

// cargoFailures reads the test harness of Rust and the compiler.
func cargoFailures(lines []string) (all []Failure) {
	panicked := regexp.MustCompile(`^thread '([^']+)'(?: \(\d+\))? panicked at (\S+\.rs):(\d+):\d+:`)
	failed := regexp.MustCompile(`^test (\S+) \.\.\. FAILED$`)
	broken := regexp.MustCompile(`^\s*--> (\S+\.rs):(\d+):\d+$`)
	said := "" // by the error that the next place belongs to
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "error"):
			said = line
		case strings.HasPrefix(line, "warning"):
			said = ""
		}
		if m := failed.FindStringSubmatch(line); m != nil {
			all = append(all, Failure{Test: m[1]})
		}
		if m := panicked.FindStringSubmatch(line); m != nil {
			if i := slices.Index(all, Failure{Test: m[1]}); i >= 0 {
				all[i].Path, all[i].Line = m[2], at(m[3])
			}
		}
		if m := broken.FindStringSubmatch(line); m != nil && said != "" {
			all = append(all, Failure{Path: m[1], Line: at(m[2]), Said: said})
			said = "" // what follows explains it
		}
	}
	return all
}

// nodeFailures reads jest and vitest.
func nodeFailures(lines []string) (all []Failure) {
	file := regexp.MustCompile(`^FAIL\s+(\S+\.[cm]?[jt]sx?)$`)
	jest := regexp.MustCompile(`^  ● (.+)$`)
	vitest := regexp.MustCompile(`^ FAIL  (\S+\.[cm]?[jt]sx?)(?: > (.+))?$`)
	stack := regexp.MustCompile(`^\s+(?:at .*\(|at |❯ )(\S+\.[cm]?[jt]sx?):(\d+):\d+\)?$`)
	of := ""
	for _, line := range lines {
		if m := file.FindStringSubmatch(line); m != nil {
			of = m[1]
		}
		if m := jest.FindStringSubmatch(line); m != nil && of != "" {
			name := strings.ReplaceAll(m[1], " › ", " > ")
			// nothing in the file could be run
			if strings.HasPrefix(name, "Test suite ") && strings.HasSuffix(name, " to run") {
				name = ""
			}
			all = append(all, Failure{Test: name, Path: of})
		}
		if m := vitest.FindStringSubmatch(line); m != nil {
			all = append(all, Failure{Test: m[2], Path: m[1]})
		}
		if m := stack.FindStringSubmatch(line); m != nil && len(all) > 0 && all[len(all)-1].Path == m[1] &&
			all[len(all)-1].Line == 0 {
			all[len(all)-1].Line = at(m[2])
		}
	}
	return all
}

// tapFailures reads node's own test runner, in both of its forms. A test that fails only since one
// in it does is left out.
func tapFailures(lines []string) (all []Failure) {
	tap := regexp.MustCompile(`^\s*not ok \d+ - (.+)$`)
	location := regexp.MustCompile(`^\s*location: '(.+):(\d+):\d+'$`)
	spec := regexp.MustCompile(`^test at (.+):(\d+):\d+$`)
	cross := regexp.MustCompile(`^✖ (.+) \([\d.]+ms\)$`)
	named, where := "", Failure{}
	for _, line := range lines {
		if m := tap.FindStringSubmatch(line); m != nil {
			named = m[1]
		}
		if m := location.FindStringSubmatch(line); m != nil && named != "" {
			all, named = append(all, Failure{Test: named, Path: m[1], Line: at(m[2])}), ""
		}
		if n := len(all); strings.HasSuffix(line, "failureType: 'subtestsFailed'") && n > 0 {
			all = all[:n-1]
		}
		if m := spec.FindStringSubmatch(line); m != nil {
			where = Failure{Path: m[1], Line: at(m[2])}
		}
		if m := cross.FindStringSubmatch(line); m != nil && where.Path != "" {
			all, where = append(all, Failure{Test: m[1], Path: where.Path, Line: where.Line}), Failure{}
		}
	}
	return all
}

// mavenFailures reads the summary of surefire, and the compiler.
func mavenFailures(lines []string) (all []Failure) {
	failed := regexp.MustCompile(`^(?:\[ERROR\])?\s+(?:(?:[a-z]\w*\.)*)([A-Z]\w*)(?:>\w+)?\.(\w+):(\d+)\b`)
	broken := regexp.MustCompile(`^\[ERROR\] (\S+\.java):\[(\d+),\d+\]`)
	for _, line := range lines {
		if m := failed.FindStringSubmatch(line); m != nil {
			all = append(all, Failure{Test: m[2], Path: m[1] + ".java", Line: at(m[3]), Unit: m[1]})
		}
		if m := broken.FindStringSubmatch(line); m != nil {
			all = append(all, Failure{Path: m[1], Line: at(m[2])})
		}
	}
	return all
}

// Locate is the one of the tree's paths that the failure is in, as far as the output tells.
// Outputs name a file by the end of its path, or by where the tree lay when it was tested.
func (f Failure) Locate(paths []string) (string, bool) {
	if f.Path == "" {
		return "", false
	}
	name, best, most := path.Clean(f.Path), "", -1
	for _, p := range paths {
		if p != name && !strings.HasSuffix(p, "/"+name) && !strings.HasSuffix(name, "/"+p) {
			continue
		}
		score := shared(path.Dir(p), f.Unit)
		if p == name {
			score++
		}
		if score > most {
			best, most = p, score
		}
	}
	return best, most >= 0
}

// shared is how many elements two paths have in common at their ends.
func shared(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}
