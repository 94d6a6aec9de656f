package suite

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree makes a tree of names with their contents behind a "=", newlines written as "|".
func tree(files ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		all[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "|", "\n"))}
	}
	return all
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  []string // line, then what says so
	}{
		{[]string{"README.md"}, nil},
		{[]string{"go.mod=module x", "Makefile=test:|\tgo test"},
			[]string{"go build ./...", "go.mod", "go test ./...", "go.mod"}},
		{[]string{"go.work=go 1.22|use (|\t./a|\t\"./b c\"|\t../out|)", "a/go.mod=module a"},
			[]string{"go build ./a/... './b c/...'", "go.work", "go test ./a/... './b c/...'", "go.work"}},
		{[]string{"package.json={}"}, nil},
		{[]string{`package.json={"scripts":{"test":"echo \"Error: no test specified\" && exit 1","build":"tsc"}}`,
			"package-lock.json={}"},
			[]string{"npm run build", "package.json and package-lock.json"}},
		{[]string{`package.json={"scripts":{"test":"jest"}}`, "pnpm-lock.yaml", "package-lock.json"},
			[]string{"pnpm test", "package.json and pnpm-lock.yaml"}},
		{[]string{`package.json={"scripts":{"test":"jest","build":"tsc"}}`, "yarn.lock"},
			[]string{"yarn run build", "package.json and yarn.lock", "yarn test", "package.json and yarn.lock"}},
		{[]string{`package.json={"scripts":{"test":"node --test"}}`}, []string{"npm test", "package.json"}},
		{[]string{"package.json={"}, []string{"npm test", "package.json"}}, // npm tells what is wrong with it
		{[]string{`package.json={"workspaces":["packages/*"]}`, `packages/a/package.json={"scripts":{"test":"jest"}}`},
			[]string{"npm test --workspaces --if-present", "package.json"}},
		{[]string{`package.json={"workspaces":{"packages":["packages/*"]}}`, `packages/a/package.json={}`}, nil},
		{[]string{"package.json={}", "pnpm-lock.yaml",
			"pnpm-workspace.yaml=packages:|  # ours|  - 'packages/*' # all|  - tools|catalog:|  - 'x'",
			`packages/a/package.json={"scripts":{"test":"jest"}}`, `packages/b/package.json={}`},
			[]string{"pnpm -r run --if-present test", "package.json and pnpm-lock.yaml"}},
		{[]string{"package.json={}", "pnpm-lock.yaml",
			"pnpm-workspace.yaml=packages:|  - tools|catalog:|  - 'packages/*'",
			`packages/a/package.json={"scripts":{"test":"jest"}}`}, nil},
		{[]string{`package.json={"workspaces":["packages/*"]}`, "yarn.lock",
			`packages/a/package.json={"scripts":{"test":"jest"}}`},
			[]string{"yarn workspaces run test", "package.json and yarn.lock"}},
		{[]string{`package.json={"workspaces":["packages/*"]}`, "yarn.lock",
			`packages/a/package.json={"scripts":{"test":"jest"}}`, `packages/b/package.json={}`}, nil},
		{[]string{`package.json={"workspaces":["packages/*"]}`, "yarn.lock", ".yarnrc.yml",
			`packages/a/package.json={"scripts":{"test":"jest"}}`, `packages/b/package.json={}`},
			[]string{"yarn workspaces foreach --all run test", "package.json and yarn.lock"}},
		{[]string{`package.json={"scripts":{"test":"bun test","build":"tsc"}}`, "bun.lock"},
			[]string{"bun run build", "package.json and bun.lock", "bun run test", "package.json and bun.lock"}},
		{[]string{`package.json={"workspaces":["packages/*"]}`, "bun.lockb",
			`packages/a/package.json={"scripts":{"test":"bun test"}}`},
			[]string{"bun run --filter '*' test", "package.json and bun.lockb"}},
		{[]string{"pyproject.toml=[project]"}, nil},
		{[]string{"pyproject.toml=[project]|[tool.pytest.ini_options]"},
			[]string{"python3 -m pytest -q", "pyproject.toml"}},
		{[]string{"pyproject.toml=[project]", "tests/test_a.py"}, []string{"python3 -m pytest -q", "tests/test_a.py"}},
		{[]string{"setup.cfg=[tool:pytest]"}, []string{"python3 -m pytest -q", "setup.cfg"}},
		{[]string{"tox.ini=[tox]", "pytest.ini="}, []string{"python3 -m pytest -q", "pytest.ini"}},
		{[]string{"Cargo.toml=[package]"}, []string{"cargo test", "Cargo.toml"}},
		{[]string{"Cargo.toml=[package]|[workspace]"}, []string{"cargo test --workspace", "Cargo.toml"}},
		{[]string{"pom.xml"}, []string{"mvn -q -B test", "pom.xml"}},
		{[]string{"pom.xml", "mvnw"}, []string{"./mvnw -q -B test", "pom.xml"}},
		{[]string{"build.gradle.kts"}, []string{"gradle test", "build.gradle.kts"}},
		{[]string{"build.gradle", "gradlew"}, []string{"./gradlew test", "build.gradle"}},
		{[]string{"gradlew"}, nil},
		{[]string{"Makefile=test: build|"}, []string{"make test", "Makefile"}},
		{[]string{"Makefile=test:"}, []string{"make test", "Makefile"}},
		{[]string{"Makefile=test := 1|all:|", "README.md"}, nil},
		{[]string{"makefile=all:", "Makefile=test:|"}, nil}, // make reads the first
		{[]string{"go.mod=module x", "web/package.json={\"scripts\":{\"test\":\"jest\"}}"},
			[]string{"go build ./...", "go.mod", "go test ./...", "go.mod"}},
		{[]string{"api/go.mod=module x", "we b/Cargo.toml=[package]", "vendor/x/go.mod", "node_modules/package.json={}",
			".x/go.mod"},
			[]string{"cd api && go build ./...", "api/go.mod", "cd api && go test ./...", "api/go.mod",
				"cd 'we b' && cargo test", "we b/Cargo.toml"}},
		{[]string{"go.mod/x", "Makefile/x"}, nil},
	} {
		found, err := Detect(tree(c.files...))
		var got []string
		for _, f := range found {
			got = append(got, f.Line, f.Why)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v; want %q", c.files, got, err, c.want)
		}
	}
}

// unreadable is a tree of which one file is there and cannot be read.
type unreadable struct{ files fstest.MapFS }

var errDisk = errors.New("disk")

func (u unreadable) Open(name string) (fs.File, error) {
	if name == "Cargo.toml" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errDisk}
	}
	return u.files.Open(name)
}

func TestDetectSaysThatItCouldNotRead(t *testing.T) {
	if found, err := Detect(unreadable{tree("a")}); !errors.Is(err, errDisk) {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestUpto(t *testing.T) {
	lines := []string{"go build ./...", "make generate", "go vet -race ./...", "go build -o bin/x ./x",
		"cargo check; true", "go test ./...", "never"}
	want := []string{"make generate", "go build -o bin/x ./x", "cargo check; true", "go test ./..."}
	if got := Upto(lines, "go test ./..."); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Upto(lines, "go build ./..."); !slices.Equal(got, []string{"go build ./..."}) {
		t.Errorf("%q", got)
	}
}
