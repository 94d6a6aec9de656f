package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Filters are the commands of the configured filter drivers, by driver.
func (r *Repo) Filters(ctx context.Context) (map[string][]string, error) {
	found, err := r.matching(ctx, `^filter\..*\.(clean|smudge|process)$`)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	drivers := map[string][]string{}
	for _, s := range found {
		driver := strings.TrimPrefix(s.key[:strings.LastIndexByte(s.key, '.')], "filter.")
		drivers[driver] = append(drivers[driver], s.value)
	}
	return drivers, nil
}

// WithoutFilters is the same checkout, for calls in which these filter drivers run nothing.
func (r *Repo) WithoutFilters(drivers []string) *Repo {
	plain := *r
	plain.disabledFilters = strings.Join(drivers, "\n")
	return &plain
}

// TryFilters writes those of the named files of a tree that go through a required filter into a folder that it makes
// and removes, as a checkout would write them. The error, where a filter fails, has git's words. In a sparse checkout
// it tries nothing. It writes nothing to the repository.
func (r *Repo) TryFilters(ctx context.Context, tree string, paths []string, folder string) (err error) {
	required, err := r.matching(ctx, `^filter\..*\.required$`)
	if err != nil || len(required) == 0 || len(paths) == 0 {
		return err
	}
	if sparse, err := r.sparse(ctx); err != nil || sparse {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("try filters: %w", err)
	}
	index := folder + ".index"
	defer func() { err = errors.Join(err, os.RemoveAll(folder), os.RemoveAll(index)) }()
	env := []string{"GIT_WORK_TREE=" + folder, "GIT_INDEX_FILE=" + index}
	if _, err := r.do(ctx, call{args: []string{"read-tree", tree}, env: env}); err != nil {
		return fmt.Errorf("try filters: %w", err)
	}
	out, err := r.do(ctx, call{args: []string{"check-attr", "-z", "--stdin", "--cached", "filter"},
		stdin: records(paths), env: env})
	if err != nil {
		return fmt.Errorf("try filters: %w", err)
	}
	var filtered []string
	for found := fields(out); len(found) >= 3; found = found[3:] { // path, attribute, value
		if slices.ContainsFunc(required, func(s setting) bool { return s.key == "filter."+found[2]+".required" }) {
			filtered = append(filtered, found[0])
		}
	}
	if len(filtered) > 0 {
		_, err = r.do(ctx, call{args: []string{"checkout-index", "-z", "--stdin"}, stdin: records(filtered), env: env})
	}
	return wrap(err, "try filters")
}
