package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links one path may lead through, as many as Linux follows.
const maxLinks = 40

// places are where a path can lead: programs take ".." by the letter, the kernel takes it behind
// links. Mostly that is one place.
func places(dir, path string) ([]string, error) {
	if !filepath.IsAbs(path) {
		path = dir + string(filepath.Separator) + path
	}
	kernel, err := follow(path)
	if err != nil {
		return nil, err
	}
	letter, err := follow(filepath.Clean(path))
	if err != nil || letter == kernel {
		return []string{kernel}, err
	}
	return []string{kernel, letter}, nil
}

// follow is the place that an absolute path leads to, whether or not something is there: links are
// followed, also those to nowhere, through which a new file would come into being elsewhere. Links
// below /proc stay, because for each process they are others.
func follow(path string) (string, error) {
	const separator = string(filepath.Separator)
	root := filepath.VolumeName(path) + separator
	at, rest, links := root, strings.Split(path[len(root)-1:], separator), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		at = filepath.Join(at, part)
		target, err := linkAt(at)
		if err != nil {
			return "", fmt.Errorf("follow %q: %w", path, err)
		}
		if target == "" {
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("follow %q: more than %d links", path, maxLinks)
		}
		at = filepath.Dir(at)
		if filepath.IsAbs(target) {
			at = root
		}
		rest = append(strings.Split(target, separator), rest...)
	}
	return at, nil
}

// linkAt is what the link at path says, "" if there is no link.
func linkAt(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "", nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink == 0 || strings.HasPrefix(path, "/proc/"):
		return "", nil
	}
	return os.Readlink(path)
}

// below is the path from a folder to a place in it or the folder itself.
func below(folder, place string) (string, bool) {
	relative, err := filepath.Rel(folder, place)
	return relative, err == nil && filepath.IsLocal(relative)
}
