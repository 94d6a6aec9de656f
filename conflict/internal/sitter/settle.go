//go:build cgo

package sitter

import (
	"slices"

	"delegate/conflict/code"
)

// GiveWay lists a definition like define does, but gives it up at the end of the file if there is another one
// of the same key and parameters: a declaration of what is defined elsewhere, or a part of a type.
func (r *Reader) GiveWay(d code.Definition, s Site) string {
	before := len(r.File.Definitions)
	key := r.Define(d, s)
	if len(r.File.Definitions) > before {
		r.weak = append(r.weak, before)
	}
	return key
}

// settle drops the definitions that give way, and hands on what they say to those that stay.
func (r *Reader) settle() {
	if len(r.weak) == 0 {
		return
	}
	weak := map[int]bool{}
	for _, i := range r.weak {
		weak[i] = true
	}
	kept := map[string][]int{}
	for i, d := range r.File.Definitions {
		if !weak[i] && d.Kind != code.Local {
			kept[d.Key()] = append(kept[d.Key()], i)
		}
	}
	dropped := map[int]bool{}
	for _, i := range r.weak {
		key := r.File.Definitions[i].Key()
		if to := r.otherThan(i, kept[key]); to >= 0 {
			takeOver(&r.File.Definitions[to], r.File.Definitions[i])
			dropped[i] = true
		} else {
			kept[key] = append(kept[key], i)
		}
	}
	i := -1
	r.File.Definitions = slices.DeleteFunc(r.File.Definitions, func(code.Definition) bool { i++; return dropped[i] })
}

// otherThan finds the definition among others of the same key that stands for the same as one, -1 if there is none.
func (r *Reader) otherThan(one int, others []int) int {
	d, same := r.File.Definitions[one], -1
	for _, i := range others {
		o := r.File.Definitions[i]
		if o.Kind != d.Kind && !(o.Kind.IsType() && d.Kind.IsType()) || len(o.Params) != len(d.Params) {
			continue
		}
		if slices.EqualFunc(o.Params, d.Params, func(a, b code.Param) bool { return a.Type == b.Type }) {
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
func takeOver(d *code.Definition, o code.Definition) {
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
