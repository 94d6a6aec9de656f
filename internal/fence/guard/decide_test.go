package guard

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/scope"
)

func TestWrites(t *testing.T) {
	g := newGround(t)
	g.link(t, "src/out", filepath.Join(g.root, "outside"))
	g.link(t, "src/up", "../..")
	g.link(t, "src/new", filepath.Join(g.root, "outside", "new.txt"))
	g.link(t, "src/old", "legacy")
	g.link(t, "src/within", "../docs")
	g.link(t, "src/deep", "legacy/a/b")
	g.link(t, "into", "src/sub/deep")
	for path, want := range map[string]Verdict{
		"src/a.go":                   {Allowed: true},
		"ROOT/tree/work/src/b/c.go":  {Allowed: true},
		"docs/../src/a.go":           {Allowed: true},
		"src/legacy/a.go":            {Path: "src/legacy/a.go", Pattern: "src/legacy/**"},
		"lib/a.go":                   {Path: "lib/a.go"},
		"src/.git/config":            {Path: "src/.git/config", Pattern: "**/.git/**"},
		".":                          {Path: "."},
		"../outside.txt":             {Path: "ROOT/tree/outside.txt"},
		"../work/src/a.go":           {Allowed: true},
		"../worktwo/src/a.go":        {Path: "ROOT/tree/worktwo/src/a.go"},
		"ROOT/tree/worktwo/src/a.go": {Path: "ROOT/tree/worktwo/src/a.go"},
		"ROOT/desk/inbox/note.md":    {Allowed: true},
		"ROOT/home/.cache/x":         {Allowed: true},
		"ROOT/tmp/x":                 {Allowed: true},
		"ROOT/tmp/../outside/x":      {Path: "ROOT/outside/x"},
		"ROOT/tmpfile":               {Path: "ROOT/tmpfile"},
		"src/out/a.go":               {Path: "ROOT/outside/a.go"},
		"src/up/away":                {Path: "ROOT/tree/away"},
		"src/new":                    {Path: "ROOT/outside/new.txt"},
		"src/old/a.go":               {Path: "src/legacy/a.go", Pattern: "src/legacy/**"},
		"src/within/a.md":            {Allowed: true},
		"src/within/a.go":            {Path: "docs/a.go"},
		// for the kernel; for programs that take ".." by the letter it is src/a.go
		"src/out/../a.go":              {Path: "ROOT/a.go"},
		"into/../a.go":                 {Path: "a.go"}, // by the letter; for the kernel it is src/sub/a.go
		"src/deep/../../../../docs/no": {Path: "docs/no"},
		"/proc/self/cwd/src/a.go":      {Path: "/proc/self/cwd/src/a.go"},
	} {
		path = strings.ReplaceAll(path, "ROOT", g.root)
		want.Path = strings.ReplaceAll(want.Path, "ROOT", g.root)
		got := decided(t, g.policy, g.writes(path))
		reason := got.Reason
		got.Reason = ""
		if got != want {
			t.Errorf("%q is %+v, want %+v", path, got, want)
		}
		if !want.Allowed && (!strings.Contains(reason, want.Path) || !strings.Contains(reason, want.Pattern) ||
			!strings.Contains(reason, "Status: BLOCKED")) {
			t.Errorf("%q is refused with %q", path, reason)
		}
	}
}

func TestOnePathOfManyRefusesAll(t *testing.T) {
	g := newGround(t)
	if v := decided(t, g.policy, g.writes("src/a.go", "lib/b.go", "src/c.go")); v.Allowed || v.Path != "lib/b.go" {
		t.Errorf("%+v", v)
	}
}

func TestWorkingFolder(t *testing.T) {
	g := newGround(t)
	g.link(t, "src/away", filepath.Join(g.root, "outside"))
	inside := filepath.Join(g.policy.Worktree, "src")
	for dir, allowed := range map[string]bool{
		g.policy.Worktree: true, inside: true, g.policy.Tmp: false, filepath.Join(inside, "away"): false,
		filepath.Join(inside, "..", ".."): false,
	} {
		if v := decided(t, g.policy, Call{Tool: "Edit", Dir: dir,
			Paths: []string{filepath.Join(inside, "a.go")}}); v.Allowed != allowed {
			t.Errorf("from %q: %+v", dir, v)
		}
	}
	if v := decided(t, g.policy, Call{Tool: "Edit", Dir: inside,
		Paths: []string{"legacy/a.go"}}); v.Path != "src/legacy/a.go" {
		t.Errorf("a relative path begins elsewhere: %+v", v)
	}
}

// TestFoldersBehindLinks has a policy that names its folders by another way than the calls do.
func TestFoldersBehindLinks(t *testing.T) {
	g := newGround(t)
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(g.root, alias); err != nil {
		t.Fatal(err)
	}
	p := g.policy
	for _, folder := range []*string{&p.Worktree, &p.AgentDir, &p.Home, &p.Tmp} {
		*folder = strings.Replace(*folder, g.root, alias, 1)
	}
	for path, allowed := range map[string]bool{"src/a.go": true, "lib/a.go": false, g.policy.AgentDir + "/x": true,
		p.AgentDir + "/x": true} {
		if v := decided(t, p, g.writes(path)); v.Allowed != allowed {
			t.Errorf("%q: %+v", path, v)
		}
	}
	g.link(t, "src/tmp", "..")
	p.Tmp = filepath.Join(g.policy.Worktree, "src", "tmp", "..", "..", "..")
	if v, err := Decide(p, g.writes("lib/a.go")); err == nil {
		t.Errorf("a temporary folder that holds the worktree: %+v", v)
	}
}

func TestReads(t *testing.T) {
	g := newGround(t)
	g.link(t, "open", "keys")
	for path, pattern := range map[string]string{
		"src/a.go": "", ".env": "**/.env", "deep/down/.env": "**/.env", "keys/id": "keys/**", "open/id": "keys/**",
		"src/../keys/id": "keys/**",
		"../keys/id":     "", "ROOT/outside/.env": "", "ROOT/tree/work/.env": "**/.env",
	} {
		for _, tool := range []string{"Read", "read_file", "Grep"} {
			v := decided(t, g.policy, Call{Tool: tool, Dir: g.policy.Worktree,
				Reads: []string{"src", strings.ReplaceAll(path, "ROOT", g.root)}})
			if v.Allowed != (pattern == "") || v.Pattern != pattern {
				t.Errorf("%s %q: %+v", tool, path, v)
			}
		}
	}
}

func TestTools(t *testing.T) {
	g := newGround(t)
	for tool := range strings.FieldsSeq("Agent Task Workflow SendMessage CronCreate ScheduleWakeup EnterWorktree " +
		"spawn_agent send_input resume_agent close_agent invoke_agent agent task") {
		if v := decided(t, g.policy, Call{Tool: tool, Dir: "/"}); v.Allowed || v.Pattern != tool ||
			!strings.Contains(v.Reason, "an agent does not start agents") {
			t.Errorf("%s: %+v", tool, v)
		}
	}
	for tool := range strings.FieldsSeq(
		"Write Edit MultiEdit NotebookEdit write_file replace edit create apply_patch") {
		if v := decided(t, g.policy, Call{Tool: tool, Dir: g.policy.Worktree, Paths: []string{"lib/x"}}); v.Allowed {
			t.Errorf("%s: %+v", tool, v)
		}
	}
	for tool := range strings.FieldsSeq("Bash shell exec_command run_shell_command local_shell") {
		if v := decided(t, g.policy, Call{Tool: tool, Dir: g.policy.Worktree, Command: "git push"}); v.Allowed {
			t.Errorf("%s: %+v", tool, v)
		}
	}
	for tool := range strings.FieldsSeq("TodoWrite WebFetch mcp__files__task ToolSearch") {
		if v := decided(t, g.policy, Call{Tool: tool, Dir: "/", Paths: []string{"lib/x"},
			Command: "git push"}); !v.Allowed {
			t.Errorf("%s: %+v", tool, v)
		}
	}
}

func TestDoubt(t *testing.T) {
	g := newGround(t)
	g.link(t, "src/loop", "loop")
	loose, blind := g.policy, g.policy
	loose.Allowed, blind.Restricted = []string{"a", "**"}, []string{"{"}
	for name, ask := range map[string]func() (Verdict, error){
		"a circle of links": func() (Verdict, error) { return Decide(g.policy, g.writes("src/loop/a")) },
		"a name with NUL":   func() (Verdict, error) { return Decide(g.policy, g.writes("src/a\x00b")) },
		"no path":           func() (Verdict, error) { return Decide(g.policy, g.writes()) },
		"an open quote": func() (Verdict, error) {
			return Decide(g.policy, Call{Tool: "Bash", Command: "echo 'a"})
		},
		"a scope of everything": func() (Verdict, error) { return Decide(loose, g.writes("src/a")) },
		"a glob that is no glob": func() (Verdict, error) {
			return Decide(blind, Call{Tool: "Read", Dir: "/", Reads: []string{"x"}})
		},
	} {
		if v, err := ask(); err == nil || v.Allowed {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

// TestAgreesWithTheScope asks about paths without links, for which only the scope can decide.
func TestAgreesWithTheScope(t *testing.T) {
	g := newGround(t)
	s, err := scope.New(scope.Config{Allowed: g.policy.Allowed, Forbidden: g.policy.Forbidden})
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{"src", "legacy", "docs", "a.md", "b.go", ".git", ".claude", "new", "Src", "a b", "ü", "-", "*"}
	random := rand.New(rand.NewPCG(1, 2))
	counts := map[bool]int{}
	for range 1000 {
		names := make([]string, 1+random.IntN(4))
		for i := range names {
			names[i] = parts[random.IntN(len(parts))]
		}
		if random.IntN(2) == 0 {
			names[0] = "src"
		}
		path := strings.Join(names, "/")
		want := s.Check(path)
		for _, spelled := range []string{path, filepath.Join(g.policy.Worktree, path),
			"./" + strings.ReplaceAll(path, "/", "//"), "src/../" + path} {
			got := decided(t, g.policy, g.writes(spelled))
			if got.Allowed != want.Allowed || !got.Allowed && (got.Pattern != want.Pattern || got.Path != path) {
				t.Fatalf("%q is %+v, the scope says %v", spelled, got, want)
			}
		}
		counts[want.Allowed]++
	}
	if counts[true] < 100 || counts[false] < 100 {
		t.Errorf("of one kind there are too few: %v", counts)
	}
}
