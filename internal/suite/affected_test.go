package suite

import (
	"slices"
	"strings"
	"testing"

	"delegate/conflict/code"
	"delegate/conflict/source"
)

// goFiles has low ← middle ← top, a test of side that needs middle, a package for another system,
// and a module of its own.
func goFiles() []string {
	return []string{
		"go.mod=module example.org/m|", "README.md", "root.go=package m",
		"low/low.go=package low", "low/low_test.go=package low", "low/testdata/golden", "low/schema.sql",
		"middle/m.go=package middle|import _ \"example.org/m/low\"",
		"top/t.go=package top|import _ \"example.org/m/middle\"",
		"side/s.go=package side", "side/s_test.go=package side_test|import _ \"example.org/m/middle\"",
		"user/u.go=package user|import _ \"example.org/m/side\"",
		"only/o_test.go=package only|import _ \"example.org/m/low\"",
		"elsewhere/e.go=//go:build plan9|package elsewhere|import _ \"example.org/m/low\"",
		"tagged/e.go=//go:build slow|package tagged|import _ \"example.org/m/low\"",
		"own/go.mod=module example.org/own", "own/o.go=package own|import _ \"example.org/m/low\"",
	}
}

type narrowing struct{ line, changed, want string }

func check(t *testing.T, files []string, cases []narrowing) {
	t.Helper()
	for _, c := range cases {
		got, err := Affected(tree(files...), []Command{{Line: c.line, Why: "go.mod"}}, strings.Fields(c.changed))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(Lines(got), "; ")
		if text != c.want || len(got) == 1 && got[0].Why != "go.mod, for what changed" {
			t.Errorf("%q for %q: %q, want %q", c.line, c.changed, text, c.want)
		}
	}
}

func TestAffectedGo(t *testing.T) {
	const all = "go test ./..."
	check(t, goFiles(), []narrowing{
		{all, "low/low.go", "go test ./low ./middle ./only ./side ./top"},
		{"go build ./...", "low/low.go", "go build ./low ./middle ./side ./top"},
		{"go test -count=1 -tags slow ./... -v", "low/low.go",
			"go test -count=1 -tags slow ./low ./middle ./only ./side ./tagged ./top -v"},
		{all, "low/low_test.go", "go test ./low"},
		{all, "low/testdata/golden", "go test ./low"},
		{all, "low/schema.sql", "go test ./low ./middle ./only ./side ./top"},
		{all, "top/t.go side/s_test.go", "go test ./side ./top"},
		{all, "side/s.go", "go test ./side ./user"},
		{all, "root.go", "go test ./"},
		{all, "gone/g.go low/low_test.go", "go test ./low"},
		{"go test ./low/... ./top/...", "low/low.go", "go test ./low ./top"},
		{all, "", ""}, {all, "go.mod", ""}, {all, "README.md", ""}, {all, "low/low.go scripts/x.sh", ""},
		{all, "low/low_test.go own/o.go", ""}, {all, "low/go.sum", ""},
		{"go build ./...", "only/o_test.go", ""},
		{"go test ./... | tee log", "low/low.go", ""}, {"go test $(go list ./...)", "low/low.go", ""},
		{"go test ./low", "low/low.go", ""},
		{"go run ./...", "low/low.go", ""}, {"make", "low/low.go", ""}, {"X=1 go test ./...", "low/low.go", ""},
	})
	var below []string
	for _, f := range goFiles() {
		below = append(below, "a/"+f)
	}
	check(t, below, []narrowing{
		{"cd a && go test ./...", "a/side/s.go", "cd a && go test ./side ./user"},
		{"cd a && go test ./...", "a/side/s.go b", ""},
		{"go test ./...", "a/side/s.go", ""},
	})
	check(t, []string{"go.work=go 1.22|use ./x|use ./y", "x/go.mod=module x.org/x", "y/go.mod=module x.org/y",
		"x/p/p.go=package p", "y/q.go=package q|import _ \"x.org/x/p\""}, []narrowing{
		{"go test ./x/... ./y/...", "x/p/p.go", "go test ./x/p ./y"},
		{"go test ./x/... ./y/...", "y/q.go", "go test ./y"},
	})
}

func TestAffectedPytest(t *testing.T) {
	if _, how := source.LanguageOf("x.py"); how != code.Readable {
		t.Skip("built without grammars")
	}
	const all = "python3 -m pytest -q"
	check(t, []string{
		"src/app/__init__.py", "src/app/low.py", "src/app/mid.py=from . import low",
		"src/app/deep/x.py=from ..mid import y",
		"tests/conftest.py", "tests/test_low.py=import app.low", "tests/test_mid.py=from app.mid import f",
		"tests/test_deep.py=from app.deep import x", "tests/test_none.py=import os",
	}, []narrowing{
		{all, "src/app/low.py", all + " tests/test_deep.py tests/test_low.py tests/test_mid.py"},
		{all, "src/app/mid.py", all + " tests/test_deep.py tests/test_mid.py"},
		{all, "src/app/deep/x.py", all + " tests/test_deep.py"},
		{all, "src/app/__init__.py", all + " tests/test_deep.py tests/test_low.py tests/test_mid.py"},
		{"pytest -x", "tests/test_none.py", "pytest -x tests/test_none.py"},
		{"pytest", "tests/test_gone.py tests/test_none.py", "pytest tests/test_none.py"},
		{all, "tests/conftest.py", ""}, {all, "pyproject.toml", ""}, {all, "src/app/low.py data.json", ""},
		{"pytest tests", "src/app/low.py", ""},
	})
}

func TestAffectedCargo(t *testing.T) {
	lock := "Cargo.lock=version = 4||[[package]]|name = \"core\"|version = \"1\"||[[package]]|name = \"cli\"|version " +
		"= \"1\"||[[package]]|name = \"web\"|version = \"1\"|"
	files := []string{
		"Cargo.toml=[workspace]|members = [\"core\", \"cli\", \"web\"]", lock,
		"core/Cargo.toml=[package]|name = \"core\"",
		"cli/Cargo.toml=[package]|name = \"cli\"|[dependencies]|core = { path = \"../core\" }",
		"web/Cargo.toml=[package]|name = \"web\"|[dev-dependencies]|tool = { package = \"cli\", path = \"../cli\" }",
		"out/Cargo.toml=[package]|name = \"out\"|[dependencies]|core = \"1\"",
	}
	check(t, files, []narrowing{
		{"cargo test --workspace", "core/src/lib.rs", "cargo test -p cli -p core -p web"},
		{"cargo test", "web/tests/x.rs", "cargo test -p web"},
		{"cargo test", "web/Cargo.toml", ""}, {"cargo test", "web/data.txt", ""}, {"cargo test", "build.rs", ""},
		{"cargo test", "out/src/lib.rs", ""}, {"cargo run", "web/src/lib.rs", ""},
	})
	check(t, slices.Delete(files, 1, 2), []narrowing{{"cargo test", "core/src/lib.rs", ""}})
}

func TestAffectedNode(t *testing.T) {
	files := []string{`package.json={"scripts":{"test":"jest"}}`, "src/a.ts", "src/b b.js", "jest.config.js"}
	check(t, files, []narrowing{
		{"npm test", "src/a.ts", "npm test -- --passWithNoTests --findRelatedTests src/a.ts"},
		{"yarn test", "src/a.ts", "yarn test --passWithNoTests --findRelatedTests src/a.ts"},
		{"npm test", "src/gone.ts", ""}, {"npm test", "package.json", ""}, {"npm test", "jest.config.js", ""},
		{"npm run build", "src/a.ts", ""},
	})
	files[0] = `package.json={"scripts":{"test":"vitest run"}}`
	check(t, files, []narrowing{{"pnpm test", "src/a.ts", "npx --no vitest related --run --passWithNoTests src/a.ts"}})
	files[0] = `package.json={"scripts":{"test":"tsc && jest"}}`
	check(t, files, []narrowing{{"npm test", "src/a.ts", ""}})
}

func TestIsTest(t *testing.T) {
	for name, want := range map[string]bool{
		"a/b_test.go": true, "a/b.go": false, "test_x.py": true, "x_test.py": true, "x.py": false, "tests/x.rs": true,
		"src/lib.rs": false,
		"a.test.ts":  true, "a.spec.mjs": true, "__tests__/a.js": true, "a.ts": false, "src/test/java/A.java": true,
		"ATest.java": true, "A.java": false, "ATests.cs": true, "a_spec.rb": true, "a.rb": false, "tests/a.c": true,
		"a.c": false, "ATest.php": true, "README_test": false,
	} {
		if IsTest(name) != want {
			t.Errorf("%q", name)
		}
	}
}
