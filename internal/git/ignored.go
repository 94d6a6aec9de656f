package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/sys/run"
)

// IgnoredFolders are those of the folders (paths with slashes) that git ignores and that hold nothing that it tracks.
func (r *Repo) IgnoredFolders(ctx context.Context, folders []string) ([]string, error) {
	if len(folders) == 0 || !r.mayIgnore(ctx, folders) {
		return nil, nil
	}
	asked := make([]string, len(folders))
	for i, f := range folders {
		asked[i] = strings.TrimSuffix(f, "/") + "/"
	}
	c := call{args: []string{"check-ignore", "-z", "--no-index", "--stdin"}, stdin: records(asked), reads: true}
	ignored, err := r.fields(ctx, c)
	if run.ExitCode(err) == 1 {
		return nil, nil
	}
	var tracked []byte
	if err == nil {
		tracked, err = r.read(ctx, append([]string{"--literal-pathspecs", "ls-files", "-z", "--"}, asked...)...)
	}
	files := fields(tracked)
	var all []string
	for _, folder := range ignored {
		if !slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, folder) }) {
			all = append(all, strings.TrimSuffix(folder, "/"))
		}
	}
	return all, wrap(err, "ask which folders are ignored")
}

// mayIgnore is false where nothing says what is ignored: no file of the repository's or of the person's, and none
// beside or above one of the folders.
func (r *Repo) mayIgnore(ctx context.Context, folders []string) bool {
	home, err := os.UserHomeDir()
	set, configErr := r.HasConfig(ctx, "core.excludesfile")
	if errors.Join(err, configErr) != nil || set || !isGone(filepath.Join(personsFolder(home), "ignore")) ||
		!isGone(filepath.Join(r.GitDir, "info", "sparse-checkout")) || // by which rules can lie in the index alone
		saysSomething(filepath.Join(r.CommonDir, "info", "exclude")) {
		return true
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		at := path.Clean(folder)
		for at != "." && at != "/" {
			at = path.Dir(at)
			if !isGone(filepath.Join(r.Worktree, filepath.FromSlash(at), ".gitignore")) {
				return true
			}
		}
		return false
	})
}

func isGone(file string) bool {
	_, err := os.Lstat(file)
	return errors.Is(err, fs.ErrNotExist)
}

// saysSomething is false for a file that is not there, or has nothing but comments and empty lines.
func saysSomething(file string) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, " \r\n"); line != "" && line[0] != '#' {
			return true
		}
	}
	return false
}
