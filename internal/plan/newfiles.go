package plan

import (
	"fmt"
	"path"
	"slices"

	"delegate/internal/text/ui"
	"delegate/scope"
)

// notMade reports files that the subtask is to make and that the kernel would refuse: without namespaces it tells
// folders apart, and no names in them.
func (a adviser) notMade(s Subtask, sc *scope.Scope) []string {
	if !a.facts.NoNamespaces || s.On != "" {
		return nil
	}
	var all, folders []string
	add := func(what, at string) {
		folder := a.shared(at, sc)
		if folder == "" || slices.Contains(all, what) {
			return
		}
		all = append(all, what)
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, name := range slices.Concat(s.ExpectedOutputs, s.Allowed) {
		if scope.Literal(name) == name && sc.Check(name).Allowed && !slices.Contains(a.facts.Files, name) {
			add(name, path.Dir(name))
		}
	}
	for _, pattern := range s.Allowed {
		if scope.Literal(pattern) != pattern {
			add("new files of "+pattern, fixedFolder(pattern))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the kernel will refuse it %s: this machine has no namespaces (delegate doctor), and "+
		"without them no file can be made in a folder that also holds files outside of the scope (%s); allow that "+
		"whole folder", ui.Some(all, 3), ui.Some(folders, 3))}
}

// shared is the folder in which a new file or folder would have to be made beside what the scope does not allow,
// "" if there is none.
func (a adviser) shared(folder string, sc *scope.Scope) string {
	for ; folder != "." && !a.folders[folder]; folder = path.Dir(folder) {
		if slices.ContainsFunc(sc.AllowedAreas(), func(area scope.Area) bool {
			return area.Path == folder || area.Reach == scope.Entry && path.Dir(area.Path) == folder
		}) {
			return "" // it is made before the agent starts
		}
	}
	if folder == "." {
		return "the root"
	}
	if slices.ContainsFunc(a.facts.Files, func(name string) bool {
		return scope.Within(name, folder) && !sc.Check(name).Allowed
	}) {
		return folder
	}
	return ""
}
