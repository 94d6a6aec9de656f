package threeway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/git"
)

// The sides of a clash, as places in Stages.
const (
	BaseSide = iota
	OurSide
	TheirSide
)

// Clash is one path, or one group of paths that belong together, that git's merge could not decide.
type Clash struct {
	Path       string
	OtherPaths []string // further names under which git left sides of it
	Kinds      []string // as git names them: contents, modify/delete, …; sorted
	// Stages are the file in the base, in what is merged into (ours) and in what is merged
	// (theirs); one without ID is absent there.
	Stages [3]git.Entry
	// Key names the clash of these files at this path, whichever way round it comes again; "" if no
	// file could be the answer to it.
	Key string

	sides [3][]byte
	text  marked // what git makes of three texts; zero if they are none
	files string // key of the three files, at whatever path
	lines string // key of the lines in conflict, "" if there are none
}

// Resolvable reports whether a file can be the answer: one of the sides, or what a person makes of them.
// Renames of both sides, folders that moved, a file where a folder is and submodules are for the agents to sort out.
func (c Clash) Resolvable() bool { return c.Key != "" }

// Textual reports whether there are texts to merge by hand.
func (c Clash) Textual() bool { return c.text.size > 0 }

// Side is the content of the file on one side, a link's target; nil where it is absent, no text, or large.
func (c Clash) Side(n int) []byte { return c.sides[n] }

// What says in a clause what is clashing.
func (c Clash) What() string {
	base, ours, theirs := c.Stages[BaseSide], c.Stages[OurSide], c.Stages[TheirSide]
	switch {
	case !c.Resolvable():
		if len(c.Kinds) == 0 {
			return "git could not merge it"
		}
		return strings.Join(c.Kinds, ", ")
	case ours.ID == "" || theirs.ID == "":
		if slices.Contains(c.Kinds, "rename/delete") {
			return "one side renamed it, the other deleted it"
		}
		return "one side changed it, the other deleted it"
	case ours.Mode&^0o777 != theirs.Mode&^0o777:
		return "it is a file on one side and a symbolic link on the other"
	case ours.ID == theirs.ID:
		return "both sides gave it a mode of their own"
	case ours.Mode == change.ModeSymlink:
		return "both sides point the symbolic link elsewhere"
	case !c.Textual():
		return "both sides changed it, and it is no text"
	case base.ID == "":
		return "both sides added it, each with a text of its own"
	case c.text.hunks == 0:
		return "both sides changed it, and its attributes keep git from merging it"
	}
	return "both sides changed the same lines"
}

// Lone is the side that has the file where the other deleted it; false if both have it.
func (c Clash) Lone() (int, bool) {
	switch {
	case c.Stages[OurSide].ID == "":
		return TheirSide, true
	case c.Stages[TheirSide].ID == "":
		return OurSide, true
	}
	return 0, false
}

// mode is what the mode of a merged file has to be; false if the sides contradict each other, and
// then it is the one that lets run.
func (c Clash) mode() (uint32, bool) {
	base, ours, theirs := c.Stages[BaseSide].Mode, c.Stages[OurSide].Mode, c.Stages[TheirSide].Mode
	switch {
	case ours == theirs || base == theirs:
		return ours, true
	case base == ours:
		return theirs, true
	}
	return change.ModeExecutable, false
}

// Merged is the entry of a file that a person made of both sides.
func (c Clash) Merged(id string) git.Entry {
	mode, _ := c.mode()
	return git.Entry{Path: c.Path, Mode: mode, ID: id}
}

// clashesOf are the conflicts of a merge, sorted by path. A merge that is not clean has at least one.
func clashesOf(m git.Merged) []Clash {
	groups := []*Clash{}
	of := func(path string) *Clash {
		at := slices.IndexFunc(groups, func(c *Clash) bool {
			return c.Path == path || slices.Contains(c.OtherPaths, path)
		})
		if at < 0 {
			groups = append(groups, &Clash{Path: path})
			at = len(groups) - 1
		}
		return groups[at]
	}
	for _, message := range m.Messages {
		kind, isConflict := conflictKind(message.Type)
		if !isConflict || len(message.Paths) == 0 {
			continue
		}
		c := of(message.Paths[0])
		for _, path := range message.Paths[1:] {
			if other := of(path); other != c {
				c.OtherPaths = append(append(c.OtherPaths, other.Path), other.OtherPaths...)
				c.Kinds = append(c.Kinds, other.Kinds...)
				groups = slices.DeleteFunc(groups, func(g *Clash) bool { return g == other })
			}
		}
		c.Kinds = append(c.Kinds, kind)
	}
	for _, s := range m.Stages {
		of(s.Path)
	}
	if len(groups) == 0 {
		groups = append(groups, &Clash{})
	}
	all := make([]Clash, 0, len(groups))
	for _, c := range groups {
		c.fill(m.Stages)
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Clash) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// conflictKind takes the words out of `CONFLICT (words)`.
func conflictKind(kind string) (string, bool) {
	rest, found := strings.CutPrefix(kind, "CONFLICT")
	return strings.Trim(rest, " ()"), found
}

// fill fills in the stages and decides whether a file can be the answer.
func (c *Clash) fill(stages []git.Stage) {
	slices.Sort(c.Kinds)
	c.Kinds = slices.Compact(c.Kinds)
	single, moved := true, slices.Contains(c.Kinds, "distinct modes")
	var others []string
	for _, s := range stages {
		if s.Number < 1 || s.Number > 3 || s.Path != c.Path && !slices.Contains(c.OtherPaths, s.Path) {
			continue
		}
		at := &c.Stages[s.Number-1]
		single = single && at.ID == "" && (s.Path == c.Path || moved) &&
			(s.Mode == change.ModeFile || s.Mode == change.ModeExecutable || s.Mode == change.ModeSymlink)
		*at = git.Entry{Mode: s.Mode, ID: s.ID, Path: s.Path}
		if s.Path != c.Path && !slices.Contains(others, s.Path) {
			others = append(others, s.Path)
		}
	}
	known := len(c.Kinds) > 0 && !slices.ContainsFunc(c.Kinds, func(k string) bool {
		return !slices.Contains(singleKinds(), k)
	})
	if known && single && (c.Stages[OurSide].ID != "" || c.Stages[TheirSide].ID != "") {
		c.OtherPaths, c.files = others, c.content()
		c.Key = hashed(c.Path, c.files)
	}
}

// singleKinds are the kinds of conflict that one file can be the answer to.
func singleKinds() []string {
	return []string{"contents", "binary", "modify/delete", "rename/delete", "distinct modes"}
}

// content is the same whichever side is merged into which.
func (c *Clash) content() string {
	side := func(n int) string { return fmt.Sprintf("%o %s", c.Stages[n].Mode, c.Stages[n].ID) }
	both := []string{side(OurSide), side(TheirSide)}
	slices.Sort(both)
	return hashed(strings.Join(c.Kinds, " "), side(BaseSide), both[0], both[1])
}

// hashed names a list of strings.
func hashed(all ...string) string {
	h := sha256.New()
	for _, s := range all {
		fmt.Fprintf(h, "%d %s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))[:40]
}

// largestText bounds what is merged by lines here.
const largestText = 4 << 20

// readText is the content of a file; false if it has more than most bytes, or is no text.
func readText(blobs *git.Blobs, id string, most int64) ([]byte, bool, error) {
	data, _, err := blobs.Read(id, most)
	if errors.Is(err, git.ErrTooLarge) {
		return nil, false, nil
	}
	if err != nil || change.IsBinary(data) {
		return nil, false, err
	}
	return data, true, nil
}

// readTexts reads the sides of the clashes and merges those that are texts.
func readTexts(ctx context.Context, repo *git.Repo, clashes []Clash) (err error) {
	blobs := repo.OpenBlobs(ctx)
	defer func() { err = errors.Join(err, blobs.Close()) }()
	for i := range clashes {
		c := &clashes[i]
		if !c.Resolvable() {
			continue
		}
		plain := true
		for n, e := range c.Stages {
			if e.ID == "" {
				plain = plain && n == BaseSide
				continue
			}
			var isText bool
			if c.sides[n], isText, err = readText(blobs, e.ID, largestText); err != nil {
				return fmt.Errorf("read %q of a clash: %w", c.Path, err)
			}
			plain = plain && isText && e.Mode != change.ModeSymlink
		}
		if !plain || c.Stages[OurSide].ID == c.Stages[TheirSide].ID {
			continue
		}
		if c.text, err = mark(ctx, repo, c.sides); err != nil {
			return fmt.Errorf("merge %q: %w", c.Path, err)
		}
		c.lines = c.text.key()
	}
	return nil
}
