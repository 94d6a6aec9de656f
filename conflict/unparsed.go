package conflict

import (
	"path"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// findUnparsed says what could not be analysed where it matters:
// a changed file that does not parse while the other side newly refers to it, and languages that nothing here reads.
func findUnparsed(p Pair) ([]Finding, error) {
	return p.EachDirection(func(c *Direction) ([]Finding, error) {
		var found []Finding
		for _, u := range c.by.unparsed {
			if uses := c.newUsesOf(u); len(uses) > 0 && !u.unsupported {
				f := c.importFinding(Place{Agent: c.by.set.Name, Path: u.path, Line: u.line}, uses)
				f.Type, f.Severity, f.Blocking, f.Certainty, f.tooLarge = APIConflict, Error, true, Unknown, u.tooLarge
				f.Message = "It is not known what " + c.by.set.Name + " does to " + quoted(u.path) + " (" + u.reason +
					"), and new code of " + c.user.set.Name + " refers to it."
				f.Advice = "Mend the file, or read both changes together. " + c.pair.adviceToOrder()
				found = append(found, f)
			}
		}
		if c.first {
			found = append(found, c.unsupportedLanguages()...)
		}
		return found, nil
	})
}

// Stopped is the finding for a pair whose analysis came to no end: at a file or a folder, "" if it
// is not known where. why says what ended it.
func Stopped(p Pair, at, why string) Finding {
	f := p.finding(Error, Unknown, nil, nil)
	f.Type, f.Blocking = APIConflict, true
	where := ""
	if at != "" {
		where = " at " + quoted(at)
	}
	for _, s := range []change.Set{p.A, p.B} {
		for _, file := range s.Files {
			if file.Path == at || path.Dir(file.Path) == at {
				f.Places = append(f.Places, Place{Agent: s.Name, Path: file.Path})
				break
			}
		}
	}
	f.Message = "It is not known what " + p.A.Name + " and " + p.B.Name + " do to each other: the analysis stopped" +
		where + " (" + why + ")."
	f.Advice = "Have what it stopped at made simpler, " +
		"or raise analysis_limit in .delegate.yaml if it needs more time. " + p.adviceToRead()
	return f
}

// newUsesOf are the user's new imports of the file and its new references to what the file defined.
func (c *Direction) newUsesOf(u unparsed) []Use {
	src := c.by.byPath[u.path]
	if src == nil {
		return nil
	}
	old := src.Old
	if old == nil {
		old = src.New
	}
	blind := old == nil
	if blind {
		old = &code.File{Language: src.language.Name}
	}
	var uses []Use
	t := c.by.targetAt(src, src.file.BasePath(), old)
	for _, o := range c.user.sources {
		for _, imp := range o.fresh {
			if blind && t.language.PackageScope && lastOf(imp.Module+"."+imp.Member) != lang.Stem(u.path) {
				continue // which package the file declares is not known, only what a type in it is called by custom
			}
			if _, ok := c.reaches(imp, o.file.Path, t); ok && o.language.Related(t.language) {
				uses = append(uses, importUse(imp, o))
			}
		}
	}
	known := map[string][]code.Definition{}
	for _, d := range old.Definitions {
		if d.Kind != code.Local {
			known[d.Name] = append(known[d.Name], d)
		}
	}
	c.eachUse(func(use Use) {
		for _, d := range known[use.Ref.Name] {
			e := Edit{Kind: Removed, Old: d, from: &source{file: src.file, language: src.language, Old: old}}
			if c.means(use.Ref, use.from, e) == resolved {
				uses = append(uses, use)
				return
			}
		}
	})
	return uses
}

// unsupportedLanguages says which languages of both sides only git looked at.
func (c *Direction) unsupportedLanguages() []Finding {
	var languages []string
	var places []Place
	for _, u := range c.by.unparsed {
		if !u.unsupported || slices.Contains(languages, string(u.language)) {
			continue
		}
		for _, o := range c.user.unparsed {
			if o.unsupported && o.language == u.language {
				languages = append(languages, string(u.language))
				places = append(places, Place{Agent: c.by.set.Name, Path: u.path},
					Place{Agent: c.user.set.Name, Path: o.path})
				break
			}
		}
	}
	if len(languages) == 0 {
		return nil
	}
	return []Finding{{
		Type: APIConflict, Severity: Info, Certainty: Unknown, Agents: []string{c.pair.A.Name, c.pair.B.Name},
		Places: places,
		Message: "Both sides change files in " + strings.Join(languages, ", ") +
			", which this program merges as text and cannot analyse further.",
		Advice: c.pair.adviceToRead(),
	}}
}
