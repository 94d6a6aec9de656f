package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"delegate/internal/text/shorten"
)

// Row is the comparison of one claim with the evidence for it.
type Row struct {
	Kind RowKind `json:"kind"` // subject of the row
	// Path is the path of the file if Kind is RowFile, and "" otherwise.
	Path string `json:"path"`
	// Claimed is what the agent says, in words; "" if it says nothing about the file.
	Claimed string `json:"claimed"`
	// Seen is what the evidence shows, in words; "" if the file did not change.
	Seen string `json:"seen"`
	// Differs reports whether the evidence contradicts the claim, or a change is not claimed.
	Differs bool `json:"differs"`
}

// RowKind is the subject of a Row.
type RowKind string

// The values of Row.Kind.
const (
	RowFile  RowKind = "file"  // one file
	RowTests RowKind = "tests" // whether tests were run
	RowWork  RowKind = "work"  // the agent claims to be done and changed nothing
)

// String describes, in one line, how the claim and the evidence of a row that Differs are different.
func (r Row) String() string {
	switch {
	case r.Kind == RowTests:
		return fmt.Sprintf("tests are claimed (%s), and the transcript shows no test run", r.Claimed)
	case r.Kind == RowWork:
		return fmt.Sprintf("the agent says %s, and git shows no changes", r.Claimed)
	case r.Seen == "":
		return fmt.Sprintf("%q is listed as %s, and git shows no change", r.Path, r.Claimed)
	case r.Claimed == "":
		return fmt.Sprintf("%q was %s and is not listed", r.Path, r.Seen)
	}
	return fmt.Sprintf("%q is listed as %s, and git shows it as %s", r.Path, r.Claimed, r.Seen)
}

// Compare compares a claim with the evidence. It returns a row for each file that is claimed or changed, sorted by
// path, then one for the tests, and one of kind RowWork if the claim says that the work is done and no file changed.
// A folder or glob in the claim stands for the changed files below it or that match it.
func Compare(c Claim, e Evidence) []Row {
	seen := e.paths()
	claims, covered := c.byPath(e, seen)
	all := map[string]Row{}
	for name, actions := range claims {
		all[name] = Row{Kind: RowFile, Path: name, Claimed: orChanged(actions), Differs: true}
	}
	for _, f := range seen {
		r := Row{Kind: RowFile, Path: f, Seen: string(e.seen(f, claims[f]))}
		switch actions := claims[f]; {
		case actions != nil:
			r.Claimed, r.Differs = orChanged(actions), !allows(actions, e.seen(f, actions))
		case covered[f] != "":
			r.Claimed = "in " + covered[f]
		case e.Files[f] == "":
			continue
		case !c.NoList && e.mayBeUnlisted(f):
			r.Claimed = "in an earlier report"
		default:
			r.Differs = !c.NoList
		}
		all[f] = r
	}
	var rows []Row
	for _, name := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, all[name])
	}
	tests := Row{Kind: RowTests, Claimed: c.Tests.word(), Seen: "a test run"}
	if !e.TestsSeen {
		tests.Seen, tests.Differs = "no test run", c.Tests.claimed()
	}
	rows = append(rows, tests)
	if c.Done != "" && len(e.Files) == 0 {
		rows = append(rows, Row{Kind: RowWork, Claimed: c.Done, Seen: "no changes", Differs: true})
	}
	return rows
}

// Differing returns the rows with Differs set.
func Differing(rows []Row) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !r.Differs })
}

// claimed reports whether it is said that tests were run.
func (t Tests) claimed() bool { return t.Executed || t.Result == Pass || t.Result == Fail }

// word is what is said of the tests.
func (t Tests) word() string {
	switch {
	case t.Result != "":
		return string(t.Result)
	case t.Executed:
		return "executed"
	}
	return "not run"
}

// CompletionStatus is the status in a completion file.
type CompletionStatus string

// The values of Completion.Status.
const (
	Completed CompletionStatus = "completed"
	Failed    CompletionStatus = "failed"
)

// Completion is the content of a completion file, completion.json, which an agent can write instead of a block to say
// that it is done.
type Completion struct {
	Status        CompletionStatus // required
	Summary       string           // what the agent did, in its words
	FilesModified []string         // nil if the field is absent
	TestsRun      []string         // names or commands
	Caveats       string           // a list in the file is joined with "; "
}

// ParseCompletion parses a completion file, which is one JSON object. Only the field "status" is required; null is the
// same as an absent field, and unknown fields are ignored. A field of the wrong type, an unknown status and text after
// the object are errors that name the field.
func ParseCompletion(data []byte) (Completion, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var fields map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&fields); err != nil {
		return Completion{}, fmt.Errorf("completion file: read the object: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Completion{}, errors.New("completion file: text after the object, want one object alone")
	}
	var c Completion
	var word *string
	if err := field(fields, "status", "a string", &word); err != nil {
		return Completion{}, err
	}
	if word == nil {
		return Completion{}, errors.New(`completion file: field "status" is missing, want "completed" or "failed"`)
	}
	switch c.Status = CompletionStatus(strings.ToLower(strings.TrimSpace(*word))); c.Status {
	case Completed, Failed:
	default:
		return Completion{}, fmt.Errorf(`completion file: field "status" is %q, want "completed" or "failed"`, *word)
	}
	err := errors.Join(
		field(fields, "summary", "a string", &c.Summary),
		field(fields, "files_modified", "a list of strings", &c.FilesModified),
		field(fields, "tests_run", "a list of strings", &c.TestsRun),
		caveats(fields, &c.Caveats),
	)
	if err != nil {
		return Completion{}, err
	}
	return c, nil
}

func field(fields map[string]json.RawMessage, name, want string, into any) error {
	raw, ok := fields[name]
	if !ok || json.Unmarshal(raw, into) == nil {
		return nil
	}
	is := shorten.Runes(strings.ToValidUTF8(string(raw), "\ufffd"), 60)
	return fmt.Errorf("completion file: field %q is %s, want %s", name, is, want)
}

func caveats(fields map[string]json.RawMessage, into *string) error {
	var list []string
	if raw, ok := fields["caveats"]; ok && json.Unmarshal(raw, &list) == nil {
		*into = strings.Join(list, "; ")
		return nil
	}
	return field(fields, "caveats", "a string or a list of strings", into)
}

// Claim is what an agent says that it did, from a block or a completion file. Compare compares it with the evidence.
type Claim struct {
	// Changes are the files that the agent names. A Change without an Action says that the file changed in some way.
	Changes []Change
	// NoList means that the agent did not list files at all, so that no file is missing from the list.
	NoList bool
	Tests  Tests // what the agent says about tests
	// Done is the status word if the agent says that the subtask is done, such as "COMPLETE", else "".
	Done string
}

// Claim returns what the block claims. NoList is set if Changes is nil; an empty table claims that no file changed.
func (b Block) Claim() Claim {
	c := Claim{Changes: b.Changes, NoList: b.Changes == nil, Tests: b.Tests}
	if b.Completion() {
		c.Done = string(b.Status)
	}
	return c
}

// Claim returns what the file claims. Its changes have no Action, and NoList is set if FilesModified is nil.
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

// Evidence is what git and the transcript show of an agent's work. Paths are relative to the root of the repository and
// separated by slashes. A rename is the old path as Deleted and the new one as Created.
type Evidence struct {
	// Files are the files that differ between the agent's base commit and its work.
	Files map[string]Action
	// Turn are the files that changed since the current turn began. In a later turn an agent may list these alone, or
	// all of Files. nil means that this is the first turn.
	Turn map[string]Action
	// ClaimedBefore are the paths that claims of earlier turns list.
	ClaimedBefore map[string]bool
	// TestsSeen reports whether the transcript shows a test run; see TestDetector.
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
	return e.Files[name] == "" || e.Turn != nil && e.Turn[name] == "" && e.ClaimedBefore[name]
}

// seen is what git shows of the path, by preference what one of the claimed actions says.
func (e Evidence) seen(name string, claimed []Action) Action {
	if turn := e.Turn[name]; turn != "" && (e.Files[name] == "" || slices.Contains(claimed, turn)) {
		return turn
	}
	return e.Files[name]
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

// orChanged is the claimed actions in words, also where none was named.
func orChanged(actions []Action) string {
	var words []string
	for _, a := range slices.Sorted(slices.Values(actions)) {
		words = append(words, string(a))
	}
	return cmp.Or(strings.Join(words, ", "), "changed")
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
