package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"delegate/change"
	"delegate/checkpoint"
	"delegate/conflict"
	"delegate/registry"
)

func clock(seconds int) time.Time {
	return time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

// sample is a session that shows every part of the page: three agents, one of which waits for
// another, work that landed and work that failed.
func sample() Data {
	d := Data{Made: clock(4000), Repository: "limits", Used: "60k in, 2.0k out, ≈ 0.50 US$"}
	d.Session = registry.Session{
		ID: "DEL-20260102-150405", Created: clock(0), ParentTask: "Rate limits for the public API",
		Status: registry.SessionActive, Target: "main",
		Base: strings.Repeat("a1", 20), PlanApproved: "Ada Example, 2026-01-02T15:04:10Z",
		Verify: []string{"go build ./...", "go test ./..."},
	}
	d.Agents = []Agent{landedAgent(), failedAgent(), waitingAgent()}
	d.Events = []registry.Event{
		{Time: clock(0), Kind: registry.EventSessionStarted, Details: "Rate limits for the public API"},
		{Time: clock(5), Kind: registry.EventApproved, Details: "plan", By: "Ada Example"},
		{Time: clock(6), Kind: registry.EventSpawning, Agent: "AGT-001", Details: "attempt 1", By: "supervisor"},
		{Time: clock(7), Kind: registry.EventSpawned, Agent: "AGT-001", Details: "attempt 1, turn 1, claude",
			By: "supervisor"},
		{Time: clock(7), Kind: registry.EventSpawning, Agent: "AGT-002", Details: "attempt 1", By: "supervisor"},
		{Time: clock(9), Kind: registry.EventSpawned, Agent: "AGT-002", Details: "attempt 1, turn 1, codex",
			By: "supervisor"},
		{Time: clock(140), Kind: registry.EventCheckpoint, Agent: "AGT-001",
			Details: "turn 1, line 90: IN_PROGRESS 60%", By: "AGT-001"},
		{Time: clock(200), Kind: registry.EventViolation, Agent: "AGT-002",
			Details: "changed outside its scope (watch, turn 1): docs/api.md: not in its scope", By: "supervisor"},
		{Time: clock(420), Kind: registry.EventComplete, Agent: "AGT-001", Details: "COMPLETE 100%; request MERGE",
			By: "supervisor"},
		{Time: clock(500), Kind: registry.EventConflict, Agent: "AGT-001",
			Details: "AGT-001 × AGT-002 API_CONFLICT limit/bucket.go New: the signature changes", By: "supervisor"},
		{Time: clock(700), Kind: registry.EventApproved, Agent: "AGT-001",
			Details: "landing on main, digest " + digest[:7], By: "Ada Example"},
		{Time: clock(701), Kind: registry.EventMerged, Agent: "AGT-001", Details: "c0ffee000000 on main, tests pass",
			By: "Ada Example"},
		{Time: clock(900), Kind: registry.EventFailed, Agent: "AGT-002", Details: "time limit of 15m0s",
			By: "supervisor"},
		{Time: clock(3600), Kind: registry.EventMessage, Agent: "AGT-002",
			Details: "queued: leave docs/api.md as it was", By: "Ben Example"},
	}
	d.Waiting = []Waiting{{Agent: "AGT-002", Since: clock(900), Text: "FAILED: time limit of 15m0s",
		Next: "delegate extend AGT-002 30m"}}
	d.Compared = []string{"AGT-001", "AGT-002", "target"}
	d.Findings = []conflict.Finding{{
		Type: conflict.APIConflict, Severity: conflict.Error, Blocking: true, Agents: []string{"AGT-001", "AGT-002"},
		Certainty: conflict.Confirmed,
		Message:   "AGT-001 gives New a second parameter, and AGT-002 calls it with one.",
		Advice:    "Send AGT-002 back to adapt.",
		Places: []conflict.Place{{Agent: "AGT-001", Path: "limit/bucket.go", Line: 3, Symbol: "New"},
			{Agent: "AGT-002", Path: "api/handler.go", Line: 12, Symbol: "limit.New"}},
	}}
	d.Events = append(d.Events, registry.Event{Time: clock(3700), Kind: registry.EventConflict, Agent: "AGT-001",
		Details: "AGT-001 × AGT-002 FILE_CONFLICT limit/bucket.go", By: "supervisor"}, registry.Event{Time: clock(3800),
		Kind: registry.EventResolved, Details: "AGT-001 × AGT-002 FILE_CONFLICT limit/bucket.go", By: "supervisor"})
	d.Tests = []Test{{Of: "AGT-001, Token bucket", Result: "pass", Took: 4 * time.Second,
		Output: "ok  \tlimits/limit\t0.2s"}}
	return d
}

const digest = "97e718183755d33bdb0d39009dc921604c71084ac3f2dc163d0015ca20e7ab9b"

func landedAgent() Agent {
	return Agent{
		Agent: registry.Agent{
			ID: "AGT-001", Name: "token-bucket", Subtask: "Token bucket", Status: registry.Merged,
			Allowed:     []string{"limit/**"},
			Checkpoints: 1, Attempt: 1, Turns: 1, Profile: "claude",
			Type: "STANDARD", Complexity: "Medium", Description: "Add a token bucket.",
			Context: "docs/limits.md decides the rates.", Tests: "pass",
			Branch: "delegate/DEL-20260102-150405/AGT-001/work", Head: strings.Repeat("b2", 20),
			MergeCommit: "c0ffee" + strings.Repeat("0", 34),
		},
		Elapsed: 413 * time.Second, Used: "48k in (12k cached), 1.2k out, ≈ 0.31 US$",
		Landings: []Landing{{Commit: "c0ffee" + strings.Repeat("0", 34), Digest: digest,
			Approved: "Ada Example <ada@example.com>"}},
		Files: []File{
			NewFile(change.File{Path: "limit/bucket.go", Kind: change.Modified, OldMode: change.ModeFile,
				NewMode: change.ModeFile, Insertions: 2, Deletions: 1},
				[]byte("package limit\n\nfunc New(rate int) *Bucket {\n\treturn &Bucket{rate: rate}\n}\n"),
				[]byte("package limit\n\nfunc New(rate, burst int) *Bucket {\n\treturn &Bucket{rate: rate, burst: "+
					"burst}\n}\n"), Brief()),
			NewFile(change.File{Path: "limit/logo.png", Kind: change.Added, NewMode: change.ModeFile, Binary: true},
				nil, []byte("\x89PNG\x00"), Brief()),
		},
		Patch: "git diff aaaa bbbb", Block: "AGENT CHECKPOINT: AGT-001\nStatus: COMPLETE",
		Differ: []string{"tests are claimed (PASS), and the transcript shows no test run"},
		Layers: []Layer{{"landlock", "on", "version 7"}},
	}
}

func failedAgent() Agent {
	return Agent{
		Agent: registry.Agent{
			ID: "AGT-002", Name: "handler", Subtask: "Limit the public handlers", Status: registry.Failed,
			Allowed:      []string{"api/**"},
			Forbidden:    []string{"api/internal/**"},
			Dependencies: []string{"AGT-001"}, Attempt: 1, Turns: 1, Profile: "codex", Description: "Call the limiter.",
			Tests: "not_run", Violations: 1,
			Flags: registry.Flags{registry.FlagTimeout.Flag()}, LastError: "time limit of 15m0s",
		},
		Elapsed: 15 * time.Minute, Next: "delegate extend AGT-002 30m",
		Breaches: []string{"docs/api.md: not in its scope"}, Tail: "still thinking\n",
		Files: []File{NewFile(change.File{Path: "api/handler.go", Kind: change.Added, NewMode: change.ModeFile,
			Insertions: 1}, nil, []byte("package api\n"), Brief())},
	}
}

func waitingAgent() Agent {
	return Agent{Agent: registry.Agent{ID: "AGT-003", Name: "docs", Subtask: "Write the guide",
		Status:  registry.Pending,
		Allowed: []string{"docs/**"}, Dependencies: []string{"AGT-002"}, Attempt: 1, Tests: "not_run"}}
}

// hostile is text that acts on a browser, a terminal or a reader if anything lets it.
func hostile() []string {
	return []string{
		`</script><script>document.title="owned"</script>`,
		`"><img src=http://evil.example/a.png onerror=document.title="owned">`,
		`</style></title></textarea><svg onload=document.title="owned">`,
		`javascript:document.title="owned"`, `{{.Session}} <!-- --> ]]>`, "\x1b[31mred\x1b]0;owned\x07",
		"nul\x00 bell\x07 delete\x7f c1\u009b", "bidi \u202egnp.exe\u2066 \u200f",
		"separators \u2028 \u2029 hyphen \u00ad tag \U000e0041", "invalid \xff\xc3\x28 \xed\xa0\x80",
		`<link rel=stylesheet href=http://evil.example/a.css><meta http-equiv=refresh content="0;url=http://evil.example/">`,
		`<a href="http://evil.example/">click</a> http://evil.example/b`, "line\r\nbreaks\n\n<h1>heading</h1>",
		"url(http://evil.example/c) @import 'http://evil.example/d';", strings.Repeat("very", 200),
	}
}

func hostileFlags() (all registry.Flags) {
	for _, text := range hostile() {
		all = append(all, registry.ParseFlag(text))
	}
	return all
}

// hostileSample puts every hostile text into every field that agents, plans and people write.
func hostileSample() Data {
	d := sample()
	all := strings.Join(hostile(), " ")
	d.Repository, d.Session.ParentTask, d.Session.Target, d.Session.PlanApproved, d.Session.Sandbox,
		d.Session.Paused = all, all, all, all, all, all
	d.Session.Verify, d.Gaps = hostile(), hostile()
	for i, text := range hostile() {
		a := Agent{Agent: registry.Agent{
			ID: text, Subtask: text, Status: registry.Status(text), Allowed: hostile(), Forbidden: hostile(),
			Profile: text, Type: text, Complexity: text, Description: text, Context: text,
			Dependencies: []string{"AGT-001", text}, ExpectedOutputs: hostile(), Task: text, Branch: text, Head: text,
			Tests: text, Flags: hostileFlags(), LastError: text,
			MergeCommit: text, RolledBack: text, AcceptedViolations: hostile(),
		}}
		a.Next, a.Patch, a.Block, a.Summary, a.Differ, a.Breaches, a.Tail = text, text, text, text, hostile(),
			hostile(), text
		a.Claims = []checkpoint.Row{{Kind: checkpoint.RowKind(text), Path: text, Claimed: text, Seen: text,
			Differs: true}}
		a.Layers, a.Landings = []Layer{{text, text, text}}, []Landing{{text, text, text, text}}
		a.Files = []File{
			NewFile(change.File{Path: text, OldPath: text + "2", Kind: change.Kind(text), OldMode: change.ModeFile,
				NewMode: change.ModeFile}, []byte("a\n"+text+"\nb\n"), []byte("a\n"+text+text+"\n"), Brief()),
			Unread(change.File{Path: text, Kind: change.Added}, fmt.Errorf("read %s", text)),
		}
		d.Agents = append(d.Agents, a)
		d.Events = append(d.Events, registry.Event{Time: clock(4000 + i), Kind: registry.Kind(text), Agent: text,
			Details: text, By: text},
			registry.Event{Time: clock(4000 + i), Kind: registry.EventViolation, Agent: text, Details: text, By: text})
		d.Waiting = append(d.Waiting, Waiting{text, clock(4000), text, text})
		d.Compared = append(d.Compared, text)
		d.Findings = append(d.Findings, conflict.Finding{Type: conflict.Type(text), Severity: conflict.Severity(text),
			Agents: []string{text, "target"}, Certainty: conflict.Certainty(text),
			Message: text, Advice: text, Places: []conflict.Place{{Agent: text, Path: text, Line: 1, Symbol: text}}})
		d.Tests = append(d.Tests, Test{Of: text, Flaky: hostile(), Result: text, Output: text})
	}
	return d
}

func page(t *testing.T, d Data) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
