package conflict

import (
	"path"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// unreadFiles reports changed files that could not be analysed while the other side newly refers to them.
func (c *Direction) unreadFiles() {
	for _, u := range c.by.unparsed {
		if u.unsupported {
			continue
		}
		f := c.suspect(APIConflict, Place{Agent: c.by.set.Name, Path: u.path, Line: u.line}, c.newUsesOf(u),
			"It is not known what %s does to %[3]s (%[4]s), and new code of %[2]s refers to it.", quoted(u.path),
			u.reason)
		f.Severity, f.Blocking, f.Certainty, f.tooLarge = Error, true, Unknown, u.tooLarge
		f.Advice = "Mend the file, or read both changes together. " + f.Advice
	}
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
	t := c.by.targetAt(src, src.file.BasePath(), old)
	imports := c.importsOfTarget(t, func(imp code.Import, _ string) bool {
		// Which package a file declares may not be known, only what a type in it is called by custom.
		return !blind || !t.language.PackageScope || lastOf(imp.Module+"."+imp.Member) == lang.Stem(u.path)
	})
	known := map[string][]code.Definition{}
	for _, d := range old.Definitions {
		if d.Kind != code.Local {
			known[d.Name] = append(known[d.Name], d)
		}
	}
	was := &changedFile{file: src.file, language: src.language, Old: old}
	return append(imports, c.usesThat(func(use Use) bool {
		return slices.ContainsFunc(known[use.Ref.Name], func(d code.Definition) bool {
			return c.means(use.Ref, use.from, Edit{Kind: Removed, Old: d, from: was}) == resolved
		})
	})...)
}

// unsupportedLanguages reports which languages of both sides only git looked at.
func (c *Direction) unsupportedLanguages() {
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
		return
	}
	c.found = append(c.found, Finding{
		Type: APIConflict, Severity: Info, Certainty: Unknown, Agents: []string{c.pair.A.Name, c.pair.B.Name},
		Places: places,
		Message: "Both sides change files in " + strings.Join(languages, ", ") +
			", which this program merges as text and cannot analyse further.",
		Advice: c.pair.adviceToRead(),
	})
}
