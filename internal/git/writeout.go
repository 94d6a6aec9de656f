package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// WriteOut makes the folder hold the files of a tree, for programs that read them there. The index
// of what is in it lies beside it
// as FOLDER.index and makes the next tree quick. Filters of the configuration are not run: a file
// that goes through one is
// written as it is stored. It writes nothing to the repository.
func (r *Repo) WriteOut(ctx context.Context, tree, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("write out %.12s: %w", tree, err)
	}
	unfiltered, err := r.disarm(ctx, `^filter\..*\.(clean|smudge|process|required)$`, "")
	if err != nil {
		return err
	}
	env := append(unfiltered, "GIT_WORK_TREE="+folder, "GIT_INDEX_FILE="+filepath.Clean(folder)+".index")
	if _, err := r.do(ctx, call{args: []string{"read-tree", "--reset", "-u", tree}, env: env}); err != nil {
		return fmt.Errorf("write out %.12s: %w", tree, err)
	}
	return nil
}
