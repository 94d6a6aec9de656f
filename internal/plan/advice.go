package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"delegate/internal/text/spelling"
	"delegate/internal/text/ui"
	"delegate/scope"
)

// adviser finds oddities of subtasks by the files and tests of the repository.
type adviser struct {
	facts   Facts
	tests   testFiles
	folders map[string]bool
}

func newAdviser(f Facts) adviser {
	a := adviser{facts: f, tests: newTestFiles(f), folders: map[string]bool{}}
	for _, name := range f.Files {
		for dir := path.Dir(name); dir != "." && !a.folders[dir]; dir = path.Dir(dir) {
			a.folders[dir] = true
		}
	}
	return a
}

// about returns advice on a subtask, one sentence each; files are those that its scope matches.
func (a adviser) about(s Subtask, sc *scope.Scope, files []string) []string {
	var out []string
	if len(files) == 0 {
		out = append(out, a.nowhere(s)...)
	}
	out = append(out, a.notMade(s, sc)...)
	out = append(out, a.lackingTests(sc, files)...)
	switch size := len(s.Context); {
	case strings.TrimSpace(s.Context) == "":
		out = append(out, "the context is empty; say what the agent must know besides its task")
	case a.facts.ContextCap > 0 && size > a.facts.ContextCap:
		out = append(out, fmt.Sprintf("the context has %d bytes, and an agent is handed the first %d", size,
			a.facts.ContextCap))
	}
	if len(s.ExpectedOutputs) == 0 {
		out = append(out, "no expected outputs; name the files that show that the work is done")
	}
	return out
}

// nowhere reports patterns whose folders do not exist, for a scope that matches no file today.
func (a adviser) nowhere(s Subtask) []string {
	if len(a.facts.Files) == 0 {
		return nil
	}
	var out []string
	for _, pattern := range s.Allowed {
		folder := fixedFolder(pattern)
		isNew := slices.ContainsFunc(s.ExpectedOutputs, func(o string) bool { return strings.HasPrefix(o, folder+"/") })
		if folder == "." || a.folders[folder] || isNew && a.nearest(folder) == "" {
			continue
		}
		text := fmt.Sprintf("%q matches no file today, and there is no folder %q", pattern, folder)
		if like := a.nearest(folder); like != "" {
			text += fmt.Sprintf("; did you mean %q?", like)
		}
		out = append(out, text)
	}
	return out
}

// fixedFolder is the folder that everything a pattern matches lies below, as far as it has no
// wildcard; "." for the root.
func fixedFolder(pattern string) string {
	if i := strings.IndexAny(pattern, `*?[{\`); i >= 0 {
		pattern = pattern[:i] + "x"
	} else if strings.HasSuffix(pattern, "/") {
		pattern += "x"
	}
	return path.Dir(path.Clean(pattern))
}

// nearest is the folder whose name is at most two letters from that of another, or the same further down.
func (a adviser) nearest(folder string) string {
	best, at := "", 3
	for dir := range a.folders {
		d := spelling.Distance(folder, dir)
		if strings.HasSuffix(dir, "/"+folder) {
			d = 1
		}
		if d < at || d == at && best != "" && dir < best {
			best, at = dir, d
		}
	}
	return best
}

// lackingTests reports tests of the scope's files that stand outside of it.
func (a adviser) lackingTests(sc *scope.Scope, files []string) []string {
	var lacking []string
	for _, name := range files {
		tests := a.tests.of(name)
		if slices.ContainsFunc(tests, func(t string) bool { return sc.Check(t).Allowed }) {
			continue
		}
		for _, t := range tests {
			if !sc.Forbids(t) && !slices.Contains(lacking, t) {
				lacking = append(lacking, t)
			}
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return []string{"tests of its files are outside of the scope: " + ui.Some(lacking, 3)}
}
