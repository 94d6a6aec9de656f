package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/run"
)

// HooksPath is the folder of the person's hooks: as core.hooksPath names it, which may begin at the worktree, else the repository's own.
func (r *Repo) HooksPath(ctx context.Context) (string, error) {
	out, err := r.read(ctx, "config", "-z", "--type=path", "--get-all", "core.hooksPath")
	if err != nil {
		return "", fmt.Errorf("read core.hooksPath: %w", err)
	}
	if all := fields(out); len(all) > 1 {
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
	out, err := r.do(ctx, call{args: []string{"check-ignore", "-z", "--no-index", "--stdin"}, stdin: records(asked), env: []string{"GIT_OPTIONAL_LOCKS=0"}})
	if run.ExitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ask which folders are ignored: %w", err)
	}
	tracked, err := r.read(ctx, append([]string{"--literal-pathspecs", "ls-files", "-z", "--"}, asked...)...)
	if err != nil {
		return nil, fmt.Errorf("ask which folders are ignored: %w", err)
	}
	files := fields(tracked)
	var all []string
	for _, folder := range fields(out) {
		if !slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, folder) }) {
			all = append(all, strings.TrimSuffix(folder, "/"))
		}
	}
	return all, nil
}

// Filters are the commands of the configured filter drivers, by driver.
func (r *Repo) Filters(ctx context.Context) (map[string][]string, error) {
	out, err := r.read(ctx, "config", "-z", "--get-regexp", `^filter\..*\.(clean|smudge|process)$`)
	if run.ExitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read filters: %w", err)
	}
	drivers := map[string][]string{}
	for _, entry := range fields(out) {
		key, command, _ := strings.Cut(entry, "\n")
		driver := strings.TrimPrefix(key[:strings.LastIndexByte(key, '.')], "filter.")
		drivers[driver] = append(drivers[driver], command)
	}
	return drivers, nil
}

// WithoutFilters is the same checkout, for calls in which these filter drivers run nothing.
func (r *Repo) WithoutFilters(drivers []string) *Repo {
	plain := *r
	plain.plain = strings.Join(drivers, "\n")
	return &plain
}

// TransportHelpers are the programs through which git reaches others' repositories over a network, as far as they are installed.
func TransportHelpers(ctx context.Context) []string {
	out, err := run.Output(ctx, run.Command{Path: "git", Args: []string{"--exec-path"}})
	if err != nil {
		return nil
	}
	var all []string
	for _, name := range []string{"git-remote-http", "git-remote-https", "git-remote-ftp", "git-remote-ftps", "git-http-push", "git-http-fetch"} {
		path := filepath.Join(strings.TrimSuffix(string(out), "\n"), name)
		if _, err := os.Stat(path); err == nil {
			all = append(all, path)
		}
	}
	if ssh, err := run.Which("ssh", "/", os.Getenv("PATH")); err == nil {
		all = append(all, ssh)
	}
	return all
}

// Alternates is a list of object folders as git reads it from a variable.
func Alternates(folders ...string) string {
	all := make([]string, len(folders))
	for i, f := range folders {
		all[i] = quoted(f)
	}
	return strings.Join(all, ":")
}
