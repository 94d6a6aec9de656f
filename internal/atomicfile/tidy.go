package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// tidy applies the rule of the package comment to what killed writers left beside path.
func (r Replacer) tidy(path string) error {
	half, err := siblings(path, "."+filepath.Base(path)+newMark)
	if err != nil {
		return err
	}
	for _, name := range half {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove half-written file: %w", err)
		}
	}
	prefix := "." + filepath.Base(path) + swapMark
	swapped, err := siblings(path, prefix)
	if err != nil {
		return err
	}
	for _, name := range swapped {
		if err := tidySwapped(name, path, strings.TrimPrefix(filepath.Base(name), prefix)); err != nil {
			return err
		}
	}
	return nil
}

// A swapped file is ours if its content has one of the two digests in its name.
func tidySwapped(name, path, digests string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read left-over of %q: %w", path, err)
	}
	ours, expected, _ := strings.Cut(digests, "-")
	found := digest(data)
	if data == nil {
		found = digest([]byte{})
	}
	if found == ours || found == expected {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("remove left-over of %q: %w", path, err)
		}
		return nil
	}
	_, err = keep(name, path)
	return err
}

// keep renames temp to the first free displaced name of path.
func keep(temp, path string) (string, error) {
	for n := 1; ; n++ {
		kept := path + displacedMark + strconv.Itoa(n)
		err := renameNew(temp, kept)
		if err == nil {
			return kept, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("keep displaced version of %q: %w", path, err)
		}
	}
}

// siblings lists the files in path's folder whose name begins with prefix, sorted by name.
func siblings(path, prefix string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list folder of %q: %w", path, err)
	}
	var out []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) && entry.Type().IsRegular() {
			out = append(out, filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
	return out, nil
}
