package checkpoint

import (
	"slices"
	"strings"
)

// testFields reads the section about tests, whose lists may run over several lines.
type testFields struct {
	tests                             Tests
	executed, result, failed, details bool   // seen
	inFailed                          bool   // a line without a name belongs to Failed
	waiting                           string // the key whose value is on the next line, "" for none
}

func (b *body) testLine(text string, n int) {
	s := unbullet(strings.Trim(text, indent))
	if fence(s) {
		return
	}
	t := &b.tests
	l := labelOf(s)
	if l.level > 0 && l.value != "" {
		l.key = ""
	}
	if value, unticked := ticked(s); t.waiting != "" && !testKey(l.key) {
		switch {
		case unticked:
		case choose(value, "Y", "N", "YES", "NO", "TRUE", "FALSE", "PASS", "FAIL", "SKIPPED", "PASSED", "FAILED",
			"SKIP").verdict == invalid:
			t.waiting = ""
			t.addDetails(s)
		default:
			b.testValue(value, n)
		}
		return
	}
	b.endTests(n)
	switch l.key {
	case "executed", "tests run":
		b.once(&t.executed, l.key, n)
		t.waiting = l.key
	case "result":
		b.once(&t.result, l.key, n)
		t.waiting = l.key
	case "failed":
		b.once(&t.failed, l.key, n)
		b.addFailed(l.value, n)
	case "details":
		b.once(&t.details, l.key, n)
		t.addDetails(l.value)
	default:
		if t.inFailed {
			b.addFailed(s, n)
		} else {
			t.addDetails(s)
		}
		return
	}
	t.inFailed = l.key == "failed"
	if t.waiting != "" && l.value != "" {
		b.testValue(l.value, n)
	}
}

func testKey(key string) bool {
	return slices.Contains([]string{"executed", "tests run", "result", "failed", "details"}, key)
}

// testValue takes the value of the key that waits for one.
func (b *body) testValue(value string, n int) {
	key := b.tests.waiting
	b.tests.waiting = ""
	if key == "result" {
		b.result(value, n)
		return
	}
	b.executed(key, value, n)
}

// endTests gives up a key whose value did not come on the next line either.
func (b *body) endTests(n int) {
	if b.tests.waiting != "" {
		b.testValue("", n)
	}
}

func (b *body) once(seen *bool, key string, n int) {
	if *seen {
		b.fail(n, "field %q is there twice", key)
	}
	*seen = true
}

func (b *body) executed(key, value string, n int) {
	t := &b.tests
	c := choose(value, "Y", "N", "YES", "NO", "TRUE", "FALSE")
	switch {
	case c.verdict == several:
		b.template(n, "Executed lists both values")
	case c.verdict == chosen:
		t.tests.Executed = c.value[0] == 'Y' || c.value == "TRUE"
		t.addDetails(c.rest)
	case noneish(value) || value == "0":
	case key == "tests run":
		// The second form often counts or names the tests here.
		t.tests.Executed = true
		t.addDetails(value)
	default:
		b.fail(n, "Executed is %q, want Y or N", value)
	}
}

func (b *body) result(value string, n int) {
	c := choose(value, "PASS", "FAIL", "SKIPPED", "PASSED", "FAILED", "SKIP")
	switch {
	case c.verdict == several:
		b.template(n, "Result lists several values")
	case c.verdict == chosen:
		b.tests.tests.Result = Skipped
		switch c.value {
		case "PASS", "PASSED":
			b.tests.tests.Result = Pass
		case "FAIL", "FAILED":
			b.tests.tests.Result = Fail
		}
		b.tests.addDetails(c.rest)
	case !noneish(value):
		b.fail(n, "Result is %q, want PASS, FAIL or SKIPPED", value)
	}
}

func (b *body) addFailed(piece string, n int) {
	if strings.EqualFold(strings.Trim(piece, "[]"+blanks), "list if any") {
		b.template(n, "Failed is \"list if any\"")
		return
	}
	if piece != "0" {
		b.tests.tests.Failed = join(b.tests.tests.Failed, piece)
	}
}

func (t *testFields) addDetails(piece string) { t.tests.Details = join(t.tests.Details, piece) }

func join(a, b string) string {
	switch {
	case noneish(b):
		return a
	case a == "":
		return b
	}
	return a + "; " + b
}
