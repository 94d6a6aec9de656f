package checkpoint

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Claim is what an agent says that it did, in a block or in a completion file, in the form that can
// be held against evidence.
type Claim struct {
	// Changes are the files it names. One without an action is said to have changed, in whatever way.
	Changes []Change
	// NoList says that it names no files at all, which claims nothing about them.
	NoList bool
	Tests  Tests
	// Done is the word by which it says that all is done, "" if it does not.
	Done string
}

// Claim is what the block says; a block without a table says that nothing was changed.
func (b Block) Claim() Claim {
	c := Claim{Changes: b.Changes, Tests: b.Tests}
	if b.Completion() {
		c.Done = string(b.Status)
	}
	return c
}

// Claim is what the file says. Its files are named without an action; without the field it says nothing about them.
func (c Completion) Claim() Claim {
	claim := Claim{NoList: c.FilesModified == nil, Tests: Tests{Executed: len(c.TestsRun) > 0}}
	for _, name := range c.FilesModified {
		claim.Changes = append(claim.Changes, Change{Path: name})
	}
	if c.Status == Completed {
		claim.Done = string(c.Status)
	}
	return claim
}

// Evidence is what is known about an agent's work without asking the agent.
// Files holds what git shows, by path from the repository root with "/" separators;
// a rename is the old path as Deleted and the new one as Created.
// TestsSeen says whether the transcript shows a test run.
//
// Files is the whole work, since its base. A claim of a later turn may speak of that turn alone:
// Turn holds what git shows since the turn began, and Told the paths that claims of earlier turns listed.
// A nil Turn stands for a first turn, in which both are the same.
type Evidence struct {
	Files     map[string]Action
	Turn      map[string]Action
	Told      map[string]bool
	TestsSeen bool
}

// paths are all that changed, since the base or in this turn, in order.
func (e Evidence) paths() []string {
	all := maps.Clone(e.Files)
	if all == nil {
		all = map[string]Action{}
	}
	maps.Copy(all, e.Turn)
	return slices.Sorted(maps.Keys(all))
}

// changed reports whether the path changed, since the base or in this turn.
func (e Evidence) changed(name string) bool { return e.Files[name] != "" || e.Turn[name] != "" }

// mayBeUnlisted reports whether a claim of this turn may leave the path out: it did not change in
// this turn and was listed before, or it is in the end as it was in the base.
func (e Evidence) mayBeUnlisted(name string) bool {
	return e.Files[name] == "" || e.Turn != nil && e.Turn[name] == "" && e.Told[name]
}

// seen is what git shows of the path, by preference what one of the claimed actions says.
func (e Evidence) seen(name string, claimed []Action) Action {
	if turn := e.Turn[name]; turn != "" && (e.Files[name] == "" || slices.Contains(claimed, turn)) {
		return turn
	}
	return e.Files[name]
}

// DiscrepancyKind says how a claim and the evidence differ.
type DiscrepancyKind int

// The ways to differ.
const (
	// ListedNotChanged is a path in the claim that git shows no change for.
	ListedNotChanged DiscrepancyKind = iota
	// ChangedNotListed is a change that the claim leaves out.
	ChangedNotListed
	// ActionDiffers is a path whose action is another one.
	ActionDiffers
	// TestsNotSeen is a claim of tests without a run in the transcript.
	TestsNotSeen
	// NoChanges is a completion without any change.
	NoChanges
)

func (k DiscrepancyKind) String() string {
	switch k {
	case ListedNotChanged:
		return "listed, not changed"
	case ChangedNotListed:
		return "changed, not listed"
	case ActionDiffers:
		return "action differs"
	case TestsNotSeen:
		return "tests not seen"
	case NoChanges:
		return "no changes"
	}
	return fmt.Sprintf("DiscrepancyKind(%d)", int(k))
}

// Discrepancy is one difference between claim and evidence.
// Path is empty for TestsNotSeen and NoChanges.
type Discrepancy struct {
	Kind          DiscrepancyKind
	Path          string
	Claimed, Seen string
}

// String is one line for a person.
func (d Discrepancy) String() string {
	switch d.Kind {
	case ListedNotChanged:
		return fmt.Sprintf("%q is listed as %s, and git shows no change", d.Path, orChanged(d.Claimed))
	case ChangedNotListed:
		return fmt.Sprintf("%q was %s and is not listed", d.Path, d.Seen)
	case ActionDiffers:
		return fmt.Sprintf("%q is listed as %s, and git shows it as %s", d.Path, d.Claimed, d.Seen)
	case TestsNotSeen:
		return fmt.Sprintf("tests are claimed (%s), and the transcript shows no test run", d.Claimed)
	case NoChanges:
		return fmt.Sprintf("the agent says %s, and git shows no changes", d.Claimed)
	}
	return d.Kind.String()
}

// Compare holds a claim against the evidence.
// Differences about files come first, by path; a folder or glob in the claim stands for the changed files it covers.
func Compare(c Claim, e Evidence) []Discrepancy {
	seen := e.paths()
	claims, covered := c.byPath(e, seen)
	var out []Discrepancy
	for name, actions := range claims {
		got := e.seen(name, actions)
		switch {
		case got == "":
			out = append(out, Discrepancy{Kind: ListedNotChanged, Path: name, Claimed: words(actions)})
		case !allows(actions, got):
			out = append(out, Discrepancy{Kind: ActionDiffers, Path: name, Claimed: words(actions), Seen: string(got)})
		}
	}
	for _, f := range seen {
		if !c.NoList && claims[f] == nil && covered[f] == "" && !e.mayBeUnlisted(f) {
			out = append(out, Discrepancy{Kind: ChangedNotListed, Path: f, Seen: string(e.Files[f])})
		}
	}
	slices.SortFunc(out, func(a, b Discrepancy) int { return strings.Compare(a.Path, b.Path) })
	return append(out, c.compareWhole(e)...)
}

// allows says whether one of the claimed actions is what was seen.
func allows(claimed []Action, seen Action) bool {
	return slices.Contains(claimed, seen) || slices.Contains(claimed, "")
}

// byPath are the actions that are claimed, by the path that each claim means,
// and for the changed files that a folder or glob in the claim covers, that folder or glob.
func (c Claim) byPath(e Evidence, seen []string) (claims map[string][]Action, covered map[string]string) {
	claims, covered = map[string][]Action{}, map[string]string{}
	for _, c := range c.Changes {
		name := resolve(c.Path, e, seen)
		if !e.changed(name) {
			if below := coveredBy(name, seen); len(below) > 0 {
				for _, f := range below {
					covered[f] = name
				}
				continue
			}
		}
		if !slices.Contains(claims[name], c.Action) {
			claims[name] = append(claims[name], c.Action)
		}
	}
	return claims, covered
}

func (c Claim) compareWhole(e Evidence) []Discrepancy {
	var out []Discrepancy
	if c.Tests.claimed() && !e.TestsSeen {
		out = append(out, Discrepancy{Kind: TestsNotSeen, Claimed: c.Tests.word(), Seen: "no test run"})
	}
	if c.Done != "" && len(e.Files) == 0 {
		out = append(out, Discrepancy{Kind: NoChanges, Claimed: c.Done, Seen: "no changes"})
	}
	return out
}

// orChanged is the claimed action, in a word also where none was named.
func orChanged(action string) string {
	if action == "" {
		return "changed"
	}
	return action
}

func words(actions []Action) string {
	s := make([]string, len(actions))
	for i, a := range actions {
		s[i] = string(a)
	}
	slices.Sort(s)
	return strings.Join(s, ", ")
}

// resolve finds the path that an agent meant.
// Decoration is taken off step by step, and the first step that names a changed file counts,
// so that a file whose real name looks decorated is still found.
func resolve(claim string, e Evidence, seen []string) string {
	name := strings.TrimSpace(claim)
	for _, step := range []func(string) string{
		func(s string) string { return s },
		undecorate, slashes, tidy, withoutNote, tidy, withoutLine, tidy,
	} {
		name = step(name)
		if e.changed(name) {
			return name
		}
	}
	// Agents often print absolute paths; the longest changed path that one ends in is meant.
	best := ""
	if strings.HasPrefix(name, "/") || (len(name) > 2 && name[1] == ':') {
		for _, f := range seen {
			if strings.HasSuffix(name, "/"+f) && len(f) > len(best) {
				best = f
			}
		}
	}
	if best != "" {
		return best
	}
	return name
}

func undecorate(s string) string {
	for {
		t := strings.TrimSpace(strings.Trim(s, "`\"'"))
		if inner, ok := strings.CutPrefix(t, "**"); ok && strings.HasSuffix(inner, "**") &&
			!strings.HasPrefix(inner, "/") {
			t = strings.TrimSuffix(inner, "**")
		}
		if text, _, ok := strings.Cut(t, "]("); ok && strings.HasPrefix(t, "[") && strings.HasSuffix(t, ")") {
			t = text[1:]
		}
		if t == s {
			return s
		}
		s = t
	}
}

func slashes(s string) string {
	if strings.Contains(s, "/") {
		return s
	}
	return strings.ReplaceAll(s, `\`, "/")
}

func tidy(s string) string {
	if s = undecorate(s); s == "" {
		return s
	}
	return path.Clean(s)
}

// withoutNote takes off a remark such as "(new)".
func withoutNote(s string) string {
	if i := strings.LastIndex(s, " ("); i > 0 && strings.HasSuffix(s, ")") {
		return s[:i]
	}
	return s
}

// withoutLine takes off ":12" or ":12-20".
func withoutLine(s string) string {
	t := strings.TrimRight(s, "0123456789-")
	if cut, ok := strings.CutSuffix(t, ":"); ok && t != s && cut != "" {
		return cut
	}
	return s
}

// coveredBy lists the changed files below a folder, or that a glob matches.
func coveredBy(name string, seen []string) []string {
	var out []string
	pattern := strings.Split(name, "/")
	glob := strings.ContainsAny(name, "*?[")
	for _, f := range seen {
		switch {
		case name == "":
		case name == ".", strings.HasPrefix(f, name+"/"):
			out = append(out, f)
		case glob && globMatch(pattern, strings.Split(f, "/")):
			out = append(out, f)
		}
	}
	return out
}

// globMatch matches segment by segment; "**" is any number of segments.
// It keeps the set of pattern positions, so that a hostile pattern costs no more than its length per segment.
func globMatch(pattern, name []string) bool {
	at := make([]bool, len(pattern)+1)
	at[0] = true
	next := make([]bool, len(at))
	for n := 0; ; n++ {
		for i, p := range pattern {
			at[i+1] = at[i+1] || at[i] && p == "**"
		}
		if n == len(name) {
			return at[len(pattern)]
		}
		clear(next)
		for i, p := range pattern {
			if p == "**" {
				next[i] = next[i] || at[i]
			} else if ok, err := path.Match(p, name[n]); ok && err == nil {
				next[i+1] = at[i]
			}
		}
		at, next = next, at
	}
}
