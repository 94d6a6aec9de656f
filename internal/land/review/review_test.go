package review_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/land/review"
	"delegate/internal/project/config"
)

// tree is files by path; what begins with "+x " can be executed.
type tree map[string]string

func (t tree) fs() fs.FS {
	all := fstest.MapFS{}
	for name, text := range t {
		all[name] = &fstest.MapFile{Data: []byte(strings.TrimPrefix(text, "+x "))}
	}
	return all
}

func (t tree) mode(name string) uint32 {
	text, there := t[name]
	switch {
	case !there:
		return 0
	case strings.HasPrefix(text, "+x "):
		return change.ModeExecutable
	}
	return change.ModeFile
}

// between lists what differs; renamed has the earlier paths of what was renamed.
func between(before, after tree, renamed map[string]string) []change.File {
	var files []change.File
	add := func(f change.File, old, new string) {
		f.Binary = change.IsBinary([]byte(old)) || change.IsBinary([]byte(new))
		files = append(files, f)
	}
	gone := map[string]bool{}
	for name, text := range after {
		old, had := before[name]
		f := change.File{Path: name, Kind: change.Modified, OldMode: before.mode(name), NewMode: after.mode(name)}
		if from := renamed[name]; from != "" {
			gone[from] = true
			f.Kind, f.OldPath, f.OldMode = change.Renamed, from, before.mode(from)
			old = before[from]
		} else if !had {
			f.Kind = change.Added
		}
		if f.Kind != change.Modified || old != text {
			add(f, old, text)
		}
	}
	for name, text := range before {
		if _, there := after[name]; !there && !gone[name] {
			add(change.File{Path: name, Kind: change.Deleted, OldMode: before.mode(name)}, text, "")
		}
	}
	slices.SortFunc(files, func(a, b change.File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// reviewed is the review with the search for cycles in this process.
func reviewed(ctx context.Context, r review.Request) ([]review.Remark, error) {
	r.Cycles = func() ([]conflict.Cycle, error) { return conflict.NewCycles(r.Before, r.After, r.Changes) }
	return review.Run(ctx, r)
}

// scene is one review; want has a line for each remark, "Severity place: text", the text up to where the line ends.
type scene struct {
	before, after tree
	renamed       map[string]string
	rules         config.Review
	asked         string
	want          []string
}

func (s scene) run(t *testing.T) []review.Remark {
	t.Helper()
	got, err := reviewed(t.Context(), review.Request{
		Before: s.before.fs(), After: s.after.fs(), Changes: between(s.before, s.after, s.renamed), Rules: s.rules,
		Asked: s.asked,
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (s scene) check(t *testing.T) {
	t.Helper()
	var got []string
	for _, r := range s.run(t) {
		got = append(got, string(r.Severity)+" "+r.String())
	}
	same := func(g, w string) bool { return strings.HasPrefix(g, w) }
	if !slices.EqualFunc(got, s.want, same) {
		t.Errorf("remarks:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(s.want, "\n"))
	}
}

func TestArchitecture(t *testing.T) {
	core := config.Review{Architecture: []string{"src/core/**"}}
	for name, s := range map[string]scene{
		"new outside": {nil, tree{"src/odd.txt": "x\n", "src/core/fine.txt": "x\n"}, nil, core, "", []string{
			"Warning src/odd.txt: a new file in no place named by review.architecture (src/core/**)"}},
		"changed outside": {tree{"odd": "x\n"}, tree{"odd": "y\n"}, nil, core, "", nil},
		"moved outside": {tree{"src/core/a": "x\n"}, tree{"b": "x\n"}, map[string]string{"b": "src/core/a"}, core, "",
			[]string{"Warning b: a new file"}},
		"deleted": {tree{"odd": "x\n"}, tree{}, nil, core, "", nil},
		"no rule": {nil, tree{"odd": "x\n"}, nil, config.Review{}, "", nil},
	} {
		t.Run(name, s.check)
	}
}

func TestArchitectureRefusesBadGlobs(t *testing.T) {
	_, err := reviewed(t.Context(), review.Request{Before: tree{}.fs(), After: tree{}.fs(),
		Rules: config.Review{Architecture: []string{"../x"}}})
	if err == nil {
		t.Error("a glob that leads out of the repository is taken")
	}
}

func goFile(imports ...string) string {
	text := "package x\n"
	for _, i := range imports {
		text += fmt.Sprintf("import _ %q\n", "example.org/m/"+i)
	}
	return text
}

func TestImportCycle(t *testing.T) {
	mod := "module example.org/m\n"
	base := tree{"go.mod": mod, "a/a.go": goFile("b"), "b/b.go": goFile(), "c/c.go": goFile()}
	with := func(name, text string) tree {
		after := tree{name: text}
		for k, v := range base {
			if after[k] == "" {
				after[k] = v
			}
		}
		return after
	}
	for name, s := range map[string]scene{
		"closed": {base, with("b/b.go", goFile("a")), nil, config.Review{}, "",
			[]string{"Critical b/b.go:2: this import closes a cycle: b → a → b; Go does not compile it"}},
		"none": {base, with("b/b.go", goFile("c")), nil, config.Review{}, "", nil},
		"of itself": {base, with("c/c.go", goFile("c")), nil, config.Review{}, "",
			[]string{"Critical c/c.go:2: this import closes a cycle: c → c; Go"}},
		"in a test":   {base, with("b/b_test.go", goFile("a")), nil, config.Review{}, "", nil},
		"in testdata": {base, with("b/testdata/x.go", goFile("b/testdata")), nil, config.Review{}, "", nil},
		"conditional": {base, with("b/b_linux.go", goFile("a")), nil, config.Review{}, "",
			[]string{"Warning b/b_linux.go:2: this import closes a cycle: b → a → b; not every build"}},
		"other module": {base, with("b/b.go", strings.ReplaceAll(goFile("a"), "example.org/m", "example.org/other")),
			nil, config.Review{}, "", nil},
		"nested module": {base, tree{"go.mod": mod, "a/a.go": goFile("b"), "b/b.go": goFile(), "c/c.go": goFile(),
			"n/go.mod": "module n.org/n\n",
			"n/x/x.go": "package x\nimport _ \"n.org/n/y\"\n", "n/y/y.go": "package y\nimport _ \"n.org/n/x\"\n"}, nil,
			config.Review{}, "", []string{"Critical n/x/x.go:2: this import closes a cycle: n/x → n/y → n/x"}},
		"there before": {with("b/b.go", goFile("a")),
			tree{"go.mod": mod, "a/a.go": goFile("b") + "\n", "b/b.go": goFile("a") + "\n", "c/c.go": goFile()}, nil,
			config.Review{}, "", nil},
	} {
		t.Run(name, s.check)
	}
}

func TestManyRemarksAreCut(t *testing.T) {
	after := tree{}
	for i := range 60 {
		after[fmt.Sprintf("f%02d", i)] = "x\n"
	}
	got := scene{after: after, rules: config.Review{Architecture: []string{"src/**"}}}.run(t)
	if len(got) != 51 || !slices.ContainsFunc(got, func(r review.Remark) bool {
		return r.Text == "10 more remarks were left out"
	}) {
		t.Errorf("%d remarks, %+v", len(got), got[0])
	}
}

func TestDependency(t *testing.T) {
	mod := func(lines ...string) string {
		return "module example.org/m\n\nrequire (\n\t" + strings.Join(lines, "\n\t") + "\n)\n"
	}
	old := tree{"go.mod": mod("github.com/a/known v1.0.0")}
	fresh := tree{"go.mod": mod("github.com/a/known v1.0.0", "github.com/spf13/cobra/v2 v2.8.0")}
	one := []string{"Warning go.mod:5: requires github.com/spf13/cobra/v2 v2.8.0, which it did not, and the subtask " +
		"does not name it"}
	npm := tree{"web/package.json": `{"dependencies": {"left-pad": "^1.0.0"}}`}
	for name, s := range map[string]scene{
		"new":            {old, fresh, nil, config.Review{}, "Write a command line", one},
		"named whole":    {old, fresh, nil, config.Review{}, "use github.com/spf13/Cobra.", nil},
		"named short":    {old, fresh, nil, config.Review{}, "a CLI (`cobra`)", nil},
		"part of a word": {old, fresh, nil, config.Review{}, "cobras, my-cobra", one},
		"moved": {old, tree{"go.mod": mod("github.com/a/known v1.2.0")}, nil, config.Review{}, "",
			[]string{"Warning go.mod:4: moves github.com/a/known from v1.0.0 to v1.2.0"}},
		"indirect": {old, tree{"go.mod": mod("github.com/a/known v1.0.0", "github.com/x/y v1.0.0 // indirect")},
			nil, config.Review{}, "", nil},
		"removed": {fresh, old, nil, config.Review{}, "", nil},
		"manifest renamed": {old, tree{"sub/go.mod": old["go.mod"]}, map[string]string{"sub/go.mod": "go.mod"},
			config.Review{}, "", nil},
		"new manifest": {nil, npm, nil, config.Review{}, "",
			[]string{"Warning web/package.json: a new manifest, which requires what the subtask " +
				"does not name: left-pad"}},
		"language moved": {tree{"go.mod": mod("github.com/a/known v1.0.0") + "go 1.24\n"},
			tree{"go.mod": mod("github.com/a/known v1.0.0") + "go 1.26\n"}, nil, config.Review{}, "",
			[]string{"Warning go.mod:6: moves go from 1.24 to 1.26"}},
		"language new": {old, tree{"go.mod": old["go.mod"] + "go 1.26\n"}, nil, config.Review{}, "", nil},
		"lock file alone": {nil, tree{"Cargo.lock": "[[package]]\nname = \"rand\"\nversion = \"0.9.0\"\n"}, nil,
			config.Review{}, "", nil},
		"torn": {old, tree{"go.mod": "module example.org/m\nrequire (\n"}, nil, config.Review{}, "", []string{
			"Warning go.mod:"}},
	} {
		t.Run(name, s.check)
	}
}

func TestMarkers(t *testing.T) {
	set := "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"
	for name, s := range map[string]scene{
		"left": {tree{"a": "x\n"}, tree{"a": "x\n" + set}, nil, config.Review{}, "",
			[]string{"Critical a:2: the marks of a merge"}},
		"around lines that stay": {tree{"a": "x\ntheirs\n"}, tree{"a": "x\n" + set}, nil, config.Review{}, "",
			[]string{"Critical a:2: the marks of a merge"}},
		"with the base between": {tree{"a": "theirs\n"}, tree{"a": strings.Replace(set, "=======",
			"||||||| 1234567\nbase\n=======", 1)}, nil, config.Review{}, "", []string{"Critical a:1: the marks"}},
		"longer": {tree{"a": "theirs\n"}, tree{"a": strings.NewReplacer("<<", "<<<", "==", "===", ">>", ">>>").
			Replace(set)}, nil, config.Review{}, "", []string{"Critical a:1: the marks"}},
		"of two lengths": {nil, tree{"a": strings.ReplaceAll(set, "=======", "========")}, nil, config.Review{}, "",
			nil},
		"one of them left": {tree{"a": "ours\n=======\ntheirs\n>>>>>>> branch\n"}, tree{"a": set}, nil,
			config.Review{}, "", []string{"Critical a:1: the marks"}},
		"CRLF": {nil, tree{"a": strings.ReplaceAll(set, "\n", "\r\n")}, nil, config.Review{}, "",
			[]string{"Critical a:1: the marks"}},
		"a heading":    {nil, tree{"a.rst": "Title\n=======\n\n>>>>>>> quoted\n"}, nil, config.Review{}, "", nil},
		"out of order": {nil, tree{"a": ">>>>>>> b\n=======\n<<<<<<< a\n"}, nil, config.Review{}, "", nil},
		"indented": {nil, tree{"a": "  " + strings.ReplaceAll(set, "\n", "\n  ")}, nil, config.Review{}, "",
			nil},
		"there before": {tree{"a": set}, tree{"a": set + "x\n"}, nil, config.Review{}, "", nil},
		"about such sets": {tree{"a": set + "x\n"}, tree{"a": set + "x\n" + set}, nil, config.Review{}, "",
			[]string{"Warning a:7: the marks"}},
	} {
		t.Run(name, s.check)
	}
}

func TestSizes(t *testing.T) {
	big := strings.Repeat("some text\n", 120_000)
	for name, s := range map[string]scene{
		"small": {nil, tree{"a": "x\n"}, nil, config.Review{}, "", nil},
		"large and new": {nil, tree{"a": big}, nil, config.Review{}, "",
			[]string{"Suggestion a: a new file of 1.1 MiB, too large"}},
		"large, changed": {tree{"a": "x\n"}, tree{"a": big}, nil, config.Review{}, "",
			[]string{"Suggestion a: 1.1 MiB, too large"}},
		"binary": {nil, tree{"a": "\x00\x01"}, nil, config.Review{}, "",
			[]string{"Suggestion a: a new binary file of 2 bytes"}},
		"binary, changed": {tree{"a": "\x00"}, tree{"a": "\x00\x01"}, nil, config.Review{}, "",
			[]string{"Suggestion a: a binary file, whose change"}},
		"executable": {tree{"a": "x\n", "b": "+x x\n"}, tree{"a": "+x x\n", "b": "+x y\n"}, nil, config.Review{}, "",
			[]string{"Suggestion a: can be executed"}},
		"deleted": {tree{"a": big}, tree{}, nil, config.Review{}, "", nil},
	} {
		t.Run(name, s.check)
	}
	mode := review.Request{Before: tree{"a": "x"}.fs(), After: tree{"a": "x"}.fs(), Changes: []change.File{
		{Path: "a\xff", Kind: change.Added, NewMode: change.ModeFile},
		{Path: "m", Kind: change.Added, NewMode: change.ModeSubmodule}}}
	got, err := reviewed(t.Context(), mode)
	if err != nil || len(got) != 1 || got[0].Severity != review.Warning {
		t.Errorf("a name that is not UTF-8: %+v, %v", got, err)
	}
}

type broken struct{ fs.FS }

var errBroken = errors.New("broken")

func (broken) Open(string) (fs.File, error) { return nil, errBroken }

// TestUnreadableIsAnError holds that a rule which cannot look does not keep silent.
func TestUnreadableIsAnError(t *testing.T) {
	for name, r := range map[string]review.Request{
		"after":  {Before: tree{"a": "x\n"}.fs(), After: broken{}},
		"before": {Before: broken{}, After: tree{"a": "y\n"}.fs()},
	} {
		r.Rules.Secrets = true
		r.Changes = []change.File{{Path: "a", Kind: change.Modified, OldMode: change.ModeFile,
			NewMode: change.ModeFile}}
		if got, err := reviewed(t.Context(), r); !errors.Is(err, errBroken) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// random is a text as a generator of keys makes it, the same each time.
func random(alphabet string, n int) string {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

const (
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
)

// secretTexts are fakes that look real, put together here so that no scanner finds them in this file.
func secretTexts() map[string][2]string {
	return map[string][2]string{
		"Critical a private key": {"-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + random(letters, 60),
			""},
		"Critical a private key ": {`key = "-----BEGIN ` + `PRIVATE KEY-----\nMIIE` +
			random(letters, 60) + `"`, ""},
		"Critical an AWS access key": {"id: AK" + "IA" + random(upper, 16), "AKIA"},
		"Critical an AWS secret key": {"aws_secret_" + "access_key = " + random(letters, 38) + "/+", ""},
		"Critical a GitHub token":    {"gh" + "p_" + random(letters, 36), "ghp_"},
		"Critical a GitHub token ":   {"github" + "_pat_" + random(letters, 60), "gith"},
		"Critical a GitLab token":    {"gl" + "pat-" + random(letters, 20), "glpa"},
		"Critical a Slack token": {"xo" + "xb-" + random("0123456789", 12) + "-" + random(letters, 24),
			"xoxb"},
		"Critical a Slack webhook": {"https://hooks." + "slack.com/services/T" + random(upper, 9) + "/B" +
			random(upper, 9) + "/" + random(letters, 24), ""},
		"Critical a Google API key":        {"AI" + "za" + random(letters, 35), "AIza"},
		"Critical a Google OAuth secret":   {"GOC" + "SPX-" + random(letters, 28), "GOCS"},
		"Critical a Stripe key":            {"sk_" + "live_" + random(letters, 24), "sk_l"},
		"Warning a Stripe test key":        {"sk_" + "test_" + random(letters, 24), ""},
		"Critical an npm token":            {"np" + "m_" + random(letters, 36), "npm_"},
		"Critical a PyPI token":            {"py" + "pi-AgEIcHlwaS5vcmc" + random(letters, 70), "pypi"},
		"Critical a model provider's key":  {"sk-" + "ant-api03-" + random(letters, 80), "sk-a"},
		"Critical a model provider's key ": {"sk-" + "proj-" + random(letters, 48), "sk-p"},
		"Critical a Hugging Face token":    {"h" + "f_" + random("abcdefghijklmnopqrstuvwxyzABCDEFGH", 34), "hf_"},
		"Critical a SendGrid key":          {"S" + "G." + random(letters, 22) + "." + random(letters, 43), "SG."},
		"Critical an age secret key":       {"AGE-" + "SECRET-KEY-1" + random(upper, 58), "AGE-"},
		"Warning a signed token (JWT)": {"ey" + "J" + random(letters, 20) + ".eyJ" + random(letters, 40) +
			"." + random(letters, 40), ""},
		"Warning a password in an address":      {"postgres://app:" + random(letters, 12) + "@db.internal/x", ""},
		"Warning a secret given to a name":      {`client_secret: "` + random("0123456789abcdef", 40) + `"`, ""},
		"Warning a secret given to a name ":     {`"dbPassword" := "` + random(letters, 16) + `"`, ""},
		"Warning a secret given to a name (sh)": {"API_TOKEN=" + random(letters, 32), ""},
	}
}

func TestSecretForms(t *testing.T) {
	on := config.Review{Secrets: true}
	for name, c := range secretTexts() {
		t.Run(name, func(t *testing.T) {
			severity, what, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(name), " (sh)"), " ")
			got := scene{before: tree{"a": "one\n"}, after: tree{"a": "one\ntwo\n" + c[0] + "\n"}, rules: on}.run(t)
			if len(got) != 1 || got[0].Severity != review.Severity(severity) ||
				!strings.HasPrefix(got[0].Text, "adds what looks like "+what) || got[0].Line != 3 {
				t.Fatalf("%q gives %+v", c[0], got)
			}
			if !strings.Contains(got[0].Text, c[1]) {
				t.Errorf("text %q lacks the beginning %q", got[0].Text, c[1])
			}
			for n := len(c[0]) - 8; n >= 0; n-- {
				if part := c[0][n : n+8]; strings.Contains(got[0].Text, part) &&
					!strings.Contains("SECRET-KEY-1 PRIVATE KEY a secret given to a name", part) {
					t.Errorf("the text %q tells %q of the secret", got[0].Text, part)
				}
			}
			if len(scene{after: tree{"a": c[0] + "\n"}}.run(t)) != 0 {
				t.Error("told although switched off")
			}
		})
	}
}

func TestSecretsOfTheChangeOnly(t *testing.T) {
	on := config.Review{Secrets: true}
	key := "gh" + "p_" + random(letters, 36)
	for name, s := range map[string]scene{
		"unchanged line": {tree{"a": key + "\nx\n"}, tree{"a": key + "\ny\n"}, nil, on, "", nil},
		"changed line":   {tree{"a": key + "\n"}, tree{"a": key + " # moved\n"}, nil, on, "", nil},
		"renamed file":   {tree{"a": key + "\n"}, tree{"b": key + "\nx\n"}, map[string]string{"b": "a"}, on, "", nil},
		"deleted":        {tree{"a": key + "\n"}, tree{"a": "x\n"}, nil, on, "", nil},
		"moved to another": {tree{"a": "x\n" + key + "\n"}, tree{"a": "x\n", "b": key + "\n"}, nil, on, "",
			[]string{"Warning b:1: adds what looks like a GitHub token (ghp_…, 40 characters); another file of the " +
				"base branch held it before"}},
		"let pass": {nil, tree{"a": "x\n" + key + " # gitleaks:allow\n"}, nil, on, "", []string{"Suggestion " +
			"a:2: adds what looks like a GitHub token (ghp_…, 40 characters), which a gitleaks:allow " +
			"comment lets pass"}},
		"placeholder": {nil, tree{"a": "AK" + "IAIOSFODNN7EXAMPLE\n" + "gh" + "p_" + strings.Repeat("x", 36) +
			"\n" + "gh" + "p_" + strings.Repeat("a1b2", 9) + "\n"}, nil, on, "", nil},
		"named, no value": {nil, tree{"a": "token := os.Getenv(\"API_TOKEN\")\npassword = \"${DB_PASSWORD}\"\n" +
			"secret: \"a-long-name-of-something\"\n-----BEGIN RSA " + "PRIVATE KEY-----\"\n"}, nil, on, "", nil},
		"style sheet": {nil, tree{"a.css": ".sk-" + "folding-cube-with-a-very-long-name {}\n"}, nil, on, "", nil},
		"second hunk": {tree{"a": "1\n2\n3\n4\n5\n6\n"}, tree{"a": "one\n2\n3\n4\n5\n" + key + "\n6\n"}, nil, on, "",
			[]string{"Critical a:6: adds"}},
		"settings": {tree{".env": "A"}, tree{".env": "B", "a/.env": "A", ".env.local": "A", ".env.example": "A",
			".envs": "A"}, nil, on, "", []string{"Warning .env.local: a new file", "Warning a/.env: a new file"}},
	} {
		t.Run(name, s.check)
	}
}

func BenchmarkSecrets(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20-100; i++ {
		fmt.Fprintf(&text, "\ttoken, err := parse(line[%d], %q) // the key of a secret\n", i, random(letters, i%40))
	}
	after := tree{"a.txt": text.String()}
	r := review.Request{Before: tree{}.fs(), After: after.fs(), Changes: between(nil, after, nil),
		Rules: config.Review{Secrets: true}}
	for b.Loop() {
		if _, err := reviewed(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

func TestRunsByItself(t *testing.T) {
	pkg := func(scripts string) string { return `{"scripts": {` + scripts + `}}` }
	for name, s := range map[string]scene{
		"by name": {nil, tree{".vscode/tasks.json": "{}", "web/.envrc": "x", "src/.github/workflows/ci.yml": "x",
			"Makefile": "all:", "docs/x.github/workflows": "x", ".husky/pre-commit": "x"}, nil, config.Review{}, "",
			[]string{"Warning .husky/pre-commit: git runs it as a hook",
				"Warning .vscode/tasks.json: the editor runs or obeys it",
				"Warning src/.github/workflows/ci.yml: the CI service runs it",
				"Warning web/.envrc: the shell's hook"}},
		"scripts": {tree{"package.json": pkg(`"postinstall": "a", "test": "b"`)},
			tree{"package.json": pkg(`"postinstall": "b", "test": "c", "prepare": "d"`)}, nil, config.Review{}, "",
			[]string{`Warning package.json: an install runs its script "postinstall"`,
				`Warning package.json: an install runs its script "prepare"`}},
		"the same scripts": {tree{"package.json": pkg(`"postinstall": "a"`)},
			tree{"package.json": pkg(`"postinstall": "a", "test": "c"`)}, nil, config.Review{}, "", nil},
		"removed": {tree{".envrc": "x"}, tree{}, nil, config.Review{}, "", nil},
	} {
		t.Run(name, s.check)
	}
}

// TestActs holds what forges take for orders in a commit's message, and that it is none as code.
func TestActs(t *testing.T) {
	for message, want := range map[string]string{
		"Count\n\nCloses #1, #2":                     "Count\n\nCloses `#1`, #2",
		"Count; FIXED: o/r#2":                        "Count; FIXED: `o/r#2`",
		"implements GH-3":                            "implements `GH-3`",
		"closing issue (g/s/p!4)":                    "closing issue (`g/s/p!4`)",
		"resolves\nhttps://x.example/o/r/-/issues/5": "resolves\n`https://x.example/o/r/-/issues/5`",
		"`a @all b` and @team/x":                     "'a `@all` b' and `@team/x`",
		"@all":                                       "`@all`",
		"a@b.example: see #6, fix UTF-8, fix 7":      "",
		"Prefixes #8 and `code`":                     "",
	} {
		if acts := review.Acts(message) != ""; acts != (want != "") {
			t.Errorf("%q acts: %t", message, acts)
		}
		got := review.AsCode(message)
		if got != cmp.Or(want, message) || review.Acts(got) != "" || review.AsCode(got) != got {
			t.Errorf("%q as code is %q, want %q", message, got, want)
		}
	}
}

func TestHistory(t *testing.T) {
	const key = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R\n"
	commits := []review.Commit{
		{ID: "cccccccccc", Author: "Mallory <m@x>", Message: "c [ci skip]\n\nreviewed-by: Ada\nSigned-off-by: Ada\n"},
		{ID: "bbbbbbbbbb", Author: "Mallory <m@x>", Message: "b\n", Added: []byte(key)},
		{ID: "aaaaaaaaaa", Author: "Ada <a@x>", Message: "a\n", Added: []byte("x\n" + key)},
	}
	request := review.Request{Before: tree{}.fs(), After: tree{"k": "x\n"}.fs(), Rules: config.Review{Secrets: true},
		Changes: between(nil, tree{"k": "x\n"}, nil), History: review.History{Commits: commits, Person: "Ada <a@x>"}}
	check := func(want ...string) {
		t.Helper()
		got, err := review.Hidden(t.Context(), request)
		if err != nil || !slices.EqualFunc(got, want, func(g review.Remark, w string) bool {
			return g.Rule == review.RuleHistory && g.Text == w && g.Severity == review.Warning
		}) {
			t.Errorf("remarks %+v, %v, want %q", got, err, want)
		}
	}
	said := []string{"2 commits by another author: Mallory <m@x>",
		`commit ccccccc says "[ci skip]", by which a forge runs no checks, closes an issue or notifies somebody`,
		`commit ccccccc says "reviewed-by: Ada", which nobody confirmed`}
	check(append([]string{said[0], "a secret in aaaaaaa, removed later: what looks like a GitHub token (ghp_…, " +
		"40 characters)"}, said[1:]...)...)
	request.After, request.Changes = tree{"k": key}.fs(), between(nil, tree{"k": key}, nil)
	check(said...) // the rule about secrets tells it
	request.History.Person = "Mallory <m@x>"
	request.History.Commits = commits[1:2]
	request.History.Cut = true
	check("its commits add more than is searched for secrets")
}
