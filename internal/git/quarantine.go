package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Quarantined says whether objects are written to a folder of their own.
func (r *Repo) Quarantined() bool { return r.objects != "" }

// Alternates is a list of object folders as git reads it from a variable.
func Alternates(folders ...string) string {
	all := make([]string, len(folders))
	for i, f := range folders {
		all[i] = quoted(f)
	}
	return strings.Join(all, ":")
}

// Quarantine is the same checkout for calls whose objects are not wanted for long: they go to the
// folder "objects" inside folder, which is made, and the repository's own objects stay readable.
// Removing the folder removes all of them.
//
// So that nothing of it outlives folder and nothing comes in unasked, a quarantine refuses two things:
// no reference can be moved (it could name a commit that is about to vanish), and an object that a partial clone
// lacks is not fetched but missing. A private index for Snapshot must be as short-lived as the quarantine.
// A quarantine of a quarantine reads the repository's objects and its own.
func (r *Repo) Quarantine(folder string) (*Repo, error) {
	full, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("make quarantine %q: %w", folder, err)
	}
	held := *r
	held.objects = filepath.Join(full, "objects")
	if err := os.MkdirAll(held.objects, 0o700); err != nil {
		return nil, fmt.Errorf("make quarantine %q: %w", folder, err)
	}
	return &held, nil
}

// quarantined is the part of a quarantine's environment that the repository's has not.
// Two entries keep git from fetching, because versions before 2.39.4 do not know the first.
// The second allows a protocol that does not exist and thereby no other.
// Author, committer and time are always the same, so that equal content makes equal commits and
// nobody needs a name in git for a look.
func (r *Repo) quarantined() []string {
	return []string{
		"GIT_OBJECT_DIRECTORY=" + r.objects,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoted(filepath.Join(r.CommonDir, "objects")),
		"GIT_QUARANTINE_PATH=" + r.objects,
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_AUTHOR_NAME=delegate", "GIT_AUTHOR_EMAIL=delegate@localhost", "GIT_AUTHOR_DATE=@0 +0000",
		"GIT_COMMITTER_NAME=delegate", "GIT_COMMITTER_EMAIL=delegate@localhost", "GIT_COMMITTER_DATE=@0 +0000",
	}
}

// ObjectFolder is the folder of a quarantine that its new objects go to, "" for a checkout that is in none.
func (r *Repo) ObjectFolder() string { return r.objects }
