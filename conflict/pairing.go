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
	before, after := byKey(src.Old), byKey(src.New)
	entered := src.Old != nil && src.New != nil && site{src: src}.oldScope() != site{src: src}.newScope() &&
		!src.language.FileScope()
	for _, key := range keysOf(src.Old, src.New) {
		old, new := before[key], after[key]
		if !entered {
			old, new = matchEqual(old, new)
		}
		for len(old) > 0 && len(new) > 0 {
			src.pairing.edits = append(src.pairing.edits, editsOf(site{old[0], src}, site{new[0], src})...)
			old, new = old[1:], new[1:]
		}
		for _, d := range old {
			l := site{d, src}
			src.pairing.lost = append(src.pairing.lost, unpaired{l, matchKeys(l, l.oldScope())})
		}
		for _, d := range new {
			w := site{d, src}
			src.pairing.won = append(src.pairing.won, unpaired{w, matchKeys(w, w.newScope())})
		}
	}
	return src.pairing
}

func byKey(f *code.File) map[string][]code.Definition {
	all := map[string][]code.Definition{}
	if f == nil {
		return all
	}
	for _, d := range f.Definitions {
		all[d.Key()+localMark(d)] = append(all[d.Key()+localMark(d)], d)
	}
	return all
}

// localMark keeps a function's variables apart from the members of a type with its name.
func localMark(d code.Definition) string {
	if d.Kind == code.Local {
		return " "
	}
	return ""
}

// keysOf are the keys of both versions in the order of their files, so that findings come in a steady order.
func keysOf(files ...*code.File) []string {
	var keys []string
	seen := map[string]bool{}
	for _, f := range files {
		if f == nil {
			continue
		}
		for _, d := range f.Definitions {
			key := d.Key() + localMark(d)
			if !seen[key] {
				seen[key], keys = true, append(keys, key)
			}
		}
	}
	return keys
}

// matchEqual drops the overloads that both versions have.
func matchEqual(old, new []code.Definition) (a, b []code.Definition) {
	b = slices.Clone(new)
	for _, d := range old {
		i := slices.IndexFunc(b, func(o code.Definition) bool {
			return o.Hash == d.Hash && o.ReadOnly == d.ReadOnly && sameSignature(o, d)
		})
		if i < 0 {
			a = append(a, d)
			continue
		}
		b = slices.Delete(b, i, i+1)
	}
	return a, b
}
