package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// MergeDriver is the name of the merge driver of the registry in git's attributes and configuration.
const MergeDriver = "delegate"

// MergeAttributes are the lines of .gitattributes by which git joins the records of two branches.
func MergeAttributes() string {
	text := RegistryPath + " merge=" + MergeDriver + "\n"
	for _, path := range AppendedFiles() {
		text += path + " merge=union\n"
	}
	return text
}

// MergesRecord reports whether .gitattributes names the merge driver, and whether this clone's git knows it.
func (p *Project) MergesRecord(ctx context.Context) (named, known bool, err error) {
	data, err := os.ReadFile(filepath.Join(p.Main, ".gitattributes"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("read attributes: %w", err)
	}
	named = strings.Contains(string(data), "merge="+MergeDriver)
	known, err = p.Repo.HasConfig(ctx, "merge."+MergeDriver+".driver")
	return named, known, err
}

// MergeSetting is the key and the value of git's configuration that a clone needs for MergeAttributes.
func MergeSetting() (key, value string) {
	return "merge." + MergeDriver + ".driver", "delegate registry merge %O %A %B"
}
