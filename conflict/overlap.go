package conflict

import (
	"slices"

	"delegate/change"
)

// overlapFindings reports the files that both sides touch and git merges all the same.
// What already is in a conflict of git's is left to that.
func (p Pair) overlapFindings(groups []group) ([]Finding, error) {
	var findings []Finding
	torn := map[string]bool{}
	for _, g := range groups {
		for _, name := range g.paths {
			torn[name] = true
		}
	}
	for _, a := range p.A.Files {
		var met []int
		for _, name := range touches(a) {
			met = append(met, p.theirs.at[name]...)
		}
		slices.Sort(met)
		for _, i := range slices.Compact(met) {
			b := p.B.Files[i]
			if slices.ContainsFunc(slices.Concat(touches(a), touches(b)), func(name string) bool {
				return torn[name]
			}) {
				continue
			}
			f, err := p.overlap(a, b)
			if err != nil {
				return nil, err
			}
			findings = append(findings, f)
		}
	}
	return findings, nil
}

// overlap is the finding for one file that both sides touch and git merges.
func (p Pair) overlap(a, b change.File) (Finding, error) {
	ours, theirs, err := p.actions([]change.File{a}, []change.File{b}, anywhere)
	if err != nil {
		return Finding{}, err
	}
	f := p.finding(Warning, Suspected, ours, theirs)
	f.Message, f.Advice = "Both change "+quoted(b.Path)+". Merges cleanly", p.adviceToRead()
	switch {
	case identical(a, b):
		f.Severity, f.Certainty = Info, Confirmed
		f.Message, f.Advice = p.A.Name+" and "+p.B.Name+" make the same change", "Nothing to do."
	case isSubmodule(a) && isSubmodule(b):
		f.Severity, f.Certainty, f.Blocking = Error, Confirmed, true
		f.Message = "Both sides change a submodule, each in its own way, " +
			"and no merge of files can say which is right"
		f.Advice = p.adviceFor([]change.File{a, b})
	case takesAway(a) != takesAway(b):
		f.Message = "One side deletes or moves what the other changes, and git merges that cleanly"
	case len(ours[0].spans) > 0 && len(theirs[0].spans) > 0 && a.Kind == change.Modified && b.Kind == change.Modified:
		f.Message = "Both change " + quoted(b.Path) + " (" + lineWords(join(ours[0].spans, theirs[0].spans)) +
			"). Merges cleanly."
		return f, nil
	}
	f.Message += ": " + bothDo(p, ours, theirs) + "."
	return f, nil
}

// identical reports whether both changes have the same outcome from the same file.
// Ids that are not known are never the same.
func identical(a, b change.File) bool {
	if a.Path != b.Path || a.OldPath != b.OldPath || a.NewMode != b.NewMode {
		return false
	}
	if a.Kind == change.Deleted || b.Kind == change.Deleted {
		return a.Kind == b.Kind
	}
	return a.NewID != "" && a.NewID == b.NewID
}

func isSubmodule(f change.File) bool {
	return f.OldMode == change.ModeSubmodule || f.NewMode == change.ModeSubmodule
}

// takesAway reports whether the file is no longer what and where it was.
func takesAway(f change.File) bool {
	return f.Kind == change.Deleted || f.Kind == change.Renamed || f.Kind == change.TypeChanged
}
