package checkpoint

import "bytes"

const (
	wordOpeners = "\"'`(;&|{[=,"
	wordClosers = "\"'`);,.}]:!"
)

// commandScan remembers the words before the current one, as far as they bear on a test command.
type commandScan struct {
	runner string // the last program that can run tests, with nothing but flags since
	launch bool   // the word before starts another program
	number bool   // the word before is a number
}

// testCommand reports whether a line holds the words of a test command,
// or a number of tests that passed or failed.
func testCommand(text []byte) bool {
	s := commandScan{launch: true}
	for len(text) > 0 {
		field := bytes.TrimLeft(text, blanks)
		if len(field) == 0 {
			return false
		}
		end := bytes.IndexAny(field, blanks)
		if end < 0 {
			end = len(field)
		}
		if s.sign(field[:end]) {
			return true
		}
		text = field[end:]
	}
	return false
}

// sign takes the next word and reports whether it completes a sign.
func (s *commandScan) sign(field []byte) bool {
	w := bytes.TrimRight(field, wordClosers)
	tail := field[len(w):]
	opened := bytes.LastIndexAny(w, wordOpeners)
	w = w[opened+1:]
	path := bytes.LastIndexByte(w, '/')
	inBin := bytes.HasSuffix(w[:path+1], []byte("bin/"))
	w = w[path+1:]
	launched := s.launch && opened < 0 || inBin || bytes.Contains(field, []byte(`command"`))
	key := bytes.IndexByte(tail, ':') >= 0
	switch {
	case s.runs(w):
		return true
	case !key && runnerAlone(w, launched):
		return true
	case s.number && counted(w, tail):
		return true
	}
	s.next(w, field)
	return false
}

// next moves on behind a word that completed nothing.
func (s *commandScan) next(w, field []byte) {
	digits := len(w) > 0 && len(bytes.Trim(w, "0123456789")) == 0
	s.number = digits || s.number && (string(w) == "test" || string(w) == "tests")
	switch string(w) {
	case "npx", "bunx", "exec", "yarn", "pnpm", "run", "-m":
		s.launch = true
	default:
		s.launch = len(bytes.Trim(field, "$>%#&;|")) == 0
	}
	switch string(w) {
	case "go", "cargo", "mvn", "mvnw", "gradle", "gradlew", "npm", "pnpm", "yarn", "bun", "deno", "dotnet", "swift",
		"bazel", "mix", "sbt", "stack", "cabal", "flutter", "dart", "rails", "rake", "zig", "meson", "playwright",
		"ng", "nx", "just", "make", "composer", "hatch", "mage", "lein", "poe", "task", "artisan", "manage.py",
		"cypress":
		s.runner = string(w)
	case "run", "build":
	default:
		if len(field) == 0 || field[0] != '-' {
			s.runner = ""
		}
	}
}

// runs reports whether the word makes a test command of the program before it.
func (s *commandScan) runs(w []byte) bool {
	switch word := string(w); s.runner {
	case "":
		return s.launch && word == "unittest"
	case "cypress":
		return word == "run"
	case "make":
		// "make tests pass" is what people say, not what they type.
		return word == "test" || word == "check" || bytes.HasPrefix(w, []byte("test-")) ||
			bytes.HasPrefix(w, []byte("test_"))
	case "mvn", "mvnw", "gradle", "gradlew":
		return word == "test" || word == "check" || word == "verify"
	case "npm", "pnpm", "yarn":
		return word == "test" || bytes.HasPrefix(w, []byte("test:")) || bytes.HasPrefix(w, []byte("test-"))
	case "cargo":
		return word == "test" || word == "nextest"
	default:
		return word == "test" || word == "tests" || bytes.HasPrefix(w, []byte("test:"))
	}
}

// runnerAlone knows the programs that do nothing but run tests.
// A name that is also a word counts only where a command stands.
func runnerAlone(w []byte, launched bool) bool {
	switch string(w) {
	case "pytest", "py.test", "vitest", "phpunit", "rspec", "ctest", "gotestsum":
		return true
	case "jest", "mocha", "tox", "bats", "pest":
		return launched
	}
	return false
}

// counted knows the words after a number in a summary.
func counted(w, tail []byte) bool {
	switch string(w) {
	case "passed", "failed", "passing", "failing":
		return true
	case "examples", "example":
		return bytes.HasPrefix(tail, []byte(","))
	}
	return false
}

// testResult reports whether a line looks like the output of a test program.
func testResult(text []byte) bool {
	if bytes.IndexByte(text, '\\') >= 0 {
		text = bytes.ReplaceAll(text, []byte(`\t`), []byte("\t"))
	}
	t := bytes.Trim(text, blanks)
	switch {
	case len(t) == 0:
		return false
	case string(t) == "PASS", string(t) == "FAIL":
		return true
	case hasAnyPrefix(t, "--- PASS: ", "--- FAIL: ", "--- SKIP: ", "=== RUN"):
		return true
	case hasAnyPrefix(t, "PASS", "FAIL"):
		word := firstWord(t[len("PASS"):])
		return bytes.ContainsAny(word, "/.")
	case hasAnyPrefix(t, "ok ", "ok\t", "not ok "):
		return resultOK(t)
	}
	for _, words := range []string{"test result: ok", "test result: FAILED", "% tests passed", "Passed!  - Failed:",
		"Failed!  - Failed:"} {
		if bytes.Contains(t, []byte(words)) {
			return true
		}
	}
	for _, words := range []string{"Tests run: ", "Tests run:", "OK (", "Ran ", "Executed "} {
		if i := bytes.Index(t, []byte(words)); i >= 0 && startsWithNumber(t[i+len(words):]) {
			return true
		}
	}
	return false
}

// resultOK reads "ok <package> <time>" of Go and "ok 1" of the TAP protocol.
func resultOK(t []byte) bool {
	t = bytes.TrimPrefix(t, []byte("not "))[len("ok"):]
	word := firstWord(t)
	if len(word) > 0 && len(bytes.Trim(word, "0123456789")) == 0 {
		return true
	}
	_, after, _ := bytes.Cut(t, word)
	took := firstWord(after)
	return string(took) == "(cached)" || (bytes.HasSuffix(took, []byte("s")) && startsWithNumber(took))
}

// firstWord is the first word behind at least one blank.
func firstWord(t []byte) []byte {
	u := bytes.TrimLeft(t, blanks)
	if len(u) == len(t) {
		return nil
	}
	if i := bytes.IndexAny(u, blanks); i >= 0 {
		return u[:i]
	}
	return u
}

func startsWithNumber(t []byte) bool { return len(t) > 0 && t[0] >= '0' && t[0] <= '9' }

func hasAnyPrefix(t []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(t, []byte(p)) {
			return true
		}
	}
	return false
}
