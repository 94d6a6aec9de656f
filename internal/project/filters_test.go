package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/project"
)

// TestFiltersOfTheRepositoryAreNotRun holds that verifying a commit does not run what the commit
// holds outside of the fence, and that filters of installed programs go on working.
func TestFiltersOfTheRepositoryAreNotRun(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	for name, command := range map[string]string{
		"by its path": "sh tools/smudge.sh", "by a runner": "make -f tools/smudge.sh",
		"by the shell": `"$(git rev-parse --show-toplevel)"/tools/smudge.sh`,
	} {
		b := newBox(t, map[string]string{
			".delegate.yaml": "verify: [test -e f]\n", ".gitattributes": "f filter=x\n", "f": "1\n",
			"tools/smudge.sh": "#!/bin/sh\n$(shell touch '" + ran + "')\ntouch '" + ran + "'\ncat\n",
		})
		b.Git("update-index", "--chmod=+x", "tools/smudge.sh")
		b.Git("commit", "-q", "-m", "executable")
		b.Git("config", "filter.x.smudge", command)
		p := b.project()
		if o := verify(t, p, b.Git("rev-parse", "HEAD")); o.Result != project.Pass {
			t.Errorf("%s: %+v", name, o)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%s: the repository's own program was run", name)
		}
	}
	b := newBox(t, map[string]string{".delegate.yaml": "verify: ['grep -q SECRET f']\n",
		".gitattributes": "f filter=x\n", "f": "secret\n"})
	b.Git("config", "filter.x.smudge", "tr a-z A-Z")
	if o := verify(t, b.project(), b.Git("rev-parse", "HEAD")); o.Result != project.Pass {
		t.Errorf("a filter that is an installed program was not run: %+v", o)
	}
}
