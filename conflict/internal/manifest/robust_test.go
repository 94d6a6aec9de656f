package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/conflict/code"
)

// names lists one name for each format.
func names() []string {
	return []string{
		"go.mod", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "pyproject.toml", "poetry.lock",
		"uv.lock", "requirements.txt", "constraints.txt", "Cargo.toml", "Cargo.lock",
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range samples(f) {
		base := s.name[strings.LastIndexByte(s.name, '/')+1:]
		if i := slices.Index(names(), base); i >= 0 {
			f.Add(uint8(i), s.text)
		}
	}
	f.Fuzz(func(t *testing.T, format uint8, text string) {
		name := names()[int(format)%len(names())]
		lines := strings.Count(text, "\n") + 1
		file, err := Parse(name, []byte(text))
		if err != nil {
			var fault code.Fault
			if !errors.As(err, &fault) || fault.Line < 1 || fault.Line > lines || fault.Reason == "" {
				t.Fatalf("%s with %d lines: error %v", name, lines, err)
			}
			return
		}
		last := 1
		for _, d := range file.Dependencies {
			if d.Name == "" || d.Line < last || d.Line > lines {
				t.Fatalf("%s with %d lines: %+v behind line %d", name, lines, d, last)
			}
			last = d.Line
			Provides(file.Ecosystem, d.Name, text)
		}
		again, err := Parse(name, []byte("\ufeff"+text))
		if err != nil || show(again) != show(file) {
			t.Fatalf("%s with a byte order mark: %v\n%s\nwithout\n%s", name, err, show(again), show(file))
		}
	})
}

// TOML's parser follows brackets by recursion: without a limit these texts would end the process.
func TestParseLimitsDepth(t *testing.T) {
	const size = 16 << 20
	texts := []string{"[", "{a=", "[#]\n", "[']',", `['\',`, `["\"]",`, `["\\","]",`, `['''']''''',`, `["""\"""]""""",`,
		`["""\"""]"""",`}
	for _, deep := range texts {
		_, err := Parse("Cargo.toml", []byte("a="+strings.Repeat(deep, size/len(deep))))
		var fault code.Fault
		if !errors.As(err, &fault) || !strings.Contains(fault.Reason, "brackets") {
			t.Errorf("%q many times: error %v", deep, err)
		}
	}
}

// Repetitive texts must not take more than linear time.
func TestParseTakesLinearTime(t *testing.T) {
	const size = 512 << 10
	of := func(text string) string { return strings.Repeat(text, size/len(text)) }
	cases := map[string][]string{
		"go.mod":            {of("("), of("require a v1\n")},
		"package.json":      {of("["), of(`{"a":`), `{"dependencies":` + of("[")},
		"package-lock.json": {`{"dependencies":` + of(`{"a":{"dependencies":`)},
		"yarn.lock":         {of("a@1, ") + ":", of("\"a"), of("a@1:\n")},
		"pnpm-lock.yaml":    {of("? "), of("{"), of(" "), "packages:\n" + of("  a@1:\n")},
		"Cargo.toml": {of("a."), of("[[a]]\n"), of("[a."), "[dependencies]\n" + of("a.b=1\n"),
			"a=[" + of("1,") + "]"},
		"requirements.txt": {of("a\\\n"), of("a["), of("-e a#egg=")},
	}
	for name, texts := range cases {
		for i, text := range texts {
			t.Run(fmt.Sprint(name, " ", i), func(t *testing.T) {
				start := time.Now()
				f, err := Parse(name, []byte(text))
				took := time.Since(start)
				if took > 20*time.Second {
					t.Errorf("took %v for %d dependencies and error %v", took, len(f.Dependencies), err)
				}
				if err != nil && len(err.Error()) > 300 {
					t.Errorf("the error has %d bytes", len(err.Error()))
				}
			})
		}
	}
}

// large writes a lock file with n packages.
func large(n int, head, entry, foot string) []byte {
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		b.WriteString(strings.ReplaceAll(entry, "#", fmt.Sprint(i)))
	}
	b.WriteString(foot)
	return []byte(b.String())
}

// largeLocks are lock files as they grow in large projects.
func largeLocks(n int) map[string][]byte {
	hash := strings.Repeat("0123456789abcdef", 6)
	return map[string][]byte{
		"package-lock.json": large(n, "{\n  \"name\": \"x\",\n  \"packages\": {\n",
			"    \"node_modules/@scope/p#\": {\n      \"version\": \"1.2.#\",\n"+
				"      \"resolved\": \"https://registry.npmjs.org/@scope/p/-/p-1.2.3.tgz\",\n      \"integrity\": "+
				"\"sha512-"+hash+"\",\n      \"dev\": true,\n"+
				"      \"dependencies\": {\n        \"a\": \"^1\",\n        \"b\": \"^2\",\n        \"c\": \"^3\"\n  "+
				"    },\n      \"engines\": {\n        \"node\": \">=18\"\n      }\n    },\n",
			"    \"node_modules/z\": {}\n  }\n}\n"),
		"yarn.lock": large(n, "# yarn lockfile v1\n\n",
			"\n\"@scope/p#@^1.0.0\", \"@scope/p#@^1.2.0\":\n  version \"1.2.#\"\n"+
				"  resolved \"https://registry.yarnpkg.com/p.tgz\"\n  integrity sha512-"+hash+
				"\n  dependencies:\n    a \"^1\"\n    b \"^2\"\n", ""),
		"pnpm-lock.yaml": large(n, "lockfileVersion: '9.0'\n\npackages:\n",
			"\n  '@scope/p#@1.2.#':\n    resolution: {integrity: sha512-"+hash+"}\n"+
				"    engines: {node: '>=18'}\n    peerDependencies:\n      a: '*'\n", ""),
		"uv.lock": large(n, "version = 1\n", "\n[[package]]\nname = \"p#\"\nversion = \"1.2.#\"\nsource = { registry "+
			"= \"https://pypi.org/simple\" }\n"+
			"wheels = [\n"+strings.Repeat("    { url = \"https://files.pythonhosted.org/p.whl\", hash = \"sha256:"+hash+
			"\", size = 1 },\n", 3)+"]\n", ""),
		"Cargo.lock": large(n, "version = 3\n", "\n[[package]]\nname = \"p#\"\nversion = \"1.2.#\"\nsource = "+
			"\"registry+https://github.com/rust-lang/crates.io-index\"\n"+
			"checksum = \""+hash+"\"\ndependencies = [\n \"a\",\n \"b\",\n]\n", ""),
	}
}

func TestParseReadsLargeLocks(t *testing.T) {
	const n = 2000
	for name, text := range largeLocks(n) {
		f, err := Parse(name, text)
		if err != nil || len(f.Dependencies) < n {
			t.Errorf("%s: %d dependencies, want %d, error %v", name, len(f.Dependencies), n, err)
			continue
		}
		d := f.Dependencies[n-1]
		line := strings.Split(string(text), "\n")[d.Line-1]
		if !strings.HasSuffix(d.Name, fmt.Sprint("p", n-1)) || d.Version != fmt.Sprint("1.2.", n-1) ||
			!strings.Contains(line, d.Name) && strings.Trim(line, " {") != "" && line != "[[package]]" {
			t.Errorf("%s: %+v on %q", name, d, line)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for name, text := range largeLocks(20000) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(name, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
