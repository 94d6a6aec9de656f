package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/sys/atomicfile"
)

// keptVersions is how many of the last written versions stay in the private folder.
// They are the bases from which a person's edit of an older version is told from our own changes.
const keptVersions = 16

// versions is the private folder of recently written registries, numbered upwards.
// If it is lost, only the restoring of a vanished registry is lost.
type versions struct{ folder string }

func (v versions) path(n int) string { return filepath.Join(v.folder, fmt.Sprintf("%09d.md", n)) }

// numbers lists what is kept, newest first.
func (v versions) numbers() ([]int, error) {
	entries, err := os.ReadDir(v.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list versions of the registry: %w", err)
	}
	var out []int
	for _, entry := range entries {
		var n int
		if _, err := fmt.Sscanf(entry.Name(), "%09d.md", &n); err == nil && filepath.Base(v.path(n)) == entry.Name() {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out, nil
}

// before returns the newest version with a lower number and that number, or nil.
func (v versions) before(above int) ([]byte, int, error) {
	numbers, err := v.numbers()
	if err != nil {
		return nil, 0, err
	}
	for _, n := range numbers {
		if n >= above {
			continue
		}
		data, err := os.ReadFile(v.path(n))
		if err == nil {
			return data, n, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, 0, fmt.Errorf("read version of the registry: %w", err)
		}
	}
	return nil, 0, nil
}

// read returns the versions up to a number, newest first.
// One that a writer removes meanwhile is left out.
func (v versions) read(upTo int) ([][]byte, error) {
	numbers, err := v.numbers()
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, n := range numbers {
		if n > upTo {
			continue
		}
		data, err := os.ReadFile(v.path(n))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read version of the registry: %w", err)
		}
		out = append(out, data)
	}
	return out, nil
}

// setAside takes a version that does not parse out of the list and keeps its bytes beside it.
func (v versions) setAside(n int) error {
	if err := os.Rename(v.path(n), v.path(n)+".damaged"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("set a version of the registry aside: %w", err)
	}
	return nil
}

// remember keeps one more version; the oldest go unless they have to stay, as bases of what a stash holds.
func (v versions) remember(data []byte, stay bool) error {
	numbers, err := v.numbers()
	if err != nil {
		return err
	}
	next := 1
	if len(numbers) > 0 {
		next = numbers[0] + 1
	}
	write := atomicfile.WriteWhole // as after a write that ended before this
	if stay {
		write = atomicfile.WriteFile // the registry is here alone
	}
	if err := write(v.path(next), data, 0o644); err != nil {
		return fmt.Errorf("remember the registry: %w", err)
	}
	for _, n := range numbers {
		if n > next-keptVersions || stay {
			continue
		}
		if err := os.Remove(v.path(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget a version of the registry: %w", err)
		}
	}
	return nil
}
