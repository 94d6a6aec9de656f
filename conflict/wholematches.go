package conflict

import (
	"errors"
	"path"
	"slices"

	"delegate/conflict/internal/plain"
)

// mostMembers is how many members an enumeration may have to be looked at.
const mostMembers = 200

// wholeMatches reports a new member of an enumeration or of a sealed type, in code that no grammar here reads, whose
// other members are all matched by new code of the user, which says nothing of the rest.
func (g *goneWords) wholeMatches() error {
	var matches map[*plainFile][]plain.Matching // of the user's files, nil until one is needed
	for _, f := range g.removed {
		if f.file.OldMode == 0 || f.file.NewMode == 0 || !plain.Matches(f.file.Path) {
			continue
		}
		old, oldErr := g.takes.plainText(g.takes.set.BaseFS, f.file.BasePath(), f.file.OldMode)
		new, newErr := g.takes.plainText(g.takes.set.HeadFS, f.file.Path, f.file.NewMode)
		if err := errors.Join(oldErr, newErr); err != nil {
			return err
		}
		before := plain.Enumerations(f.file.BasePath(), string(old))
		for _, typ := range plain.Enumerations(f.file.Path, string(new)) {
			i := slices.IndexFunc(before, func(b plain.Enumeration) bool { return b.Name == typ.Name })
			if i < 0 || len(before[i].Members) < 2 || len(typ.Members) > mostMembers {
				continue
			}
			for _, member := range typ.Members {
				if before[i].Has(member.Name) {
					continue
				}
				if matches == nil {
					var err error
					if matches, err = g.newMatches(); err != nil {
						return err
					}
				}
				g.matchedWithout(f, before[i], member, matches)
			}
		}
	}
	return nil
}

// newMatches are the matches that begin in new lines of the user.
func (g *goneWords) newMatches() (map[*plainFile][]plain.Matching, error) {
	all := map[*plainFile][]plain.Matching{}
	for _, written := range g.written {
		if !plain.Matches(written.file.Path) || !g.pair.stays(written.file.Path) {
			continue
		}
		text, err := g.writes.plainText(g.writes.set.HeadFS, written.file.Path, written.file.NewMode)
		if err != nil {
			return nil, err
		}
		all[written] = plain.Matchings(written.file.Path, string(text), written.isNew)
	}
	return all, nil
}

// matchedWithout reports new matches of all members of an enumeration but for the one that came.
func (g *goneWords) matchedWithout(f *plainFile, typ plain.Enumeration, member plain.Named,
	matches map[*plainFile][]plain.Matching) {
	var uses []Use
	for _, written := range g.written {
		if path.Ext(written.file.Path) != path.Ext(f.file.Path) {
			continue
		}
		for _, m := range matches[written] {
			if !slices.Contains(m.Cases, member.Name) && !slices.ContainsFunc(typ.Members, func(o plain.Named) bool {
				return !slices.Contains(m.Cases, o.Name)
			}) {
				uses = append(uses, freshWord{plain.Word{Text: typ.Name, Line: m.Line}, written}.use())
			}
		}
	}
	it := quoted(typ.Name + "." + member.Name)
	at := Place{Agent: g.by.set.Name, Path: f.file.Path, Line: member.Line, Symbol: typ.Name + "." + member.Name}
	g.suspect(APIConflict, at, uses,
		"%s adds the member %[3]s, and new code of %[2]s matches all other members and not this one.", it).
		instruct("Match " + it + " as well at " + placesOf(uses) + ".")
}
