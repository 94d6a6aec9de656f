package plan

import (
	"fmt"
	"slices"
)

// proposal is a subtask in the making: a goal, and what of the repository it is about.
type proposal struct {
	goal
	seeds    []string        // existing files that its words lead to, the surest first
	named    map[string]bool // those of them that the text names
	spoken   []string        // the plain words of the text, sorted
	within   string          // a folder that the text speaks of, too large for a scope: words are looked up in there
	patterns []string        // globs and folders that it names
	fresh    []string        // files that it names and that do not exist
	guessed  []string        // tests that do not exist, where they would stand
	related  []string        // files that belong to the seeds
	notes    []string        // lines about what was found
	general  bool            // a document was taken that is about everything
	deps     []dependency    // proposals that come before
}

// dependency is the place of an earlier proposal, and why it comes before.
type dependency struct {
	on  int
	why string
}

// lost reports a proposal of which nothing was found.
func (p *proposal) lost() bool { return len(p.seeds)+len(p.patterns)+len(p.fresh) == 0 }

func (p *proposal) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

func (p *proposal) addSeed(name, why string) {
	if !slices.Contains(p.seeds, name) {
		p.seeds = append(p.seeds, name)
		p.note("%s: %s", name, why)
	}
}

const (
	maxSeeds = 8
	// maxDefiners is how many files may define a symbol for it to lead to them.
	maxDefiners = 3
)
