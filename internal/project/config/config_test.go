package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/internal/text/budget"
)

const full = `# how agents work here
agent: claude
profiles:
  claude:
    command: claude -p 'two words' {prompt}
    prompt: argument
    resume: [claude, --resume, "{session_id}", ""]
    output: stream-json
    env: {PORT: 8080, DEBUG: true, EMPTY: "", TEXT: "a b"}
    pass_env: [ANTHROPIC_API_KEY]
  local.v2:
    env:
      A: x
planner: claude
planner_timeout: 3m
max_parallel_agents: 5
agent_timeout: 2h
checkpoint_interval: 0
scope_limit: 0
turn_limit: 12
budget: {agent: [2 US$, 200k tokens], session: 10.50}
prices:
  m-1: {input: 1.25, output: 10, date: 2026-01-31}
  m: {input: 2, cached: 0.5, date: 2026-01-31}
allowed_roots: [src/**, "tests/**"]
forbidden: db/schema.sql
restricted:
  - .env
verify:
  - go build ./...
  - |
    go vet ./...
    go test ./...
verify_timeout: 90
verify_runs: 7
end_after: 5m
confirm: [tsc, mypy]
confirm_timeout: 5s
analysis_limit: 30s
setup: make deps
copy: [.env, node_modules]
stall:
  QUICK: 1m
  RESEARCH: 0
nudge_grace: "30"
stop_grace: 1m30s
worktree_dir: ../trees
record: private
dependencies: COMPLETE
supervision: Semi-Autonomous
approval: Key
permission_wait: 15m
notify: notify-send 'delegate says'
review:
  architecture: [src/*/api/**]
  standards: golangci-lint run
  secrets: false
landing:
  mode: squash
  forge: gitea
  hooks: run
sandbox:
  level: off
  read: list
  readable: ~/data
  network: hosts
  hosts: ["api.example.org:443", "*.example.com"]
  writable: ~/shared
  hidden: [/srv/keys]
  scratch: tmp
  limits: {memory: 6GiB, processes: 0, cpu_weight: 20}
  verify: false
ports:
  first: 30000
  each: 4
limits: {file_size: 5MiB, work_size: 7000, entries: 0}
`

func TestParseReadsEveryKey(t *testing.T) {
	got, err := Parse(FileName, []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Agent: "claude",
		Profiles: map[string]Profile{
			"claude": {
				Command: []string{"claude", "-p", "two words", "{prompt}"},
				Prompt:  "argument",
				Resume:  []string{"claude", "--resume", "{session_id}", ""},
				Output:  "stream-json",
				Env:     map[string]string{"PORT": "8080", "DEBUG": "true", "EMPTY": "", "TEXT": "a b"},
				PassEnv: []string{"ANTHROPIC_API_KEY"},
			},
			"local.v2": {Env: map[string]string{"A": "x"}},
		},
		Planner:            "claude",
		PlannerTimeout:     setSpan(3 * time.Minute),
		MaxParallelAgents:  SetCount(5),
		AgentTimeout:       setSpan(2 * time.Hour),
		CheckpointInterval: setSpan(0),
		ScopeLimit:         SetCount(0),
		TurnLimit:          SetCount(12),
		Budget:             Budget{Agent: budget.Amount{Cost: 2, Tokens: 200000}, Session: budget.Amount{Cost: 10.5}},
		Prices:             map[string]Price{"m-1": {1.25, 1.25, 10, "2026-01-31"}, "m": {2, 0.5, 0, "2026-01-31"}},
		AllowedRoots:       []string{"src/**", "tests/**"},
		Forbidden:          []string{"db/schema.sql"},
		Restricted:         []string{".env"},
		Verify:             []string{"go build ./...", "go vet ./...\ngo test ./..."},
		VerifyTimeout:      setSpan(90 * time.Second),
		VerifyRuns:         7,
		EndAfter:           setSpan(5 * time.Minute),
		Confirm:            []string{"tsc", "mypy"},
		ConfirmTimeout:     setSpan(5 * time.Second),
		AnalysisLimit:      setSpan(30 * time.Second),
		Setup:              []string{"make deps"},
		Copy:               []string{".env", "node_modules"},
		Stall: map[string]Span{
			Quick:         setSpan(time.Minute),
			Standard:      defaultSpan(10 * time.Minute),
			Research:      setSpan(0),
			Orchestration: defaultSpan(30 * time.Minute),
		},
		NudgeGrace:     setSpan(30 * time.Second),
		PermissionWait: setSpan(15 * time.Minute),
		StopGrace:      setSpan(90 * time.Second),
		WorktreeDir:    "../trees",
		Record:         RecordPrivate,
		Dependencies:   DependComplete,
		Supervision:    SemiAutonomous,
		Approval:       ApprovalByKey,
		Notify:         []string{"notify-send", "delegate says"},
		Review: Review{
			Architecture: []string{"src/*/api/**"},
			Standards:    []string{"golangci-lint run"},
		},
		Landing: Landing{Mode: LandBySquash, Forge: Gitea, Hooks: RunHooks},
		Sandbox: Sandbox{
			Level: SandboxOff, Read: ReadByList, Readable: []string{"~/data"},
			Network: NetworkHosts, Hosts: []string{"api.example.org:443", "*.example.com"},
			Writable: []string{"~/shared"},
			Hidden:   []string{"/srv/keys"}, Scratch: []string{"tmp"},
			Limits: Resources{Memory: Bytes{set: true, value: 6 << 30}, Processes: SetCount(0), CPUWeight: 20},
		},
		Ports:  Ports{First: 30000, Each: 4},
		Limits: Limits{FileSize: 5 << 20, WorkSize: 7000, Entries: SetCount(0)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestNothingConfiguredIsTheDefault(t *testing.T) {
	inputs := map[string]string{
		"empty":                 "",
		"byte order mark":       "\ufeff",
		"comments":              "# nothing\n\n",
		"document marks":        "---\n...\n",
		"directive":             "%YAML 1.2\n---\n",
		"keys without values":   "agent:\nverify:\nstall:\nreview:\n  secrets:\nagent_timeout: ~\nprofiles:\n",
		"empty flow collection": "verify: []\ncopy: []\n",
	}
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(FileName, []byte(in))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, Default()) {
				t.Errorf("got %+v, want the defaults", got)
			}
		})
	}
}

func TestDefaultsStandAtTheirNumbers(t *testing.T) {
	c := Default()
	if n := c.MaxParallelAgents.Value(); n != 3 {
		t.Errorf("max_parallel_agents %d, want 3", n)
	}
	if n := c.ScopeLimit.Value(); n != 20 {
		t.Errorf("scope_limit %d, want 20", n)
	}
	spans := map[string]struct {
		got  Span
		want time.Duration
	}{
		"agent_timeout":       {c.AgentTimeout, time.Hour},
		"checkpoint_interval": {c.CheckpointInterval, 30 * time.Minute},
		"verify_timeout":      {c.VerifyTimeout, 10 * time.Minute},
		"nudge_grace":         {c.NudgeGrace, 2 * time.Minute},
		"permission_wait":     {c.PermissionWait, 5 * time.Minute},
		"stop_grace":          {c.StopGrace, 10 * time.Second},
		"stall.QUICK":         {c.Stall["QUICK"], 5 * time.Minute},
		"stall.STANDARD":      {c.Stall["STANDARD"], 10 * time.Minute},
		"stall.RESEARCH":      {c.Stall["RESEARCH"], 20 * time.Minute},
		"stall.ORCHESTRATION": {c.Stall["ORCHESTRATION"], 30 * time.Minute},
	}
	for key, s := range spans {
		if s.got.Value() != s.want || s.got.IsSet() || s.got.Off() {
			t.Errorf("%s is %v (set %t, off %t), want the default %v", key, s.got, s.got.IsSet(), s.got.Off(), s.want)
		}
	}
	if !c.TurnLimit.Off() || c.TurnLimit.IsSet() || !c.Budget.Agent.Off() || !c.Budget.Session.Off() {
		t.Errorf("turn limit and budget are %v and %v, want off and not configured", c.TurnLimit, c.Budget)
	}
}

func TestLimitKeepsUnsetDefaultAndZeroApart(t *testing.T) {
	tests := []struct {
		in   string
		set  bool
		off  bool
		want time.Duration
		text string
	}{
		{"", false, false, time.Hour, "1h0m0s"},
		{"agent_timeout:", false, false, time.Hour, "1h0m0s"},
		{"agent_timeout: 0", true, true, 0, "off"},
		{"agent_timeout: 0s", true, true, 0, "off"},
		{"agent_timeout: 1h", true, false, time.Hour, "1h0m0s"},
		{"agent_timeout: 90", true, false, 90 * time.Second, "1m30s"},
		{"agent_timeout: 010", true, false, 10 * time.Second, "10s"},
		{"agent_timeout: 1.5h", true, false, 90 * time.Minute, "1h30m0s"},
	}
	for _, tt := range tests {
		c, err := Parse(FileName, []byte(tt.in))
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		s := c.AgentTimeout
		if s.IsSet() != tt.set || s.Off() != tt.off || s.Value() != tt.want || s.String() != tt.text {
			t.Errorf("%q: set %t, off %t, %v, %q", tt.in, s.IsSet(), s.Off(), s.Value(), s.String())
		}
	}
}

func TestFaultsNameLineAndKey(t *testing.T) {
	tests := []struct {
		name string
		in   string
		line int
		key  string
		say  string
	}{
		{"unknown key", "agent: a\nagnet: b\n", 2, "agnet", "unknown key; did you mean agent?"},
		{"renamed key", "cost_limit: 2\n", 1, "cost_limit", "is budget.agent now: budget: {agent: 2.50 US$}"},
		{"no budget", "budget: {session: 5 EUR}\n", 1, "budget.session", "write 2 US$, 500k tokens"},
		{"two sums of money", "budget: {agent: [1 US$, 2 US$]}\n", 1, "budget.agent", `"1 US$, 2 US$" is no budget`},
		{"price without a date", "prices: {m: {input: 1}}\n", 1, "prices.m", "the date of these prices"},
		{"price of another day", "prices: {m: {input: 1, date: soon}}\n", 1, "prices.m.date", "is no day"},
		{"unknown key like no other", "agent: a\ncolour: b\n", 2, "colour", "unknown key; known here: agent"},
		{"unknown key below", "review:\n  secrets: true\n  secret: true\n", 3, "review.secret",
			"unknown key; did you mean secrets?"},
		{"unknown key in a profile", "profiles:\n  x:\n    cmd: y\n", 3, "profiles.x.cmd", "unknown key"},
		{"unknown task type", "stall:\n  SLOW: 1m\n", 2, "stall.SLOW", "QUICK, STANDARD"},
		{"duplicate", "agent: a\n\nagent: b\n", 3, "agent", "first on line 1"},
		{"duplicate profile", "profiles:\n  x: {}\n  x: {}\n", 3, "profiles.x", "first on line 2"},
		{"text for a number", "scope_limit: many\n", 1, "scope_limit", "whole number, not text"},
		{"quoted number", "scope_limit: '3'\n", 1, "scope_limit", "whole number"},
		{"fraction", "scope_limit: 1.5\n", 1, "scope_limit", "whole number"},
		{"negative count", "scope_limit: -1\n", 1, "scope_limit", "negative"},
		{"huge count", "scope_limit: 9999999999\n", 1, "scope_limit", "too large"},
		{"hexadecimal count", "scope_limit: 0x10\n", 1, "scope_limit", "whole number"},
		{"negative duration", "stop_grace: -5s\n", 1, "stop_grace", "negative"},
		{"negative seconds", "stop_grace: -5\n", 1, "stop_grace", "negative"},
		{"no duration", "stop_grace: soon\n", 1, "stop_grace", "1h30m"},
		{"fraction of seconds", "stop_grace: 1.5\n", 1, "stop_grace", "1h30m"},
		{"too long", "stop_grace: 99999999999\n", 1, "stop_grace", "duration"},
		{"list for a duration", "stop_grace: [1]\n", 1, "stop_grace", "duration"},
		{"stall value", "stall:\n  QUICK: x\n", 2, "stall.QUICK", "duration"},
		{"unknown checker", "confirm: [clippy]\n", 1, "confirm[0]", "name some of tsc"},
		{"truth value as command", "verify: true\n", 1, "verify", `put it in quotes: "true"`},
		{"number in a list", "verify:\n  - ok\n  - 12\n", 3, "verify[1]", "in quotes"},
		{"nothing in a list", "verify:\n  - ok\n  -\n", 3, "verify[1]", "not nothing"},
		{"mapping for a list", "verify:\n  a: b\n", 1, "verify", "not a mapping"},
		{"empty text", "agent: ''\n", 1, "agent", "empty"},
		{"two agents", "agent: claude codex\n", 1, "agent", "no profile name"},
		{"absolute copy", "copy: [/etc/passwd]\n", 1, "copy[0]", "absolute"},
		{"drive copy", `copy: 'C:\x'` + "\n", 1, "copy", "absolute"},
		{"copy from outside", "copy: [a/../../b]\n", 1, "copy[0]", "leaves the repository"},
		{"copy of everything", "copy: ./\n", 1, "copy", "whole repository"},
		{"home folder", "worktree_dir: ~/trees\n", 1, "worktree_dir", "not expanded"},
		{"bad dependencies", "dependencies: done\n", 1, "dependencies", "merged, complete"},
		{"bad supervision", "supervision: none\n", 1, "supervision", "supervised, semi-autonomous"},
		{"bad prompt", "profiles:\n  x:\n    prompt: pipe\n", 3, "profiles.x.prompt", "argument, stdin, file"},
		{"bad output", "profiles:\n  x:\n    output: xml\n", 3, "profiles.x.output", "stream-json"},
		{"no kind of engine", "engines: {c: {login: x}}\n", 1, "engines.c", "needs its kind: slurm or kubernetes"},
		{"unknown kind of engine", "engines: {c: {kind: nomad}}\n", 1, "engines.c.kind", "slurm, kubernetes"},
		{"no pod", "engines: {c: {kind: kubernetes}}\n", 1, "engines.c", "needs its template"},
		{"login of a cluster", "engines: {c: {kind: kubernetes, template: p.yaml, login: x}}\n", 1, "engines.c",
			"are keys of slurm"},
		{"pod for slurm", "engines: {c: {kind: slurm, template: p.yaml}}\n", 1, "engines.c", "are keys of kubernetes"},
		{"open quote", "profiles:\n  x:\n    command: a 'b\n", 3, "profiles.x.command", "Unterminated"},
		{"no program", "profiles:\n  x:\n    command: []\n", 3, "profiles.x.command", "names no program"},
		{"empty program", "notify: ['', a]\n", 1, "notify", "names no program"},
		{"program below ~", "profiles:\n  x:\n    command: [~/bin/x]\n", 3, "profiles.x.command", "~ is not expanded"},
		{"profile name", "profiles:\n  a/b:\n    prompt: stdin\n", 2, "profiles.a/b", "no profile name"},
		{"profile is text", "profiles:\n  x: claude -p\n", 2, "profiles.x", "must be a mapping"},
		{"reserved variable", "profiles:\n  x:\n    env:\n      DELEGATE_AGENT: z\n", 4,
			"profiles.x.env.DELEGATE_AGENT", "reserved"},
		{"variable without value", "profiles:\n  x:\n    env:\n      A:\n", 4, "profiles.x.env.A", "no value"},
		{"variable name", "profiles:\n  x:\n    pass_env: [A=B]\n", 3, "profiles.x.pass_env[0]", "not the name"},
		{"secrets as text", "review: {secrets: 'yes'}\n", 1, "review.secrets", "true or false"},
		{"list at the top", "- a\n", 1, "", "mapping"},
		{"text at the top", "hello\n", 1, "", "mapping"},
		{"alias", "agent: &a x\nverify: *a\n", 1, "agent", "write the value out"},
		{"merge key", "stall:\n  <<: {QUICK: 1m}\n", 2, "stall", "merge key"},
		{"tag", "agent: !!str x\n", 1, "agent", "remove the tag"},
		{"complex key", "? a\n: b\n", 1, "", "plain word"},
		{"second document", "agent: a\n---\nagent: b\n", 3, "", "second YAML document"},
		{"open bracket", "agent: a\nverify: [a\n", 2, "", "is not valid YAML: "},
		{"tab", "stall:\n\tQUICK: 1m\n", 2, "", "is not valid YAML: "},
		{"not UTF-8", "agent: a\n# \xff\n", 2, "", "UTF-8"},
		{"NUL", "agent: a\nverify: b\x00\n", 2, "", "NUL"},
		{"escaped NUL", `verify: "a\0b"` + "\n", 1, "verify", "NUL"},
		{"after CRLF", "agent: a\r\nagnet: b\r\n", 2, "agnet", "unknown key"},
		{"after a byte order mark", "\ufeffagnet: b\n", 1, "agnet", "unknown key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse("c.yaml", []byte(tt.in))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if !reflect.DeepEqual(got, Config{}) {
				t.Errorf("a refused file gave a configuration: %+v", got)
			}
			f := e.Faults[0]
			if f.Line != tt.line || f.Key != tt.key || !strings.Contains(f.Reason, tt.say) {
				t.Errorf("first fault %+v, want line %d, key %q, saying %q", f, tt.line, tt.key, tt.say)
			}
		})
	}
}

func TestAllFaultsAtOnceInOrder(t *testing.T) {
	in := "scope_limit: x\nprofiles:\n  a:\n    prompt: no\n    zzz: 1\nverify: [1, ok, 2]\nnope: 1\n"
	_, err := Parse("dir/.delegate.yaml", []byte(in))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	var lines []int
	for _, f := range e.Faults {
		lines = append(lines, f.Line)
	}
	if want := []int{1, 4, 5, 6, 6, 7}; !reflect.DeepEqual(lines, want) {
		t.Errorf("faults on lines %v, want %v:\n%v", lines, want, err)
	}
	text := strings.Split(err.Error(), "\n")
	if len(text) != 6 || !strings.HasPrefix(text[0], "dir/.delegate.yaml:1: scope_limit: must be") {
		t.Errorf("error text:\n%v", err)
	}
}

func TestSizesAreBounded(t *testing.T) {
	tests := map[string]struct {
		in  string
		say string
	}{
		"whole file": {strings.Repeat("# x\n", maxSize/4+1), "larger than"},
		"nesting":    {"verify: " + strings.Repeat("[", 5000), "brackets"},
		"line":       {"verify: " + strings.Repeat("- ", 40000), "longer than"},
	}
	for name, tt := range tests {
		_, err := Parse("c", []byte(tt.in))
		if err == nil || !strings.Contains(err.Error(), tt.say) {
			t.Errorf("%s: error %v, want %q", name, err, tt.say)
		}
	}
}

func TestLoad(t *testing.T) {
	root := t.TempDir()
	got, err := Load(root)
	if err != nil || !reflect.DeepEqual(got, Default()) {
		t.Fatalf("no file: %+v, %v; want the defaults", got, err)
	}
	path := filepath.Join(root, FileName)
	if err := os.WriteFile(path, []byte("scope_limit: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err = Load(root); err != nil || got.ScopeLimit != SetCount(7) {
		t.Errorf("scope_limit %v, %v; want 7", got.ScopeLimit, err)
	}
	if err := os.WriteFile(path, []byte("scope_limits: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = Load(root); err == nil || !strings.HasPrefix(err.Error(), path+":1: scope_limits: unknown key") {
		t.Errorf("error %v, want one that begins with path and line", err)
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Load(root)
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error %v, want one about the kind of file", err)
	}
}

// FuzzParse holds that any bytes give either a whole configuration or located faults.
func FuzzParse(f *testing.F) {
	for _, s := range []string{full, "", "a: [", "profiles:\n  x:\n    command: 'a\n", "? a\n: b", "agent: !!str a",
		"verify: |\n  a\n", "<<: *a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("c.yaml", data)
		if err == nil {
			if len(c.Stall) != 4 || c.MaxParallelAgents.Value() < 0 || c.AgentTimeout.Value() < 0 {
				t.Errorf("accepted a configuration that breaks its promises: %+v", c)
			}
			return
		}
		var e *Error
		if !errors.As(err, &e) || len(e.Faults) == 0 {
			t.Fatalf("error %v is not an *Error with faults", err)
		}
		lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + 1
		for i, fault := range e.Faults {
			if fault.Line < 0 || fault.Line > lines || fault.Reason == "" || i > 0 && e.Faults[i-1].Line > fault.Line {
				t.Errorf("fault %d is %+v in %d lines", i, fault, lines)
			}
		}
	})
}

func TestParseVerifyDetect(t *testing.T) {
	for text, want := range map[string]Config{
		"verify: detect":            {VerifyDetect: true},
		"verify: 'detect'":          {VerifyDetect: true},
		"verify: [detect]":          {Verify: []string{"detect"}},
		"verify: detect all":        {Verify: []string{"detect all"}},
		"verify: [detect, go test]": {Verify: []string{"detect", "go test"}},
		"verify: Detect":            {Verify: []string{"Detect"}},
		"verify:":                   {},
	} {
		got, err := Parse(FileName, []byte(text))
		if err != nil || got.VerifyDetect != want.VerifyDetect || !slices.Equal(got.Verify, want.Verify) {
			t.Errorf("%q: %v %q, %v", text, got.VerifyDetect, got.Verify, err)
		}
	}
}

func TestPorts(t *testing.T) {
	c, err := Parse("c", []byte("ports: {first: 40000, each: 3}\n"))
	if err != nil || c.Ports != (Ports{First: 40000, Each: 3}) {
		t.Errorf("ports are %+v, %v", c.Ports, err)
	}
	for text, want := range map[string]string{
		"ports: {first: 80}\n": "1024 to 65000", "ports: {first: 65001}\n": "1024", "ports: {each: -1}\n": "0 to 1000",
		"ports: {each: many}\n": "whole number",
	} {
		if _, err := Parse("c", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
