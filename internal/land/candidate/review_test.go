package candidate

import (
	"slices"
	"testing"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"
)

// TestOverLimit holds that an agent that changed more files than the limit is named, whether they were there or not.
func TestOverLimit(t *testing.T) {
	work := func(id string, files int) Member {
		return Member{Agent: registry.Agent{ID: id}, Work: project.Work{Files: make([]change.File, files)}}
	}
	members := []Member{work("AGT-001", 20), work("AGT-002", 25)}
	got := overLimit(members, config.DefaultCount(20))
	if len(got) != 1 || got[0].Text != "AGT-002 changes 25 files; scope_limit is 20" {
		t.Errorf("remarks %+v", got)
	}
	if got := overLimit(members, config.DefaultCount(0)); len(got) > 0 {
		t.Errorf("without a limit: %+v", got)
	}
}

// TestBlocksWithoutFindings holds that a block is told apart from a finding's message by what it is, not by its words.
func TestBlocksWithoutFindings(t *testing.T) {
	const words = "its branch lacks the commit it started from: it rewrote history"
	c := Candidate{Tree: "t", Members: []Member{{
		Agent: registry.Agent{ID: "AGT-001", Status: registry.Complete}, Tree: "t", Changes: make([]change.File, 1),
		Work: project.Work{Rewritten: true}, Findings: []conflict.Finding{{Message: words, Blocking: true}},
	}}}
	if got := c.Blocks(); !slices.Equal(got, []string{words, words}) {
		t.Errorf("blocks %q", got)
	}
	if got := c.BlocksWithoutFindings(); !slices.Equal(got, []string{words}) {
		t.Errorf("without findings %q", got)
	}
}

// An answer that is void says whether the files that would be merged are others, or only the commits that bring them.
func TestChangedSince(t *testing.T) {
	shown := Candidate{Tip: "t1", Tree: "a", Target: "refs/heads/main",
		Members: []Member{{Agent: registry.Agent{ID: "AGT-001"}, Head: "h1"}}}
	now := shown
	now.Members = []Member{{Agent: registry.Agent{ID: "AGT-001"}, Head: "h2"}}
	said := func(tip, tree string) string {
		now.Tip, now.Tree = tip, tree
		return now.ChangedSince(shown)
	}
	if got := said("t1", "b"); got != "the work of AGT-001 changed" {
		t.Errorf("with other files: %q", got)
	}
	if got := said("t1", "a"); got != "AGT-001 has other commits; the merged files are the same" {
		t.Errorf("with the same files: %q", got)
	}
	if got := said("t2", "a"); got != "main moved from t1 to t2 and AGT-001 has other commits; the merged files are "+
		"the same" {
		t.Errorf("on another commit: %q", got)
	}
}
