package manifest

import (
	"errors"
	"strings"
	"testing"

	"delegate/conflict/code"
)

const marker = "<<<<<<< ours\n"

func TestParseFindsFaults(t *testing.T) {
	cases := []struct {
		what, file, text string
		line             int
	}{
		{"a conflict", "go.mod", "module a\n\nrequire (\n\tb.org/c v1.0.0\n" + marker + ")\n", 5},
		{"a requirement without version", "go.mod", "module a\nrequire b.org/c\n", 2},
		{"another major version", "go.mod", "module a\n\nrequire b.org/c v2.0.0\n", 3},
		{"an unknown word", "go.mod", "module a\nrequires b.org/c v1.0.0\n", 2},

		{"an empty file", "package.json", "", 1},
		{"a comma too many", "package.json", "{\n \"dependencies\": {\n  \"a\": \"1\",\n }\n}\n", 4},
		{"two values", "package.json", "{}\n{}\n", 2},
		{"a list", "package.json", "\n[1]", 2},
		{"a number for a version", "package.json", "{\"dependencies\": {\n\"a\": \"1\",\n\"b\":\n 2}}", 4},
		{"a text for dependencies", "package.json", "{\n\"dependencies\": \"a\"}", 2},
		{"a list of dependencies", "package.json", "{\n\"dependencies\": [\"a\"]}", 2},
		{"no name", "package.json", "{\n\"dependencies\": {\"\": \"1\"}}", 2},
		{"a conflict", "package-lock.json", "{\n\"packages\": {\n" + marker + "}}", 3},
		{"a text for a package", "package-lock.json", "{\n\"packages\": {\n\"node_modules/a\": \"1\"}}", 3},
		{"a number for a version", "package-lock.json", "{\n\"packages\": {\n\"node_modules/a\": {\"version\": 1}}}",
			3},
		{"a package without name", "package-lock.json", "{\n\"packages\": {\"node_modules/\": {}}}", 2},

		{"a conflict", "yarn.lock", "# yarn lockfile v1\n\na@1:\n  version \"1\"\n" + marker + "b@1:\n", 5},
		{"a block for nothing", "yarn.lock", "a:\n  version \"1\"\n", 1},
		{"a conflict", "pnpm-lock.yaml", "lockfileVersion: '9.0'\n" + marker, 2},
		{"a conflict in the packages", "pnpm-lock.yaml", "packages:\n\n  a@1.0.0:\n    dev: true\n  =======\n", 5},
		{"an old form", "pnpm-lock.yaml", "lockfileVersion: 5.4\n", 1},
		{"no name", "pnpm-lock.yaml", "packages:\n\n  /a/1.0.0:\n    dev: true\n", 3},

		{"a conflict", "Cargo.toml", "[dependencies]\na = \"1\"\n" + marker, 3},
		{"a name given twice", "Cargo.toml", "[dependencies]\na = \"1\"\nb = \"1\"\na = \"2\"\n", 4},
		{"a table given twice", "Cargo.toml", "[dependencies]\na = \"1\"\n\n[dependencies]\nb = \"1\"\n", 4},
		{"a text and a table", "Cargo.toml", "[dependencies]\na = \"1\"\n\n[dependencies.a]\nversion = \"1\"\n", 4},
		{"a table and a list", "Cargo.toml", "[[bin]]\n\n[a]\n\n[[a]]\n", 5},
		{"a text without end", "Cargo.toml", "[dependencies]\n\na = \"1\nb = 2\n", 3},
		{"a number for a version", "Cargo.toml", "[dependencies]\n\na = 1\n", 3},
		{"a text for a table", "Cargo.toml", "\ndependencies = \"a\"\n", 2},
		{"a long key", "Cargo.toml", "\n" + strings.Repeat("a.", 100) + "a = 1\n", 2},
		{"an open list", "Cargo.toml", "\na = [\n1,\n", 4},
		{"a number for targets", "Cargo.toml", "\ntarget = 1\n", 2},
		{"a conflict", "Cargo.lock", "version = 3\n" + marker, 2},
		{"a conflict", "poetry.lock", marker, 1},
		{"a conflict", "pyproject.toml", "[project]\n\n" + marker, 3},
		{"a list for extras", "pyproject.toml", "[project]\noptional-dependencies = []\n", 2},
		{"a table of packages", "Cargo.lock", "\n[package]\nname = \"a\"\n", 2},
		{"a package without name", "uv.lock", "version = 1\n\n[[package]]\nversion = \"1\"\n", 3},
		{"no requirement", "pyproject.toml", "[project]\ndependencies = [\n  \"a\",\n  \"b c\",\n]\n", 4},
		{"a number for a requirement", "pyproject.toml", "[project]\ndependencies = [1]\n", 2},
		{"a text for a list", "pyproject.toml", "[project]\ndependencies = \"a\"\n", 2},
		{"a list for a group", "pyproject.toml", "[tool.poetry]\ngroup = []\n", 2},

		{"a conflict", "requirements.txt", "a==1\n" + marker + "b\n", 2},
		{"an open extra", "requirements.txt", "a\n\nb[c\n", 3},
		{"two names", "requirements.txt", "a \\\n  b\n", 1},

		{"another encoding", "requirements.txt", "a\nb\xff\n", 2},
	}
	for _, c := range cases {
		t.Run(c.file+" "+c.what, func(t *testing.T) {
			f, err := Parse("x/"+c.file, []byte(c.text))
			var fault code.Fault
			if !errors.As(err, &fault) {
				t.Fatalf("got %+v, error %v, want a fault", f, err)
			}
			if fault.Line != c.line {
				t.Errorf("line %d, want %d: %v", fault.Line, c.line, err)
			}
			if !strings.Contains(err.Error(), `"x/`+c.file+`"`) {
				t.Errorf("%q does not name the file", err)
			}
			if f.Dependencies != nil || f.Ecosystem != "" {
				t.Errorf("a file comes with the fault: %+v", f)
			}
		})
	}
}

func TestParseTakesWhatIsNoFault(t *testing.T) {
	cases := []struct{ what, file, text, want string }{
		{"nothing", "Cargo.toml", "", "Rust manifest \"\"\n"},
		{"nothing", "requirements.txt", "", "Python manifest \"\"\n"},
		{"nothing", "yarn.lock", "# yarn lockfile v1\n", "npm lock \"\"\n"},
		{"nothing", "pnpm-lock.yaml", "lockfileVersion: '9.0'\n", "npm lock \"\"\n"},
		{"a link of nothing", "pnpm-lock.yaml", "dependencies:\n  version: link:../a\n", "npm lock \"\"\n"},
		{"a comment without line break", "Cargo.toml", "a = 1 # [[[", "Rust manifest \"\"\n"},
		{"null", "package.json", `{"dependencies": null, "devDependencies": {}}`, "npm manifest \"\"\n"},
		{"a name given twice", "package.json", `{"dependencies": {"a": "1", "a": "2"}}`,
			"npm manifest \"\"\n1 a 1\n1 a 2\n"},
		{"backslashes at the end", "requirements.txt", "a \\\n\nb \\", "Python manifest \"\"\n1 a\n3 b\n"},
		{"long texts of TOML", "Cargo.toml", "x = \"\"\"\n[[[\"\"\"\"\"\ny = '''[\n'''\n[dependencies]\na = '1' # [\n",
			"Rust manifest \"\"\n6 a 1\n"},
	}
	for _, c := range cases {
		t.Run(c.file+" "+c.what, func(t *testing.T) {
			f, err := Parse(c.file, []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(f); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestIsManifest(t *testing.T) {
	cases := map[string]bool{
		"go.mod": true, "a/b/go.mod": true, "go.sum": false, "go.mod/x": false, "Go.mod": false, "xgo.mod": false,
		"web/package.json": true, "npm-shrinkwrap.json": true, "packages.json": false, "yarn.lock": true,
		"pnpm-lock.yml":    false,
		"requirements.txt": true, "requirements-dev.txt": true, "requirements.in": true, "test-requirements.txt": true,
		"dev_requirements.txt": true, "requirements.md": false, "myrequirements.txt": false, "notes.txt": false,
		"constraints.txt": true, "constraints-3.12.txt": true,
		"Cargo.lock": true, "setup.cfg": false, "": false,
		"/": false,
	}
	for file, want := range cases {
		if got := IsManifest(file); got != want {
			t.Errorf("IsManifest(%q) = %v", file, got)
		}
		if _, err := Parse(file, nil); !want && (err == nil || errors.As(err, new(code.Fault))) {
			t.Errorf("Parse(%q) gives %v, want an error that is no fault of the text", file, err)
		}
	}
}
