package conflict

import (
	"fmt"
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
		uses := c.newUsesOf(u)
		f := c.tell(unreadFile, Place{Agent: c.by.set.Name, Path: u.path, Line: u.line}, uses, "what", quoted(u.path),
			"why", u.reason)
		f.Severity, f.Blocking, f.Certainty, f.tooLarge = Error, true, Unknown, u.tooLarge
		f.Advice = "Fix the file, or read both changes together. " + f.Advice
		if src := c.by.byPath[u.path]; src != nil && !slices.ContainsFunc(uses, src.doubts) {
			f.Severity, f.Blocking = Info, false
			f.Message = fmt.Sprintf("Line %d of %s by %s cannot be read (%s); what new code of %s refers to is "+
				"elsewhere in it, unchanged.", u.line, quoted(u.path), c.by.set.Name, u.reason, c.user.set.Name)
		}
	}
}

// brokenByMerge reports files that parse on either side, and no longer as git merges them.
func (c *Direction) brokenByMerge() {
	for _, mine := range c.by.sources {
		other := c.user.byPath[mine.file.Path]
		if other == nil || mine.New == nil || other.New == nil || mine.faulty || other.faulty ||
			len(mine.New.Faults) > 0 || len(other.New.Faults) > 0 || !c.merged.knows(mine.file.Path) {
			continue
		}
		both := c.merged.source(mine.file.Path)
		if both == nil || len(both.Faults) == 0 {
			continue
		}
		fault := both.Faults[0]
		f := c.suspicion(APIConflict, Place{Agent: c.by.set.Name, Path: mine.file.Path}, nil, fmt.Sprintf(
			"Git merges %s cleanly, but the result does not parse: line %d, %s.", quoted(mine.file.Path),
			fault.Line, strings.TrimSuffix(fault.Reason, ".")))
		f.Places = append(f.Places, Place{Agent: c.user.set.Name, Path: mine.file.Path})
		c.found = append(c.found, f)
	}
}

// doubts reports whether a use is of something in the faulty source that may have changed: what its readable part
// lacks, has in another form, or has around a fault. Go's own parser knows what Go is, so there every use is in doubt.
func (s *changedFile) doubts(u Use) bool {
	if s.Old == nil || s.New == nil || s.language.Has(lang.Checked) || len(s.New.Faults) >= lang.MostFaults {
		return true
	}
	name := lastOf(u.Ref.Name)
	if imported, _, some := strings.Cut(u.Ref.Name, " from "); some {
		name = imported
	}
	of := func(f *code.File) []code.Definition {
		return slices.DeleteFunc(slices.Clone(f.Definitions), func(d code.Definition) bool {
			return d.Name != name || d.Kind == code.Local
		})
	}
	old, new := of(s.Old), of(s.New)
	return len(old) != len(new) || slices.ContainsFunc(new, func(d code.Definition) bool {
		inside := func(f code.Fault) bool { return f.Line >= d.Line && f.Line <= d.End }
		return slices.ContainsFunc(s.New.Faults, inside) ||
			!slices.ContainsFunc(old, func(o code.Definition) bool { return sameSignature(o, d) })
	})
}

// Stopped returns the finding for a pair whose analysis was stopped, such as by a timeout, with the certainty Unknown.
// at is the file or folder that was being analysed, "" if that is not known, and why says what stopped the analysis.
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
		return !blind || !t.language.Has(lang.PackageScope) || lastOf(imp.Module+"."+imp.Member) == lang.Stem(u.path)
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

// sameSignature reports whether others can use two versions of a definition alike, for all that its text says.
func sameSignature(a, b code.Definition) bool {
	return a.Container == b.Container && a.Kind == b.Kind && a.Visibility == b.Visibility && a.Result == b.Result &&
		a.Type == b.Type && sameParams(a.Params, b.Params)
}
