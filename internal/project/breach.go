package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/land/review"
	"delegate/registry"
	"delegate/scope"
)

// Breach is one change outside of an agent's scope, or one that would reach out of it.
type Breach struct {
	Path   string // as git stores it: it may hold line breaks and other control characters
	Reason string // says what decided and what can be done; what it quotes is escaped
	// Allowable breaches can be mended by widening the scope by the path.
	Allowable bool
}

// String is one line for people, with a path that holds anything unprintable quoted.
func (b Breach) String() string {
	if quoted := strconv.Quote(b.Path); quoted != `"`+b.Path+`"` {
		return quoted + ": " + b.Reason
	}
	return b.Path + ": " + b.Reason
}

// Breaches holds files, which are all that differ between two commits or trees, against a scope, at
// most one breach for each path. A move counts as what it takes away and what it adds.
//
// As well as the path itself it judges what an entry in the scope can do to others:
// submodules, links, files that tell git what to run or to fetch,
// and names that another file system takes for another file.
// A path that the scope allows by its full name, without wildcards, may be a link to elsewhere in the repository,
// `.gitmodules`, `.lfsconfig`, or attributes that name drivers: a person who wrote that name meant that file.
func (p *Project) Breaches(ctx context.Context, s *scope.Scope, from, to string, files []change.File) ([]Breach,
	error) {
	if len(files) == 0 {
		return nil, nil
	}
	blobs := p.Repo.OpenBlobs(ctx)
	g := scopeCheck{scope: s, blobs: blobs, folders: map[string]folder{}}
	found, err := g.judgeAll(git.Unpaired(files), from, to)
	if err := errors.Join(err, blobs.Close()); err != nil {
		return nil, fmt.Errorf("hold changes against the scope: %w", err)
	}
	return found, nil
}

// scopeCheck judges the entries of one comparison.
type scopeCheck struct {
	scope      *scope.Scope
	blobs      *git.Blobs
	folders    map[string]folder // by the ids of their trees
	base, head string            // trees
	macros     map[string]bool   // attributes that stand for drivers, nil before they were needed
}

func (g *scopeCheck) judgeAll(files []change.File, from, to string) (found []Breach, err error) {
	if g.base, err = g.rootOf(from); err != nil {
		return nil, err
	}
	if g.head, err = g.rootOf(to); err != nil {
		return nil, err
	}
	for _, f := range files {
		verdict, err := g.judge(f)
		if err != nil {
			return nil, err
		}
		if verdict.Reason != "" {
			verdict.Path = f.Path
			found = append(found, verdict)
		}
	}
	return found, nil
}

// judge finds the breach of one entry, without a reason if there is none. What nobody can allow comes first.
func (g *scopeCheck) judge(f change.File) (Breach, error) {
	if verdict := g.scope.Check(f.Path); !verdict.Allowed {
		return Breach{Reason: verdict.String(), Allowable: verdict.Reason == scope.OutsideScope}, nil
	}
	if f.NewMode == modeSubmodule || f.OldMode == modeSubmodule {
		return Breach{Reason: "adds, moves or removes a submodule; that is for a person to do"}, nil
	}
	if f.NewMode != 0 {
		if reason := g.misnamed(f.Path); reason != "" {
			return Breach{Reason: reason}, nil
		}
		if f.OldMode == 0 {
			if reason, err := g.caseCollision(f.Path); reason != "" || err != nil {
				return Breach{Reason: reason}, err
			}
		}
	}
	switch {
	case f.Path == modulesFile || f.Path == lfsFile || path.Base(f.Path) == attributesFile:
		return g.instructs(f)
	case f.NewMode == modeSymlink:
		return g.links(f)
	}
	return Breach{}, nil
}

const (
	modeTree      = 0o040000
	modeSymlink   = 0o120000
	modeSubmodule = 0o160000
)

// The files by which a tree tells git what to do.
const (
	modulesFile    = ".gitmodules" // at the root only
	lfsFile        = ".lfsconfig"  // at the root only
	attributesFile = ".gitattributes"
)

// instructs judges a change of a file that tells git what to do.
func (g *scopeCheck) instructs(f change.File) (Breach, error) {
	if f.NewMode == modeSymlink {
		return Breach{Reason: "git does not take it through a symbolic link; make it a file"}, nil
	}
	if g.named(f.Path) {
		return Breach{}, nil
	}
	const byName = "; only a scope that allows it by its full name, without wildcards, may change that"
	if f.Path == modulesFile {
		return Breach{Reason: "it decides which repositories git fetches" + byName, Allowable: true}, nil
	}
	if f.Path == lfsFile {
		return Breach{Reason: "it decides where git-lfs fetches from, with your login" + byName, Allowable: true}, nil
	}
	if f.NewMode == 0 {
		return Breach{}, nil
	}
	fresh, err := g.newDrivers(f)
	if errors.Is(err, git.ErrTooLarge) {
		return Breach{Reason: "has more attributes than can be looked into" + byName, Allowable: true}, nil
	}
	if err != nil || len(fresh) == 0 {
		return Breach{}, err
	}
	return Breach{Reason: fmt.Sprintf("sets %q, so that git runs a driver on files or merges them otherwise%s",
		strings.Join(fresh, " "), byName), Allowable: true}, nil
}

// named says whether the scope allows the path by its full name.
func (g *scopeCheck) named(name string) bool {
	return slices.ContainsFunc(g.scope.Allowed(), func(pattern string) bool {
		clean, err := scope.CleanPath(literal(pattern))
		return err == nil && clean == name
	})
}

// literal is the path that a pattern without wildcards names, "" if it has any.
func literal(pattern string) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.IndexByte("*?[{", c) >= 0:
			return ""
		case c == '\\' && i+1 < len(pattern):
			i++
		}
		out.WriteByte(pattern[i])
	}
	return out.String()
}

// folder is one folder of a tree.
type folder struct {
	entries map[string]git.Entry
	alike   map[string][]string // the names by what other file systems take them for
}

// rootOf is the tree of a commit; a tree is its own.
func (g *scopeCheck) rootOf(id string) (string, error) {
	data, kind, err := g.blobs.Read(id, mostBytes)
	if err != nil || kind == "tree" {
		return id, err
	}
	return git.ParseCommitTree(data)
}

// mostBytes bounds a tree or commit that is read: git itself holds them in memory.
const mostBytes = 1 << 30

func (g *scopeCheck) folder(tree string) (folder, error) {
	if known, ok := g.folders[tree]; ok {
		return known, nil
	}
	data, _, err := g.blobs.Read(tree, mostBytes)
	if err != nil {
		return folder{}, err
	}
	all, err := git.ParseTree(data, len(tree)/2)
	if err != nil {
		return folder{}, err
	}
	f := folder{entries: make(map[string]git.Entry, len(all)), alike: make(map[string][]string, len(all))}
	for _, e := range all {
		key := alike(e.Path)
		f.entries[e.Path], f.alike[key] = e, append(f.alike[key], e.Path)
	}
	g.folders[tree] = f
	return f, nil
}

// has says whether a tree has the path.
func (g *scopeCheck) has(root, name string) (bool, error) {
	at := git.Entry{Mode: modeTree, ID: root}
	for part := range strings.SplitSeq(name, "/") {
		if at.Mode != modeTree {
			return false, nil
		}
		f, err := g.folder(at.ID)
		if err != nil {
			return false, err
		}
		var there bool
		if at, there = f.entries[part]; !there {
			return false, nil
		}
	}
	return true, nil
}

// PastBreach is a path outside of an agent's scope that its commits have and the result of them does not.
type PastBreach struct {
	Path   string
	Commit string // the newest of them
}

// PastBreaches lists such paths of the commits between two, which come to the changes, sorted. Who
// looks at results alone does not see them, and they
// come into a branch with the commits.
func (p *Project) PastBreaches(ctx context.Context, a registry.Agent, from, to string,
	changes []change.File) ([]PastBreach, error) {
	limits, err := p.Scope(a)
	if err != nil {
		return nil, err
	}
	touched, err := p.Repo.Touched(ctx, from, to)
	if err != nil {
		return nil, err
	}
	for _, f := range changes {
		delete(touched, f.Path)
		delete(touched, f.BasePath())
	}
	var all []PastBreach
	for _, path := range slices.Sorted(maps.Keys(touched)) {
		if !limits.Check(path).Allowed {
			all = append(all, PastBreach{path, touched[path]})
		}
	}
	return all, nil
}

// Brings is the history that commits bring to one that has not got them.
func (p *Project) Brings(ctx context.Context, onto, head string) (all review.History, err error) {
	own, cut, err := p.Repo.OwnHistory(ctx, onto, head)
	if err != nil {
		return all, err
	}
	for _, c := range own {
		all.Commits = append(all.Commits, review.Commit(c))
	}
	person, err := p.Repo.Author(ctx)
	all.Person, all.Cut = person.String(), cut
	return all, err
}
