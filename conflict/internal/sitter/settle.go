//go:build cgo

package syntax

import "slices"

// giveWay lists a definition like define does, but gives it up at the end of the file if there is another one
// of the same key and parameters: a declaration of what is defined elsewhere, or a part of a type.
func (r *reader) giveWay(d Definition, s site) string {
	before := len(r.file.Definitions)
	key := r.define(d, s)
	if len(r.file.Definitions) > before {
		r.weak = append(r.weak, before)
	}
	return key
}

// settle drops the definitions that give way, and hands on what they say to those that stay.
func (r *reader) settle() {
	if len(r.weak) == 0 {
		return
	}
	weak := map[int]bool{}
	for _, i := range r.weak {
		weak[i] = true
	}
	kept := map[string][]int{}
	for i, d := range r.file.Definitions {
		if !weak[i] && d.Kind != Local {
			kept[d.Key()] = append(kept[d.Key()], i)
		}
	}
	dropped := map[int]bool{}
	for _, i := range r.weak {
		key := r.file.Definitions[i].Key()
		if to := r.otherThan(i, kept[key]); to >= 0 {
			takeOver(&r.file.Definitions[to], r.file.Definitions[i])
			dropped[i] = true
		} else {
			kept[key] = append(kept[key], i)
		}
	}
	i := -1
	r.file.Definitions = slices.DeleteFunc(r.file.Definitions, func(Definition) bool { i++; return dropped[i] })
}

// otherThan finds the definition among others of the same key that stands for the same as one, -1 if there is none.
func (r *reader) otherThan(one int, others []int) int {
	d, same := r.file.Definitions[one], -1
	for _, i := range others {
		o := r.file.Definitions[i]
		if o.Kind != d.Kind && !(o.Kind.IsType() && d.Kind.IsType()) || len(o.Params) != len(d.Params) {
			continue
		}
		if slices.EqualFunc(o.Params, d.Params, func(a, b Param) bool { return a.Type == b.Type }) {
			return i
		}
		same = i
	}
	if len(others) == 1 {
		return same
	}
	return -1
}

// takeOver adds to a definition what another of the same thing says.
func takeOver(d *Definition, o Definition) {
	for _, base := range o.Bases {
		if !slices.Contains(d.Bases, base) {
			d.Bases = append(d.Bases, base)
		}
	}
	d.Static, d.Overrides, d.Abstract = d.Static || o.Static, d.Overrides || o.Overrides, d.Abstract || o.Abstract
	if !o.Partial || !o.Kind.IsType() {
		d.Visibility = o.Visibility
	}
	for i := range min(len(d.Params), len(o.Params)) {
		d.Params[i].Optional = d.Params[i].Optional || o.Params[i].Optional
	}
}
