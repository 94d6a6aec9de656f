package checkpoint

import (
	"strings"
	"testing"
)

func watch(text string, n int) bool {
	w := NewTestDetector()
	for len(text) > 0 {
		k := min(n, len(text))
		w.Feed([]byte(text[:k]))
		text = text[k:]
	}
	return w.Seen()
}

func TestDetectorSigns(t *testing.T) {
	for _, line := range []string{
		"$ go test ./...", "go test -race ./x/...", "cd x && npm test", "npm run test:unit", "pnpm test",
		"yarn run test",
		"bun test", "cargo test --all", "cargo nextest run", "mvn -q test", "./mvnw verify", "./gradlew test",
		"gradle check",
		"make test", "make check", "make -j2 test-unit", "python -m pytest", "python3 -m unittest", "pytest -q",
		".venv/bin/pytest tests",
		"npx jest", "jest --ci", "npx vitest run", "bundle exec rspec", "vendor/bin/phpunit",
		"ctest --output-on-failure", "dotnet test",
		`{"command":"go test ./..."}`, `{"command":"pytest -q"}`, `{"command":"pytest"}`, "`pytest`", "swift test",
		"tox -e py3", "npx mocha", "bats dir", "gradlew check", "npx cypress run", "playwright test", "rails test",
		"python manage.py test", "gotestsum", "5 examples, none wrong",
		"vendor/bin/pest", "cd a && npx jest", `{"command":"jest --ci"}`, "Executed 5 tests", "not ok 2 - broken",
		"Passed!  - Failed: 0",
		"ok  \texample.com/x\t0.1s", "ok  \tx\t(cached)", "PASS", "FAIL", "--- FAIL: TestX (0.00s)", "=== RUN   TestX",
		"FAIL\texample.com/x\t0.01s",
		"PASS src/a.test.js", "==== 12 passed in 0.31s ====", "Tests:       3 passed, 3 total",
		"test result: ok. 5 passed", "[INFO] Tests run: 5, Failures: 0",
		"OK (5 tests, 9 assertions)", "5 examples, 0 failures", "Ran 5 tests in 0.1s",
		"100% tests passed, 0 tests failed", "ok 1 - works",
		"\x1b[32mPASS\x1b[0m", `{"output":"=== RUN TestX\nPASS\nok  \tx\t0.1s"}`, "  5 passing (20ms)",
		"progress\rPASS\r",
	} {
		for _, n := range []int{1, 5, 1 << 20} {
			if !watch("words\n"+line+"\nwords\n", n) {
				t.Errorf("%q in pieces of %d is not seen", line, n)
			}
			if !watch("words\n"+line, n) {
				t.Errorf("%q as unfinished line in pieces of %d is not seen", line, n)
			}
		}
	}
}

func TestDetectorIgnores(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":   "",
		"prose":     plainProse(4096),
		"test file": "tests/limit_test.go\ncat tests/a.test.js\nfunc TestX(t *testing.T) {\n",
		"package names": `"jest": "^29.0.0", "vitest": "1.0", "pytest": "7"` +
			"\npytest==7\nimport pytest\nfrom x import pytest\npytest.ini\n",
		"words": "the latest check of passwords passed; make tests pass; go on testing; I make sure the " +
			"test is ok\n",
		"block": wrap("Status: COMPLETE\n## Tests Run\n- Executed: Y\n- Details: go test ./... ok, 12 " +
			"passed\nPASS\n## Request\nMERGE"),
		"block in colour": eachLine(canonicalText+"\n", "\x1b[31m", "\x1b[0m"),
		"block in JSON": `{"text":"` +
			strings.ReplaceAll(wrap("Status: COMPLETE\n## Tests Run\n- Details: go test ./...\n## Request\nMERGE"),
				"\n", `\n`) + `"}` + "\n",
		"block in escapes": `{"text":"` +
			strings.NewReplacer("\n", `\n`, "═",
				`\u2550`).Replace(wrap("Status: COMPLETE\n- Details: go test ./...\n## Request\nMERGE")) + `"}` + "\n",
	} {
		for _, n := range []int{1, 7, 1 << 20} {
			if watch(text, n) {
				t.Errorf("%s in pieces of %d is taken for a test run", name, n)
			}
		}
	}
}

func TestDetectorAfterBlock(t *testing.T) {
	block := wrap("Status: BLOCKED\n## Request\nHELP")
	inJSON := `{"text":"` + strings.NewReplacer("\n", `\n`, "═", `\u2550`).Replace(block) + `"}` + "\n"
	unclosed := headerRule + "\nAGENT CHECKPOINT: AGT-001\n" + headerRule + "\n" + plainProse(300<<10)
	for name, before := range map[string]string{"block": block, "JSON": inJSON,
		"prose": "print AGENT CHECKPOINT: and the id\nthen go on\n", "unclosed": unclosed} {
		if !watch(before+"$ go test ./...\n", 1000) {
			t.Errorf("a run after %s is not seen", name)
		}
	}
}

func TestDetectorLongLine(t *testing.T) {
	pad := strings.Repeat("x ", 40<<10)
	for _, n := range []int{100, 1 << 20} {
		if !watch(pad+"$ go test ./... "+pad, n) {
			t.Errorf("a run in a long line in pieces of %d is not seen", n)
		}
	}
	for at := maxLine - 20; at < maxLine+5; at++ {
		if text := strings.Repeat("x", at-1) + " cargo test --all" + pad; !watch(text, 1<<20) {
			t.Errorf("a run at byte %d of a long line is not seen", at)
		}
	}
	w := NewTestDetector()
	for range 64 {
		w.Feed([]byte(strings.Repeat("x", 1<<20)))
	}
	if cap(w.buf) > 4*maxLine {
		t.Errorf("%d bytes kept", cap(w.buf))
	}
}

func TestDetectorOwnCommands(t *testing.T) {
	for _, c := range []struct {
		transcript string
		want       bool
	}{
		{"$ sh check-all.sh\nfine\n", true},
		{"I looked at check-all.sh\n", false},
		{"nothing\n", false},
	} {
		w := NewTestDetector("sh check-all.sh", "")
		w.Feed([]byte(c.transcript))
		if got := w.Seen(); got != c.want {
			t.Errorf("Seen() of %q = %v, want %v", c.transcript, got, c.want)
		}
	}
}
