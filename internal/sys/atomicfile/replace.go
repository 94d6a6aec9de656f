package atomicfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	newMark       = ".new-"
	swapMark      = ".tmp-"
	displacedMark = ".displaced-"
	// Stands in a temporary file's name for the digest of a file that must not exist.
	noFile = "none"
)

var errNoExchange = errors.New("exchange of files is not available")

// ChangedError says that the bytes on disk are not those the caller had read; nothing was changed.
type ChangedError struct {
	Path  string
	Found []byte // nil: there is no file
}

func (e *ChangedError) Error() string {
	if e.Found == nil {
		return fmt.Sprintf("%q vanished since it was read", e.Path)
	}
	return fmt.Sprintf("%q changed since it was read", e.Path)
}

// DisplacedError says that the new data is in place, and that another program had saved other bytes in the last moment.
// The caller merges Displaced, writes again, and then removes the file Kept, which holds the same bytes.
type DisplacedError struct {
	Path      string
	Displaced []byte
	Kept      string
}

func (e *DisplacedError) Error() string {
	return fmt.Sprintf("%q was saved by somebody else while it was replaced; that version is in %q", e.Path, e.Kept)
}

// Displaced is another program's saved version of a file that a killed writer, or one that did not
// merge it, left behind.
type Displaced struct {
	Path string // where it is kept; removed by the caller that merged it
	Data []byte
}

// Replacer replaces files under a lock that the caller holds.
// Its zero value is ready.
type Replacer struct {
	// Step is called after each step with its name.
	// It is how tests crash in between; nil otherwise.
	Step func(name string)
}

func (r Replacer) step(name string) {
	if r.Step != nil {
		r.Step(name)
	}
}

// Replace puts data at path if the bytes there equal expect; a nil expect means that no file may be there.
// The mode of an existing file is kept, a new one gets 0644, and a symbolic link is followed.
// Errors: *ChangedError if the bytes differ (nothing was done), *DisplacedError if another program saved in between
// (the data is in place), and any other error, which names path, if nothing was changed.
//
// Where files cannot be exchanged, the bytes are compared once more right before a plain rename.
func (r Replacer) Replace(path string, expect, data []byte) error {
	path, err := follow(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make folder of %q: %w", path, err)
	}
	if err := r.tidy(path); err != nil {
		return err
	}
	perm, err := compare(path, expect)
	if err != nil {
		return err
	}
	temp, err := writeTemp(path, data, perm)
	if err != nil {
		return fmt.Errorf("write new version of %q: %w", path, err)
	}
	r.step("written")
	named := swapName(path, data, expect)
	if err := os.Rename(temp, named); err != nil {
		return errors.Join(fmt.Errorf("name new version of %q: %w", path, err), os.Remove(temp))
	}
	r.step("named")
	if expect == nil {
		return r.create(named, path)
	}
	return r.swap(named, path, expect)
}

// Recover tidies what killed writers left next to path
// and returns every version that was displaced and not merged yet, oldest name first.
// It is called under the lock, before the file is read.
func Recover(path string) ([]Displaced, error) {
	path, err := follow(path)
	if err != nil {
		return nil, err
	}
	if err := (Replacer{}).tidy(path); err != nil {
		return nil, err
	}
	names, err := siblings(path, filepath.Base(path)+displacedMark)
	if err != nil {
		return nil, err
	}
	var out []Displaced
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read displaced version of %q: %w", path, err)
		}
		out = append(out, Displaced{Path: name, Data: data})
	}
	return out, nil
}

func follow(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("follow %q: %w", path, err)
	}
	return real, nil
}

// compare returns the mode that the new file gets.
func compare(path string, expect []byte) (os.FileMode, error) {
	found, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if expect == nil {
			return 0o644, nil
		}
		return 0, &ChangedError{Path: path}
	}
	if err != nil {
		return 0, fmt.Errorf("compare: %w", err)
	}
	if expect == nil || !bytes.Equal(found, expect) {
		return 0, &ChangedError{Path: path, Found: found}
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("compare: %w", err)
	}
	return info.Mode().Perm(), nil
}

func (r Replacer) create(temp, path string) error {
	err := renameNew(temp, path)
	if errors.Is(err, fs.ErrExist) {
		found, readErr := os.ReadFile(path)
		if readErr == nil {
			return errors.Join(&ChangedError{Path: path, Found: found}, os.Remove(temp))
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("put new %q in place: %w", path, err), os.Remove(temp))
	}
	r.step("placed")
	return r.finish(path)
}

func (r Replacer) swap(temp, path string, expect []byte) error {
	err := exchange(temp, path)
	switch {
	case errors.Is(err, errNoExchange):
		return r.overwrite(temp, path, expect)
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(&ChangedError{Path: path}, os.Remove(temp))
	case err != nil:
		return errors.Join(fmt.Errorf("put new %q in place: %w", path, err), os.Remove(temp))
	}
	r.step("exchanged")
	displaced, err := os.ReadFile(temp)
	if err != nil {
		return fmt.Errorf("read displaced version of %q: %w", path, err)
	}
	if !bytes.Equal(displaced, expect) {
		kept, err := keep(temp, path)
		if err != nil {
			return err
		}
		r.step("kept")
		return errors.Join(&DisplacedError{Path: path, Displaced: displaced, Kept: kept}, r.finish(path))
	}
	if err := os.Remove(temp); err != nil {
		return fmt.Errorf("remove old version of %q: %w", path, err)
	}
	r.step("removed")
	return r.finish(path)
}

// exchange swaps two existing files in one step.
// The error is errNoExchange where the kernel or the file system cannot.
func exchange(a, b string) error { return flagged(a, b, swapFlag) }

// renameNew renames from to a name that must be free; the error wraps fs.ErrExist if it is not.
func renameNew(from, to string) error {
	err := flagged(from, to, newFlag)
	if errors.Is(err, errNoExchange) {
		return linkNew(from, to)
	}
	return err
}

// flagged renames in a way that not every system and file system has.
func flagged(from, to string, flag uint) error {
	err := renameBy(from, to, flag)
	switch {
	case errors.Is(err, syscall.EINVAL), errors.Is(err, errors.ErrUnsupported):
		return errNoExchange
	case err != nil && !errors.Is(err, errNoExchange):
		return &fs.PathError{Op: "exchange", Path: to, Err: err}
	}
	return err
}

func (r Replacer) overwrite(temp, path string, expect []byte) error {
	if _, err := compare(path, expect); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(fmt.Errorf("put new %q in place: %w", path, err), os.Remove(temp))
	}
	r.step("placed")
	return r.finish(path)
}

func (r Replacer) finish(path string) error {
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("sync folder of %q: %w", path, err)
	}
	r.step("synced")
	return nil
}

func digest(data []byte) string {
	if data == nil {
		return noFile
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

func swapName(path string, data, expect []byte) string {
	name := "." + filepath.Base(path) + swapMark + digest(data) + "-" + digest(expect)
	return filepath.Join(filepath.Dir(path), name)
}

// tidy applies the rule of the package comment to what killed writers left next to path.
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
