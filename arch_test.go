package delegate

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"reflect"
	"strings"
	"testing"
)

// module is the path that all imports of our own begin with.
var module = reflect.TypeFor[source]().PkgPath() + "/"

const (
	maxColumns       = 120 // a tab counts four
	maxFileLines     = 500
	maxFunctionLines = 60
	maxTestLines     = 100 // a test is a table or a scenario, read from top to bottom
	maxParameters    = 5
)

// floors says on which floor a package stands. Imports go to a lower floor only. The tens are the floors of doc.go;
// what stands between two tens is a package that one on the same floor builds on.
func floors() map[string]int {
	return map[string]int{
		"checkpoint": 0, "scope": 0, "change": 0,
		"internal/lazyregexp": -1, "internal/shorten": -1,
		"internal/run": 0, "internal/resource": 5, "internal/atomicfile": 0, "internal/config": 1,
		"internal/ui":      0,
		"internal/dialect": 0, "internal/budget": 0,
		"internal/proxy": 0, "internal/long": 0, "internal/spelling": 0, "internal/program": 5,
		"internal/terminal": 5,
		"registry":          1, "internal/record": 10, "conflict": 10, "internal/plan": 10, "internal/git": 10,
		"internal/guard":   10,
		"internal/sandbox": 10, "internal/gittest": 10, "internal/agentdir": 10, "internal/keeper": 20,
		"internal/channel": 10, "internal/notes": 10, "internal/notify": 10, "internal/suite": 10,
		"internal/threeway": 20,
		"internal/objects":  20, "internal/checkout": 20, "internal/takeover": 25, "worktree": 27,
		"internal/agent": 20, "internal/acp": 20, "internal/approval": 20, "internal/review": 20, "internal/report": 20,
		"internal/setup":   35,
		"internal/project": 30, "internal/analyze": 30,
		"internal/transcript": 33, "internal/turnsetup": 35, "internal/session": 35, "internal/scopemonitor": 36,
		"internal/status": 38,
		"internal/engine": 10, "internal/remote": 37,
		"internal/control": 40, "internal/planner": 40, "internal/supervise": 40,
		"internal/journal": 35, "internal/compare": 40, "internal/bisect": 40,
		"internal/audit": 42, "internal/candidate": 45, "internal/land": 47,
		"internal/cleanup": 48, "internal/completion": 49,
		"internal/forge": 20, "internal/pullrequest": 48,
		"internal/mcp": 40, "internal/watch": 40, "internal/overview": 45, "internal/page": 46,
		"internal/doctor": 49,
		"cmd/delegate":    50, "bench": 50, "bench/history": 50, "bench/soak": 50, "bench/agents": 50,
		"bench/record": 50, "bench/landing": 50, "bench/forge": 50, "bench/peers": 50,
		// What stands below conflict: the data, the languages, and what reads a file of each.
		"conflict/code": 1, "conflict/internal/lang": 2, "conflict/internal/sitter": 3,
		"conflict/internal/lang/c": 4, "conflict/internal/lang/csharp": 4, "conflict/internal/lang/golang": 4,
		"conflict/internal/lang/java": 4, "conflict/internal/lang/javascript": 4, "conflict/internal/lang/php": 4,
		"conflict/internal/lang/python": 4, "conflict/internal/lang/ruby": 4, "conflict/internal/lang/rust": 4,
		"conflict/internal/languages": 5, "conflict/internal/manifest": 5, "conflict/source": 6,
		"conflict/internal/gocheck": 6, "conflict/internal/plain": 1,
	}
}

// doors says which one package may import an outside thing, or below which folder (with "..." behind
// it) all do. A door is for the path itself and everything below it.
func doors() map[string]string {
	return map[string]string{
		"os/exec":                           "internal/run",
		"charm.land/bubbletea":              "internal/watch",
		"github.com/AlecAivazis/survey":     "internal/ui",
		"golang.org/x/term":                 "internal/ui",
		"github.com/creack/pty":             "internal/terminal",
		"github.com/gobwas/glob":            "scope",
		"github.com/sergi/go-diff":          "change",
		"github.com/go-git/go-git":          "internal/git",
		"github.com/spf13/cobra":            "cmd/delegate",
		"github.com/coder/acp-go-sdk":       "internal/acp",
		"github.com/modelcontextprotocol":   "internal/mcp",
		"github.com/goccy/go-yaml":          "internal/config",
		"github.com/kballard/go-shellquote": "internal/config",
		// each grammar has its language's folder
		"github.com/tree-sitter":              "conflict/internal/...",
		"github.com/pelletier/go-toml":        "conflict/internal/manifest",
		"github.com/landlock-lsm/go-landlock": "internal/sandbox",
		"mvdan.cc/sh":                         "internal/guard",
		"delegate/conflict/internal/gocheck":  "conflict",
	}
}

// starters are the packages in which goroutines begin; each has an owner there who waits for it.
// Those of internal/proxy and internal/terminal carry bytes both ways, and a call there returns when they are over.
func starters() []string {
	return []string{"internal/keeper", "internal/supervise", "internal/status", "cmd/delegate", "internal/proxy",
		"internal/terminal", "internal/remote"}
}

// long lists the functions that may have up to 100 lines, "folder:name", each with the reason: tables and grammars.
func long() map[string]string { return map[string]string{} }

// source is one Go file as the rules see it.
type source struct {
	folder string // from the root, with slashes; "" is the root
	name   string
	set    *token.FileSet
	tree   *ast.File
	text   []byte
}

func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

func (s source) line(p token.Pos) int { return s.set.Position(p).Line }

func (s source) at(p token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", path.Join(s.folder, s.name), s.line(p), fmt.Sprintf(format, args...))
}

// rule finds what is wrong in one file.
type rule func(source) []string

// rules lists all that look at one file.
func rules() map[string]rule {
	return map[string]rule{
		"imports go down":     importsGoDown,
		"commands apart":      commandsApart,
		"one door each":       oneImporterEach,
		"goroutines at home":  goroutinesAtHome,
		"files are short":     filesAreShort,
		"functions are short": functionsAreShort,
		"lines are short":     linesAreShort,
		"few parameters":      fewParameters,
		"no switches":         noSwitches,
		"no init":             noInit,
		"names of the field":  namesAreOfTheField,
		"phrases are plain":   phrasesArePlain,
		"threads stay":        threadsStay,
		"expressions wait":    expressionsWait,
		"no failed to":        noFailedTo,
		"no error text":       noErrorText,
		"starts are listed":   startsAreListed,
		"analysis apart":      analysisApart,
		"comments name":       commentsName,
	}
}

func TestHouse(t *testing.T) {
	files := wholeTree(t)
	for name, check := range rules() {
		t.Run(name, func(t *testing.T) {
			for _, s := range files {
				for _, w := range check(s) {
					t.Error(w)
				}
			}
		})
	}
	t.Run("packages say what they are for", func(t *testing.T) { report(t, undocumented(files)) })
	t.Run("listed starts are some", func(t *testing.T) { report(t, unstarted(files)) })
	t.Run("tables name what exists", func(t *testing.T) { report(t, vanished(files)) })
}

func report(t *testing.T, wrong []string) {
	t.Helper()
	for _, w := range wrong {
		t.Error(w)
	}
}
