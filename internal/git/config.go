package git

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/run"
)

// HooksPath is the folder of the person's hooks: as core.hooksPath names it, which may begin at the
// worktree, else the repository's own.
func (r *Repo) HooksPath(ctx context.Context) (string, error) {
	args := []string{"config", "-z", "--type=path", "--get-all", "core.hooksPath"}
	out, err := r.read(ctx, args...)
	all, oddErr := someFields(args, out)
	if err = cmp.Or(err, oddErr); err != nil {
		return "", fmt.Errorf("read core.hooksPath: %w", err)
	}
	if len(all) > 1 {
		return all[len(all)-2], nil // the last one is this package's own
	}
	return filepath.Join(r.CommonDir, "hooks"), nil
}

// IgnoredFolders are those of the folders (paths with slashes) that git ignores and that hold nothing that it tracks.
func (r *Repo) IgnoredFolders(ctx context.Context, folders []string) ([]string, error) {
	if len(folders) == 0 {
		return nil, nil
	}
	asked := make([]string, len(folders))
	for i, f := range folders {
		asked[i] = strings.TrimSuffix(f, "/") + "/"
	}
	c := call{args: []string{"check-ignore", "-z", "--no-index", "--stdin"}, stdin: records(asked), reads: true}
	out, err := r.do(ctx, c)
	if run.ExitCode(err) == 1 {
		return nil, nil
	}
	ignored, oddErr := someFields(c.args, out)
	if err = cmp.Or(err, oddErr); err != nil {
		return nil, fmt.Errorf("ask which folders are ignored: %w", err)
	}
	tracked, err := r.read(ctx, append([]string{"--literal-pathspecs", "ls-files", "-z", "--"}, asked...)...)
	if err != nil {
		return nil, fmt.Errorf("ask which folders are ignored: %w", err)
	}
	files := fields(tracked)
	var all []string
	for _, folder := range ignored {
		if !slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, folder) }) {
			all = append(all, strings.TrimSuffix(folder, "/"))
		}
	}
	return all, nil
}

// Filters are the commands of the configured filter drivers, by driver.
func (r *Repo) Filters(ctx context.Context) (map[string][]string, error) {
	entries, err := r.configured(ctx, `^filter\..*\.(clean|smudge|process)$`)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	drivers := map[string][]string{}
	for _, entry := range entries {
		key, command, _ := strings.Cut(entry, "\n")
		driver := strings.TrimPrefix(key[:strings.LastIndexByte(key, '.')], "filter.")
		drivers[driver] = append(drivers[driver], command)
	}
	return drivers, nil
}

// configured are the settings whose keys match the pattern, each as "KEY\nVALUE"; none where git
// has none.
func (r *Repo) configured(ctx context.Context, keys string, options ...string) ([]string, error) {
	args := append(append([]string{"config", "-z"}, options...), "--get-regexp", keys)
	out, err := r.read(ctx, args...)
	if run.ExitCode(err) == 1 {
		return nil, nil
	}
	all, oddErr := someFields(args, out)
	if err = cmp.Or(err, oddErr); err != nil {
		return nil, fmt.Errorf("list settings that match %q: %w", keys, err)
	}
	return all, nil
}

// WithoutFilters is the same checkout, for calls in which these filter drivers run nothing.
func (r *Repo) WithoutFilters(drivers []string) *Repo {
	plain := *r
	plain.plain = strings.Join(drivers, "\n")
	return &plain
}

// TransportHelpers are the programs through which git reaches others' repositories over a network,
// as far as they are installed.
func TransportHelpers(ctx context.Context) ([]string, error) {
	folder, err := oneLine(ctx, run.Command{Path: "git", Args: []string{"--exec-path"}, Limit: readLimit})
	if err != nil {
		return nil, fmt.Errorf("find git's programs: %w", err)
	}
	var all []string
	for _, name := range []string{"git-remote-http", "git-remote-https", "git-remote-ftp", "git-remote-ftps",
		"git-http-push", "git-http-fetch"} {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			all = append(all, path)
		}
	}
	if ssh, err := run.Which("ssh", "/", os.Getenv("PATH")); err == nil {
		all = append(all, ssh)
	}
	return all, nil
}

// Alternates is a list of object folders as git reads it from a variable.
func Alternates(folders ...string) string {
	all := make([]string, len(folders))
	for i, f := range folders {
		all[i] = quoted(f)
	}
	return strings.Join(all, ":")
}
