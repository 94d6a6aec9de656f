//go:build cgo

package sitter

import (
	"slices"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// DefinePartial lists a definition like Define does. At the end of the file it is merged into another
// of the same key and parameters: it is a declaration of what is defined elsewhere, or a part of a type.
func (r *Reader) DefinePartial(d code.Definition, s Site) string {
	before := len(r.File.Definitions)
	key := r.Define(d, s)
	if len(r.File.Definitions) > before {
		r.partial = append(r.partial, before)
	}
	return key
}

// mergePartial drops the partial definitions of what is defined elsewhere in the file, and hands on what they say.
func (r *Reader) mergePartial() {
	if len(r.partial) == 0 {
		return
	}
	kept := map[string][]int{}
	for i, d := range r.File.Definitions {
		if _, partial := slices.BinarySearch(r.partial, i); !partial && d.Kind != code.Local {
			kept[d.Key()] = append(kept[d.Key()], i)
		}
	}
	dropped := map[int]bool{}
	for _, i := range r.partial {
		key := r.File.Definitions[i].Key()
		if to := r.counterpart(i, kept[key]); to >= 0 {
			mergeInto(&r.File.Definitions[to], r.File.Definitions[i])
			dropped[i] = true
		} else {
			kept[key] = append(kept[key], i)
		}
	}
	i := -1
	r.File.Definitions = slices.DeleteFunc(r.File.Definitions, func(code.Definition) bool { i++; return dropped[i] })
}

// counterpart finds the definition among others of the same key that stands for the same as one, -1 if there is none.
func (r *Reader) counterpart(one int, others []int) int {
	d, same := r.File.Definitions[one], -1
	for _, i := range others {
		o := r.File.Definitions[i]
		if o.Kind != d.Kind && !(o.Kind.IsType() && d.Kind.IsType()) || len(o.Params) != len(d.Params) {
			continue
		}
		if lang.SameTypes(o.Params, d.Params) {
			return i
		}
		same = i
	}
	if len(others) == 1 {
		return same
	}
	return -1
}

// mergeInto adds to a definition what another of the same thing says.
func mergeInto(d *code.Definition, o code.Definition) {
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

// conditional reports whether the preprocessor leaves out what a definition stands in from some builds. What keeps
// a header from being read twice does not.
func (r *Reader) conditional(whole Node) bool {
	for n := r.Parent(whole); n != 0; n = r.Parent(n) {
		if r.Is(n, "preproc_if", "preproc_ifdef") && (!r.Has(n, "#ifndef") ||
			r.Text(r.Find(n, ">preproc_def/name")) != r.Text(r.Field(n, "name"))) {
			return true
		}
	}
	return false
}
