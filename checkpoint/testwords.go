package checkpoint

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// testResult matches a line that a test program prints, by its beginning.
var testResult = regexp.MustCompile(`^\s*(?:(?:PASS|FAIL)(?:\s+\S*[/.]\S*.*)?$|--- (?:PASS|FAIL|SKIP): |=== RUN|` +
	`(?:not )?ok\s+(?:\d+(?:\s|$)|\S+\s+(?:\(cached\)|\d\S*s(?:\s|$)))|test result: (?:ok|FAILED)|` +
	`\d+% tests passed|(?:Passed|Failed)!  - Failed:)`)

// runnerWords are the words that make a test command of a program, flags and "run" between them aside.
// A word that ends in a sign is the beginning of one.
func runnerWords(program string) []string {
	switch program {
	case "go", "cargo", "bun", "deno", "dotnet", "swift", "bazel", "mix", "sbt", "stack", "cabal", "flutter", "dart",
		"rails", "rake", "zig", "meson", "playwright", "ng", "nx", "just", "composer", "hatch", "mage", "lein", "poe",
		"task", "artisan", "manage.py":
		return []string{"test", "tests", "nextest", "test:"}
	case "npm", "pnpm", "yarn":
		return []string{"test", "test:", "test-"}
	case "mvn", "mvnw", "gradle", "gradlew":
		return []string{"test", "check", "verify"}
	case "make": // "make tests pass" is what people say, not what they type
		return []string{"test", "check", "test-", "test_"}
	case "cypress":
		return []string{"run"}
	}
	return nil
}

// runsTests reports whether a program does nothing but run tests.
// A name that is also a word counts only where a command stands.
func runsTests(program string, launched bool) bool {
	switch program {
	case "pytest", "py.test", "vitest", "phpunit", "rspec", "ctest", "gotestsum":
		return true
	case "jest", "mocha", "tox", "bats", "pest", "unittest":
		return launched
	}
	return false
}

// testCommand reports whether a line holds the words of a test command, or a number of tests that ran.
func testCommand(text []byte) bool {
	const around = "\"'`(){}[];&|,$>.!"
	var wanted []string // words that make a test command of the program before them
	launch, number, before := true, false, ""
	for field := range bytes.FieldsSeq(text) {
		word := string(bytes.Trim(field, around))
		word = word[strings.LastIndexAny(word, "/\"'`(=")+1:]
		launched := launch || bytes.Contains(field, []byte("bin/")) || bytes.Contains(field, []byte(`command"`))
		is := func(want string) bool {
			return word == want || strings.ContainsAny(want, ":-_") && strings.HasPrefix(word, want)
		}
		count := word != "" && strings.Trim(word, "0123456789") == ""
		switch {
		case slices.ContainsFunc(wanted, is), runsTests(word, launched),
			number && slices.Contains([]string{"passed", "failed", "passing", "failing"}, word),
			number && strings.HasPrefix(word, "example") && field[len(field)-1] == ',',
			count && slices.Contains([]string{"Ran", "Executed", "run:", "OK"}, before):
			return true
		}
		number = count || number && (word == "test" || word == "tests")
		launch = word == "" || slices.Contains([]string{"npx", "bunx", "exec", "yarn", "pnpm", "run", "-m", "%", "#"},
			word)
		if words := runnerWords(word); words != nil {
			wanted = words
		} else if word != "run" && word != "build" && field[0] != '-' {
			wanted = nil
		}
		before = word
	}
	return false
}
