package cleanup

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/git/gittest"
	"delegate/registry"
)

// TestNothingIsLost holds that whatever state worktrees and branches are in, each commit and each content of a file is
// in a reference or on the disk after everything that may go has gone.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			r := newRig(t)
			names := []string{"one", "two", "three"}
			r.begin(names...)
			for i, name := range names {
				r.upset(random, r.works(name), name)
				switch random.IntN(4) {
				case 0:
					r.lands(name, "merge")
				case 1:
					r.lands(name, "squash")
				default:
					r.rejects(name)
				}
				_, a := r.agent(name)
				if tree := gittest.In(t, a.Worktree); r.has(a.Worktree) && random.IntN(2) == 0 {
					r.upset(random, tree, fmt.Sprint(name, i))
				}
			}
			if seed%2 == 0 {
				r.ends()
			} else {
				r.end()
			}
			before := r.everything()
			for _, s := range []Selection{{}, {All: true}, {All: true}} {
				r.clean(s)
				after := r.everything()
				for what := range before {
					if !after[what] {
						t.Errorf("%+v lost %s", s, what)
					}
				}
			}
		})
	}
}

// upset does to an agent's worktree what somebody may do.
func (r *rig) upset(random *rand.Rand, tree *gittest.Repo, name string) {
	r.Helper()
	for range random.IntN(3) {
		text := fmt.Sprintln(name, random.Uint32())
		switch random.IntN(9) {
		case 0:
			tree.Write(map[string]string{"tracked": text})
		case 1:
			tree.Write(map[string]string{"new-" + name: text})
		case 2:
			tree.Write(map[string]string{"new-" + name: text})
			tree.Commit("A person's, of " + name)
		case 3:
			tree.Write(map[string]string{"ignored": text})
		case 4:
			tree.Git("checkout", "-q", "--detach")
			tree.Commit("On no branch, of " + name)
		case 5:
			tree.Git("switch", "-q", "-c", "mine-"+strings.TrimSpace(strings.ReplaceAll(text, " ", "-")))
			tree.Commit("On another branch, of " + name)
		case 6:
			tree.Write(map[string]string{"staged-" + name: text})
			tree.Git("add", ".")
			tree.Write(map[string]string{"staged-" + name: "and changed " + text})
		case 7:
			r.Git("branch", "delegate/"+name+".2", "HEAD")
		case 8:
			r.ok(os.RemoveAll(tree.Dir))
			return
		}
	}
}

// ends ends the session as its completion does.
func (r *rig) ends() {
	r.Helper()
	state, err := r.p.Active(r.Context())
	r.ok(err)
	r.end()
	results, err := RemoveEnded(r.Context(), r.p, *state.Session, state.Agents, Nothing)
	r.ok(err)
	for _, result := range results {
		if result.Outcome == Failed || result.Outcome == Refused && result.Status != registry.Merged &&
			result.Refusal.Reason == "" {
			r.Errorf("%s: %+v", result.Item, result)
		}
	}
}

// everything names the commits that a reference or worktree has, and the contents of files in them and on the disk. Of
// a file that was staged and then changed, what was staged counts as an intermediate state.
func (r *rig) everything() map[string]bool {
	r.Helper()
	tips := []string{"--all"}
	for _, line := range strings.Split(r.Git("worktree", "list", "--porcelain"), "\n") {
		if head, isHead := strings.CutPrefix(line, "HEAD "); isHead && strings.Trim(head, "0") != "" {
			tips = append(tips, head)
		}
	}
	all := map[string]bool{}
	for _, line := range strings.Split(r.Git(append([]string{"rev-list", "--objects"}, tips...)...), "\n") {
		id, _, _ := strings.Cut(line, " ")
		all[id] = true
	}
	var files []string
	_ = filepath.WalkDir(r.p.WorktreeRoot(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != ".git" && !strings.Contains(path, "/DEL-") {
			files = append(files, path)
		}
		return nil
	})
	if len(files) > 0 {
		for _, id := range strings.Fields(r.Git(append([]string{"hash-object", "--"}, files...)...)) {
			all[id] = true
		}
	}
	return all
}
