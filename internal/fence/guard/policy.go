package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/scope"
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

// Policy is what one agent may do, as a file that lies where the agent's tools do not reach. Folders are absolute.
type Policy struct {
	Agent string `json:"agent"`
	// Base is the commit that the agent began at, as an id; "" if it is not known. A commit may put
	// any path back to what it was there.
	Base string `json:"base,omitempty"`

	Worktree string `json:"worktree"` // where the scope holds
	AgentDir string `json:"desk"`     // free to write, as are Home and Tmp
	Home     string `json:"home"`
	Tmp      string `json:"tmp"`

	// Allowed, Forbidden and Roots are as in scope.Config.
	Allowed   []string `json:"allowed"`
	Forbidden []string `json:"forbidden,omitempty"`
	Roots     []string `json:"roots,omitempty"`
	// Restricted are globs of the worktree that may not even be read.
	Restricted []string `json:"restricted,omitempty"`
	// Wait is how long a person is asked about each call that needs a permission; 0 asks nobody.
	Wait time.Duration `json:"wait,omitempty"`
	// Attended says that a person sits at the program's own screen, where it may ask them what it likes.
	Attended bool `json:"attended,omitempty"`
}

// Load reads a policy that Write wrote. Unknown fields are errors, as are folders that are not
// absolute or lie within one another. The globs are compiled where they are needed.
func Load(path string) (Policy, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Policy{}, fmt.Errorf("load policy: %w", err)
	}
	var p Policy
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Policy{}, fmt.Errorf("load policy %q: %w", path, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Policy{}, fmt.Errorf("load policy %q: something follows it", path)
	}
	if err := p.checkFolders(); err != nil {
		return Policy{}, fmt.Errorf("load policy %q: %w", path, err)
	}
	return p, nil
}

// Write checks the policy, its globs too, and replaces the file at path, which must lie outside of
// every folder that the policy opens.
func (p Policy) Write(path string) error {
	if err := p.check(path); err != nil {
		return fmt.Errorf("write policy of %q: %w", p.Agent, err)
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("write policy of %q: %w", p.Agent, err)
	}
	return atomicfile.WriteUnsynced(path, append(data, '\n'), 0o600)
}

func (p Policy) check(path string) error {
	if err := p.checkFolders(); err != nil {
		return err
	}
	if _, err := p.scope(); err != nil {
		return err
	}
	if _, err := p.restricted(); err != nil {
		return err
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for _, folder := range append(p.free(), p.Worktree) {
		if _, inside := below(folder, whole); inside {
			return fmt.Errorf("%q lies in %q, where the agent writes", path, folder)
		}
	}
	return nil
}

// checkFolders keeps a free folder from opening the worktree, and the worktree from being a way around the scope.
func (p Policy) checkFolders() error {
	for _, folder := range append(p.free(), p.Worktree) {
		if !filepath.IsAbs(folder) {
			return fmt.Errorf("folder %q is not absolute", folder)
		}
	}
	for _, folder := range p.free() {
		_, holds := below(folder, p.Worktree)
		_, held := below(p.Worktree, folder)
		if holds || held {
			return fmt.Errorf("folder %q and worktree %q lie within one another", folder, p.Worktree)
		}
	}
	return nil
}

// free lists the folders in which everything may be written.
func (p Policy) free() []string { return []string{p.AgentDir, p.Home, p.Tmp} }

func (p Policy) scope() (*scope.Scope, error) {
	return scope.New(scope.Config{Allowed: p.Allowed, Forbidden: p.Forbidden, Roots: p.Roots})
}

func (p Policy) restricted() ([]scope.Pattern, error) {
	var all []scope.Pattern
	for _, text := range p.Restricted {
		pattern, err := scope.ParsePattern(text)
		if err != nil {
			return nil, fmt.Errorf("restricted: %w", err)
		}
		all = append(all, pattern)
	}
	return all, nil
}
