package git_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Where no file says what is ignored, no git is asked; each place in which one can stand is found.
func TestIgnoredFoldersBySource(t *testing.T) {
	const rule = "log\n"
	for name, c := range map[string]struct {
		files map[string]string
		set   func(b *box, folder string)
		want  []string
	}{
		"nothing":                {nil, nil, nil},
		"beside":                 {map[string]string{".gitignore": rule}, nil, []string{"log", "a/b/log"}},
		"above":                  {map[string]string{"a/.gitignore": rule}, nil, []string{"a/b/log"}},
		"beside the deeper one":  {map[string]string{"a/b/.gitignore": rule}, nil, []string{"a/b/log"}},
		"beside neither of them": {map[string]string{"c/.gitignore": rule, "log/.gitignore": rule}, nil, nil},
		"the repository's own": {nil, func(b *box, _ string) {
			b.Write(map[string]string{".git/info/exclude": "# comment\n\n" + rule})
		}, []string{"log", "a/b/log"}},
		"comments of the repository's own": {nil, func(b *box, _ string) {
			b.Write(map[string]string{".git/info/exclude": "# log\n\n#\n"})
		}, nil},
		"the person's": {nil, func(b *box, folder string) {
			file := filepath.Join(folder, "git", "ignore")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(rule), 0o600); err != nil {
				b.Fatal(err)
			}
		}, []string{"log", "a/b/log"}},
		"configured": {nil, func(b *box, folder string) {
			if err := os.WriteFile(filepath.Join(folder, "rules"), []byte(rule), 0o600); err != nil {
				b.Fatal(err)
			}
			b.Git("config", "core.excludesFile", filepath.Join(folder, "rules"))
		}, []string{"log", "a/b/log"}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("XDG_CONFIG_HOME", folder)
			files := map[string]string{"f": "1\n"}
			maps.Copy(files, c.files)
			b := newBox(t, files)
			if c.set != nil {
				c.set(b, folder)
			}
			log := watchGit(t, "")
			got, err := b.open().IgnoredFolders(t.Context(), []string{"log", "a/b/log"})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "ignored", got, c.want)
			if asked := slices.Contains(log(), "check-ignore"); asked != (c.want != nil) {
				t.Errorf("git was asked: %v", asked)
			}
		})
	}
}
