package registry

import (
	"slices"
	"strings"
	"testing"
)

// Markdown shows the record as it is: globs and paths are code, each field of the session is a line,
// and no folder of one machine stands in it.
func TestRendersWell(t *testing.T) {
	text := update(t, string(New()), twoAgents)
	text = update(t, text, func(tx *Tx) error {
		return tx.Edit("AGT-001", func(a *Agent) {
			a.Allowed = []string{"src/limit/**", "docs/__init__.py", "a`b", "{x,y}/*", "odd,name"}
			a.Forbidden = []string{"src/limit/old/**"}
			a.Worktree = "/home/me/repo.delegate/limiter.2"
			a.FilesModified = []string{"docs/__init__.py"}
		})
	})
	for _, want := range []string{
		"**Created**: 2026-01-02T15:04:05Z  \n**Parent Task**: Rate limits  \n",
		"  - Allowed: `src/limit/**`, `docs/__init__.py`, a\\u{60}b, `{x,y}/*`, `odd\\,name`\n",
		"  - Forbidden: `src/limit/old/**`, `docs/01_progress.md`, ", "`docs/logs/**`", "`.claude/**`", "`**/.git/**`",
		"- **Worktree**: limiter.2\n", "- **Files Modified**: `docs/__init__.py`\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	doc := parsed(t, text)
	doc.Locate(func(session string, a Agent) string {
		return "/elsewhere/" + session + "/" + a.ID + ":" + a.Worktree
	})
	agent, err := doc.State().Agent("AGT-001")
	if err != nil || agent.Worktree != "/elsewhere/DEL-20260102-150405/AGT-001:limiter.2" ||
		!slices.Equal(agent.Allowed, []string{"src/limit/**", "docs/__init__.py", "a`b", "{x,y}/*", "odd,name"}) ||
		!slices.Equal(agent.Forbidden, []string{"src/limit/old/**"}) {
		t.Errorf("read back: %q %q %q %v", agent.Worktree, agent.Allowed, agent.Forbidden, err)
	}
}

// A worktree is named from the folder of all worktrees on, as it is called today and as it was before agents had
// names; one that is called otherwise keeps its path.
func TestWorktreeInTheRecord(t *testing.T) {
	for path, want := range map[string]string{
		"/r.delegate/limiter": "limiter", "/r.delegate/limiter.2": "limiter.2", "limiter.12": "limiter.12",
		"/r.delegate/DEL-20260102-150405/AGT-001/work":   "DEL-20260102-150405/AGT-001/work",
		"/r.delegate/DEL-20260102-150405/AGT-001/work-2": "DEL-20260102-150405/AGT-001/work-2",
		"/r.delegate/other":                              "/r.delegate/other",
		"/r.delegate/limiter.x":                          "/r.delegate/limiter.x",
	} {
		text := update(t, update(t, string(New()), twoAgents), func(tx *Tx) error {
			return tx.Edit("AGT-001", func(a *Agent) { a.Worktree = path })
		})
		if !strings.Contains(text, "- **Worktree**: "+want+"\n") {
			t.Errorf("%s is not %s in\n%s", path, want, text)
		}
	}
}

// A record of the earlier form is read, and its lines stay until their values change.
func TestEarlierFormStays(t *testing.T) {
	text := update(t, string(New()), twoAgents)
	old := edit(t, text, "`src/limit/**`", "src/limit/**, docs/*.md",
		"- **Output**: pending",
		"- **Output**: pending\n- **Worktree**: /home/me/r.delegate/DEL-20260102-150405/AGT-001/work",
		"**Created**: 2026-01-02T15:04:05Z  ", "**Created**: 2026-01-02T15:04:05Z")
	first, _, _ := strings.Cut(old[strings.Index(old, "  - Forbidden:")+4:], "\n")
	old = edit(t, old, first, "Forbidden: None")
	now := update(t, old, func(tx *Tx) error { return tx.Edit("AGT-001", func(a *Agent) { a.Turns = 1 }) })
	if want := edit(t, old, "- **Name**: limiter\n", "- **Name**: limiter\n- **Turns**: 1\n"); now != want {
		t.Errorf("got\n%s\nwant\n%s", now, want)
	}
	agent, err := parsed(t, now).State().Agent("AGT-001")
	if err != nil || !slices.Equal(agent.Allowed, []string{"src/limit/**", "docs/*.md"}) || agent.Forbidden != nil ||
		agent.Worktree != "/home/me/r.delegate/DEL-20260102-150405/AGT-001/work" {
		t.Errorf("agent %+v, %v", agent, err)
	}
}
