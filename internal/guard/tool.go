package guard

import (
	"slices"

	"delegate/internal/program"
)

// kind is what a tool does, as far as it matters here.
type kind int

const (
	harmless kind = iota // or not known
	startsAgent
	writesFile
	patchesFiles
	runsShell
	readsFile
	looksAround // reads what lies below a folder, the worktree if none is named
)

// kindOf knows the tools of all the programs by name; no two mean different things by one name.
func kindOf(tool string) kind {
	for _, p := range program.All() {
		for does, names := range [...][]string{startsAgent: p.Tools.Start, writesFile: p.Tools.Write,
			patchesFiles: p.Tools.Patch, runsShell: p.Tools.Shell, readsFile: p.Tools.Read, looksAround: p.Tools.Look} {
			if slices.Contains(names, tool) {
				return kind(does)
			}
		}
	}
	return harmless
}
