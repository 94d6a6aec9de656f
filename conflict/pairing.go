package conflict

import (
	"slices"

	"delegate/conflict/code"
)

// pairing is what the two versions of one source say by themselves.
type pairing struct {
	edits     []Edit // of definitions that kept their keys
	lost, won []unpaired
}

// unpaired is a definition that only one version of its source has.
type unpaired struct {
	site
	keys []string // what it could share with one of another source, see matchKeys
}

// text is its key by its text.
func (u unpaired) text() string { return u.keys[len(u.keys)-1] }

// pairUp compares the definitions of the source, once however many sides change it alike.
func (src *changedFile) pairUp() *pairing {
	if src.pairing != nil {
		return src.pairing
	}
	src.pairing = &pairing{}
	entered := src.Old != nil && src.New != nil && site{src: src}.oldScope() != site{src: src}.newScope() &&
		!src.language.FileScope()
	for _, both := range pairsOf(src.Old, src.New) {
		old, new := both.old, both.new
		if !entered {
			old, new = matchEqual(old, new)
		}
		for len(old) > 0 && len(new) > 0 {
			src.pairing.edits = append(src.pairing.edits, editsOf(site{*old[0], src}, site{*new[0], src})...)
			old, new = old[1:], new[1:]
		}
		for _, d := range old {
			l := site{*d, src}
			src.pairing.lost = append(src.pairing.lost, unpaired{l, matchKeys(l, l.oldScope())})
		}
		for _, d := range new {
			w := site{*d, src}
			src.pairing.won = append(src.pairing.won, unpaired{w, matchKeys(w, w.newScope())})
		}
	}
	return src.pairing
}

// bothVersions are the definitions of one key. They stay in their files: one takes much room.
type bothVersions struct{ old, new []*code.Definition }

// pairsOf are the definitions by their keys, in the order of their files, so that findings come in a steady order.
func pairsOf(old, new *code.File) []*bothVersions {
	var all []*bothVersions
	known := map[string]*bothVersions{}
	each := func(f *code.File, see func(both *bothVersions, d *code.Definition)) {
		if f == nil {
			return
		}
		for i := range f.Definitions {
			d := &f.Definitions[i]
			if d.Kind == code.Local {
				continue // which nobody else can use
			}
			key := d.Key()
			if known[key] == nil {
				known[key] = &bothVersions{}
				all = append(all, known[key])
			}
			see(known[key], d)
		}
	}
	each(old, func(both *bothVersions, d *code.Definition) { both.old = append(both.old, d) })
	each(new, func(both *bothVersions, d *code.Definition) { both.new = append(both.new, d) })
	return all
}

// matchEqual drops the overloads that both versions have.
func matchEqual(old, new []*code.Definition) (a, b []*code.Definition) {
	if len(old) == 1 && len(new) == 1 && isEqual(old[0], new[0]) {
		return nil, nil
	}
	b = slices.Clone(new)
	for _, d := range old {
		i := slices.IndexFunc(b, func(o *code.Definition) bool { return isEqual(o, d) })
		if i < 0 {
			a = append(a, d)
			continue
		}
		b = slices.Delete(b, i, i+1)
	}
	return a, b
}

func isEqual(a, b *code.Definition) bool {
	return a.Hash == b.Hash && a.ReadOnly == b.ReadOnly && a.Static == b.Static && sameSignature(*a, *b)
}
