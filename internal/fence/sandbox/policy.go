// Package sandbox decides which writes an agent's process can make at all.
//
// A Policy is that decision as data: compiled from the agent's scope (Compile), completed with the
// places of its turn, written beside it, and carried out by one file per platform. On Linux the
// program starts in namespaces of its own, where everything is read-only but what the policy
// opens, under one Landlock restriction, without capabilities, and with a filter of system calls.
// Where namespaces are missing, Landlock alone holds a tighter set. What no layer of the kernel
// can express is left to the watch and to the merge gate; Policy.Loose names it.
package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/sys/atomicfile"
	"delegate/scope"
)

// Policy is what the processes of one turn may do. All paths are absolute but those of Openings and
// Seals, which are below Worktree, with slashes.
type Policy struct {
	Worktree string    `json:"worktree"`
	Openings []Opening `json:"openings"`
	Seals    []Seal    `json:"seals"`
	// Loose says in words what the scope does not allow and the kernel cannot keep from it.
	Loose []string `json:"loose,omitempty"`

	Writable []string `json:"writable"`         // folders outside of the worktree that are the agent's own
	Binds    []Bind   `json:"covers,omitempty"` // where it sees something of its own in place of what is there
	Caches   []Cache  `json:"caches,omitempty"`
	Fixed    []string `json:"fixed,omitempty"` // files inside of writable places that stay read-only
	// files and folders that it cannot read; those that do not exist are passed over
	Hidden []string `json:"hidden,omitempty"`
	// files and folders inside of hidden ones that stay as they are for it
	Shown []string `json:"lent,omitempty"`
	// Sockets are Unix sockets of the person's that it can reach.
	Sockets  []string `json:"sockets,omitempty"`
	Programs []string `json:"programs,omitempty"` // programs in whose place it finds Stub
	Stub     string   `json:"stub,omitempty"`
	Network  Network  `json:"network,omitempty"`
	// FileSize is how large a file its processes can make, in bytes; 0 is no limit. Its output is one.
	FileSize int64 `json:"file_size,omitempty"`
	// Processes is how many processes and threads it can have where no control group holds that; 0 is no limit.
	Processes int `json:"processes,omitempty"`
}

// Opening is a place of the worktree that may be written.
type Opening struct {
	Path string `json:"path"` // "" is the worktree itself
	Kind Kind   `json:"kind"`
}

// Kind says what may be written at an Opening.
type Kind string

// The kinds.
const (
	// Whole folders are open with everything below them.
	Whole Kind = "whole"
	// Files folders may get, lose and change files; folders in them stay as they are. The scope
	// names some of their files: all others that were there at the start are sealed, new ones are
	// for the watch and the gate.
	Files Kind = "files"
	// Deep folders are like Files with everything below, and may get new folders.
	Deep Kind = "deep"
)

// Seal changes what an opening, or the worktree, grants at one path. Seals are in the order in
// which they are laid, outer ones first.
type Seal struct {
	Path   string `json:"path"`
	Access Access `json:"access"`
	// Make says that nothing is there: an empty folder is made, which git does not see, so that nothing else can be.
	Make bool `json:"make,omitempty"`
	// BestEffort gives the seal up where nothing can be sealed inside of an opening: who holds the checkout repairs it
	// afterwards.
	BestEffort bool `json:"best_effort,omitempty"`
}

// Access is what a Seal leaves.
type Access string

// The accesses.
const (
	ReadOnly Access = "ro"
	// Held is writable and cannot be renamed or removed itself, so that nothing that is sealed
	// inside can be moved away.
	Held Access = "rw"
)

// Bind shows the folder From at the place To.
type Bind struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Access Access `json:"access"`
}

// Cache is a folder of the person's that the agent reads and adds to without changing it: what it adds goes to Upper.
type Cache struct {
	Path  string `json:"path"`
	Upper string `json:"upper"` // a folder of the agent's own; Work is beside it on the same file system
	Work  string `json:"work"`
	// Spare ones stay as they are, read-only, where the file system cannot layer them. In the place
	// of others the agent then sees Upper alone.
	Spare bool `json:"spare,omitempty"`
}

// Network says what can be reached.
type Network struct {
	Mode NetworkMode `json:"mode,omitempty"`
	// Port is that of the loopback interface at which the proxy is found, for Listed, and Socket the proxy's own.
	Port   int    `json:"port,omitempty"`
	Socket string `json:"socket,omitempty"`
	// Hosts are those that the proxy lets through.
	Hosts []string `json:"hosts,omitempty"`
}

// NetworkMode is how much network there is.
type NetworkMode string

// The modes.
const (
	Open   NetworkMode = ""       // as the person has it
	None   NetworkMode = "none"   // a loopback interface of its own
	Listed NetworkMode = "listed" // the same, with a proxy that lets the named hosts through
)

// Write puts the policy where the agent's process cannot change it.
func (p Policy) Write(path string) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("write sandbox policy: %w", err)
	}
	return atomicfile.WriteUnsynced(path, append(data, '\n'), 0o600)
}

// Load reads a policy that Write wrote.
func Load(path string) (Policy, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Policy{}, fmt.Errorf("load sandbox policy: %w", err)
	}
	var p Policy
	if err := json.Unmarshal(data, &p); err != nil {
		return Policy{}, fmt.Errorf("load sandbox policy %q: %w", path, err)
	}
	if !filepath.IsAbs(p.Worktree) {
		return Policy{}, fmt.Errorf("load sandbox policy %q: the worktree %q is not absolute", path, p.Worktree)
	}
	return p, nil
}

// ProtectParents keeps the folders above a hidden place of the worktree where they are, so that it
// cannot be moved to another name.
func (p *Policy) ProtectParents(path string) {
	for at := parent(path); at != ""; at = parent(at) {
		closed := slices.ContainsFunc(p.Seals, func(s Seal) bool {
			return scope.Within(at, s.Path) && s.Access == ReadOnly || at == s.Path
		})
		open := slices.ContainsFunc(p.Openings, func(o Opening) bool {
			return o.Path != at && scope.Within(at, o.Path)
		})
		if closed || !open {
			continue
		}
		p.Seals = append(p.Seals, Seal{Path: at, Access: Held})
	}
	sortSeals(p.Seals)
}

// Tidy takes the folders away that were made to keep a place empty and still are empty. Others are somebody's and stay.
func (p Policy) Tidy() {
	root, err := os.OpenRoot(p.Worktree)
	if err != nil {
		return // it is gone, and they with it
	}
	defer root.Close()
	for i := len(p.Seals) - 1; i >= 0; i-- {
		if p.Seals[i].Make {
			_ = root.Remove(filepath.FromSlash(p.Seals[i].Path))
		}
	}
}
