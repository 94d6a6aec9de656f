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
		"change": 0, "checkpoint": 0, "conflict": 10, "registry": 1, "scope": 0, "worktree": 27,
		"internal/turn/acp": 20, "internal/turn/agent": 20, "internal/turn/agentdir": 10,
		"internal/turn/dialect": 0, "internal/turn/keeper": 20, "internal/turn/program": 5,
		"internal/turn/transcript": 33, "internal/turn/turnsetup": 35,
		"internal/fence/guard": 10, "internal/fence/proxy": 0, "internal/fence/resource": 5,
		"internal/fence/sandbox":   10,
		"internal/intake/takeover": 25,
		"internal/supervise":       40, "internal/supervise/scopemonitor": 36,
		"internal/control": 40, "internal/control/planner": 40, "internal/control/session": 35,
		"internal/land": 47, "internal/land/analyze": 30, "internal/land/approval": 20, "internal/land/bisect": 40,
		"internal/land/candidate": 45, "internal/land/checkout": 20, "internal/land/compare": 40,
		"internal/land/forge": 20, "internal/land/journal": 35, "internal/land/pullrequest": 48,
		"internal/land/review": 20, "internal/land/suite": 10, "internal/land/threeway": 20,
		"internal/record": 10, "internal/record/audit": 42,
		"internal/view/overview": 45, "internal/view/page": 46, "internal/view/report": 20,
		"internal/view/status": 38, "internal/view/watch": 40,
		"internal/tidy/cleanup": 48, "internal/tidy/completion": 49, "internal/tidy/doctor": 49,
		"internal/plan": 10, "internal/plan/setup": 35,
		"internal/engine": 10, "internal/engine/remote": 37,
		"internal/git": 10, "internal/git/gittest": 10, "internal/git/objects": 20,
		"internal/project": 30, "internal/project/config": 1,
		"internal/mcp":            40,
		"internal/sys/atomicfile": 0, "internal/sys/long": 0, "internal/sys/notify": 10, "internal/sys/run": 0,
		"internal/sys/terminal": 5,
		"internal/text/budget":  0, "internal/text/channel": 10, "internal/text/lazyregexp": -1,
		"internal/text/notes": 10, "internal/text/shorten": -1, "internal/text/spelling": 0, "internal/text/ui": 0,
		"cmd/delegate": 50,
		"bench":        50, "bench/agents": 50, "bench/forge": 50, "bench/history": 50, "bench/landing": 50,
		"bench/peers": 50, "bench/record": 50, "bench/soak": 50,
		"conflict/code": 1, "conflict/internal/gocheck": 6, "conflict/internal/lang": 2,
		"conflict/internal/lang/c": 4, "conflict/internal/lang/csharp": 4, "conflict/internal/lang/golang": 4,
		"conflict/internal/lang/java": 4, "conflict/internal/lang/javascript": 4, "conflict/internal/lang/php": 4,
		"conflict/internal/lang/python": 4, "conflict/internal/lang/ruby": 4, "conflict/internal/lang/rust": 4,
		"conflict/internal/languages": 5, "conflict/internal/manifest": 5, "conflict/internal/plain": 1,
		"conflict/internal/sitter": 3, "conflict/source": 6,
	}
}

// doors says which one package may import an outside thing, or below which folder (with "..." behind
// it) all do. A door is for the path itself and everything below it.
func doors() map[string]string {
	return map[string]string{
		"os/exec":                           "internal/sys/run",
		"charm.land/bubbletea":              "internal/view/watch",
		"github.com/AlecAivazis/survey":     "internal/text/ui",
		"golang.org/x/term":                 "internal/text/ui",
		"github.com/creack/pty":             "internal/sys/terminal",
		"github.com/gobwas/glob":            "scope",
		"github.com/sergi/go-diff":          "change",
		"github.com/go-git/go-git":          "internal/land/forge",
		"github.com/spf13/cobra":            "cmd/delegate",
		"github.com/coder/acp-go-sdk":       "internal/turn/acp",
		"github.com/modelcontextprotocol":   "internal/mcp",
		"github.com/goccy/go-yaml":          "internal/project/config",
		"github.com/kballard/go-shellquote": "internal/project/config",
		// each grammar has its language's folder
		"github.com/tree-sitter":              "conflict/internal/...",
		"github.com/pelletier/go-toml":        "conflict/internal/manifest",
		"github.com/landlock-lsm/go-landlock": "internal/fence/sandbox",
		"mvdan.cc/sh":                         "internal/fence/guard",
		"delegate/conflict/internal/gocheck":  "conflict",
	}
}

// starters are the packages in which goroutines begin; each has an owner there who waits for it.
// Those of internal/fence/proxy and internal/sys/terminal carry bytes both ways, and a call there returns when they
// are over.
func starters() []string {
	return []string{"internal/turn/keeper", "internal/supervise", "internal/view/status", "cmd/delegate",
		"internal/fence/proxy", "internal/sys/terminal", "internal/engine/remote"}
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
