package report

// agentView is an agent with its anchor and what belongs to it elsewhere on the page.
type agentView struct {
	Agent
	Anchor  string
	Changed extent
	Files   []fileView
	Hidden  int // lines of its patches that are not on the page
	Rows    []row
}

// extent is how much an agent changed.
type extent struct{ N, Insertions, Deletions int }

// extentOf counts the files that are at hand, and takes the registry's word where none are.
func extentOf(a Agent) extent {
	if len(a.Files) == 0 {
		return extent{len(a.ChangedFiles()), a.Insertions, a.Deletions}
	}
	e := extent{N: len(a.Files)}
	for _, f := range a.Files {
		e.Insertions += f.Insertions
		e.Deletions += f.Deletions
	}
	return e
}

// fileView is a file with its anchor.
type fileView struct {
	File
	Anchor string
	Open   bool
}
