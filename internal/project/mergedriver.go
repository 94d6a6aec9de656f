package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/sys/run"
)

// MergeDriver is the name of the merge driver of the registry in git's attributes and configuration.
const MergeDriver = "delegate"

const (
	contextPath = "docs/logs/session_context.md" // has an entry of several lines for each session
	notesPath   = "docs/logs/delegation_notes.md"
	indexPath   = "docs/logs/archive/README.md" // has a line for each
)

// MergeAttributes are the lines of .gitattributes by which git joins the records of two branches.
func MergeAttributes() string {
	text := ""
	for _, path := range []string{RegistryPath, contextPath, notesPath} {
		text += path + " merge=" + MergeDriver + "\n"
	}
	return text + indexPath + " merge=union\n"
}

// MergesRecord says what .gitattributes and this clone's configuration lack to join the records of two branches, and
// what mends it; both are "" if nothing is.
func (p *Project) MergesRecord(ctx context.Context) (problem, mend string, err error) {
	data, err := os.ReadFile(filepath.Join(p.Main, ".gitattributes"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("read attributes: %w", err)
	}
	if strings.Contains(string(data), contextPath+" merge=union") {
		return "a line of .gitattributes, from an earlier version, tears the entries of " + contextPath +
			" apart when git merges", "write in its place: " + contextPath + " merge=" + MergeDriver, nil
	}
	key, value := MergeSetting()
	known, err := p.Repo.HasConfig(ctx, key)
	if err != nil || known || !strings.Contains(string(data), "merge="+MergeDriver) {
		return "", "", err
	}
	return ".gitattributes names a merge driver for the record, and this clone's git has none",
		"git config " + key + " " + run.Quote(value), nil
}

// MergeSetting is the key and the value of git's configuration that a clone needs for MergeAttributes.
func MergeSetting() (key, value string) {
	return "merge." + MergeDriver + ".driver", "delegate registry merge %O %A %B"
}
