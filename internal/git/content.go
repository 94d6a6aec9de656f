package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/sys/atomicfile"
)

// contentKeys match the settings by which git makes objects of files and files of objects.
const contentKeys = `^(core\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|` +
	`checkroundtripencoding)|filter\..*)$`

// ContentConfig is what decides about content in this checkout, whichever file says it, in the form that git reads: for
// a git that does not see the person's files. Those that list what is ignored and what attributes files have are
// copied to the folder. Filters that run nothing here run nothing there.
func (r *Repo) ContentConfig(ctx context.Context, folder string) (string, error) {
	found, err := r.matching(ctx, contentKeys)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, s := range found {
		b.WriteString(s.entry())
	}
	for _, word := range r.noFilters() {
		key, value, _ := strings.Cut(word, "=")
		b.WriteString(setting{key: key, value: value}.entry())
	}
	home, _ := os.UserHomeDir() // without one there is nothing below it
	for key, usual := range map[string]string{"core.excludesfile": "ignore", "core.attributesfile": "attributes"} {
		file := filepath.Join(personsFolder(home), usual)
		if named, err := r.HasConfig(ctx, key); err != nil {
			return "", err
		} else if named {
			if file, err = r.line(ctx, "config", "--type=path", "--get", key); err != nil {
				return "", fmt.Errorf("read %s: %w", key, err)
			}
		}
		if file == "" || filepath.IsAbs(file) {
			text, _ := os.ReadFile(file) // git goes on as well where it cannot be read
			file = filepath.Join(folder, usual)
			if err := atomicfile.WriteUnsynced(file, text, 0o644); err != nil {
				return "", err
			}
		}
		b.WriteString(setting{key: key, value: file}.entry())
	}
	return b.String(), nil
}
