package candidate

import (
	"bytes"
	"encoding/gob"
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/atomicfile"
	"delegate/internal/git"
)

// step is a merge of a member, which the next command need not make again. Whether it would come out alike is found out
// anew.
type step struct {
	Ours, Theirs string
	Merged       git.Merged
}

// mostKept bounds how many are kept; beyond it those of the last candidate alone are.
const mostKept = 512

func (b *Builder) stepsFile() string { return filepath.Join(b.Project.Private, "candidates.gob") }

// recall has git know the steps of earlier candidates. A file that cannot be read is forgotten.
func (b *Builder) recall() {
	if b.recalled {
		return
	}
	b.recalled = true
	data, err := os.ReadFile(b.stepsFile())
	if err != nil || gob.NewDecoder(bytes.NewReader(data)).Decode(&b.steps) != nil {
		b.steps = nil
		return
	}
	for _, s := range b.steps {
		b.Project.Repo.KnowMerge(s.Ours, s.Theirs, s.Merged)
	}
}

// writeSteps keeps the steps of a candidate that git would take again. In a repository where nothing can be written,
// nothing is kept.
func (b *Builder) writeSteps(c *Candidate) {
	var own, fresh []step
	for i := range c.Members {
		m := &c.Members[i]
		ours, theirs := m.sides()
		merged, known := b.Project.Repo.MergeKept(ours, theirs)
		if !known || merged.Tree != m.Tree || m.Tree == "" {
			continue
		}
		s := step{ours, theirs, merged}
		own = append(own, s)
		if !slices.ContainsFunc(b.steps, func(o step) bool { return o.Ours == ours && o.Theirs == theirs }) {
			fresh = append(fresh, s)
		}
	}
	if len(fresh) == 0 || b.Project.Inside {
		return
	}
	if b.steps = append(b.steps, fresh...); len(b.steps) > mostKept {
		b.steps = own
	}
	var data bytes.Buffer
	if os.MkdirAll(b.Project.Private, 0o700) == nil && gob.NewEncoder(&data).Encode(b.steps) == nil {
		_ = atomicfile.WriteUnsynced(b.stepsFile(), data.Bytes(), 0o600)
	}
}
