package conflict

import (
	"iter"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
)

// Direction is one direction of a pair: what one side did to definitions, and what the other newly
// refers to. The analyzers that read code look at a pair in both.
type Direction struct {
	pair   *Pair
	first  bool  // of the two directions: looks at what has none
	by     *side // did something
	user   *side // refers to it
	merged *merged
}

// EachDirection looks at the pair from both sides.
func (p Pair) EachDirection(look func(*Direction) ([]Finding, error)) ([]Finding, error) {
	if p.Merge.Err != nil || p.A.BaseFS == nil || p.B.BaseFS == nil {
		return nil, nil
	}
	a, err := p.reader.side(p.A)
	if err != nil {
		return nil, err
	}
	b, err := p.reader.side(p.B)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, c := range []*Direction{{by: a, user: b, first: true}, {by: b, user: a}} {
		c.pair, c.merged = &p, p.merged
		some, err := look(c)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// By is the change set of the side whose edits the direction is about.
func (c *Direction) By() change.Set { return c.by.set }

// User is the change set of the side whose new code may be hurt by them.
func (c *Direction) User() change.Set { return c.user.set }

// Edits are what the one side did to the definitions of source files, in the order of its files.
func (c *Direction) Edits() iter.Seq[Edit] { return slices.Values(c.by.edits) }

// Uses are the new references of the other side that mean the definition of an edit, as far as
// imports, packages and types tell, and that the merged tree still has.
func (c *Direction) Uses(e Edit) (uses []Use) {
	c.eachUse(func(u Use) {
		if u.Ref.Name == e.subject().Name && c.means(u.Ref, u.from, e) >= likely && c.holdsInMerge(e, u) {
			uses = append(uses, u)
		}
	})
	return uses
}

// Suspicion is a finding, suspected and not blocking, about an edit and uses of its definition. The
// message says what was found, in whole sentences.
func (c *Direction) Suspicion(t Type, e Edit, uses []Use, message string) Finding {
	f := c.finding(t, e, uses)
	f.Message = message
	return f
}

// Use is one reference of the user's new code.
type Use struct {
	Ref  code.Reference
	from *source
}

// Path is the file of the head that has the reference.
func (u Use) Path() string { return u.from.file.Path }

func (u Use) place(who string) Place {
	symbol := strings.TrimPrefix(strings.TrimPrefix(u.Ref.Qualifier, code.Expression)+"."+u.Ref.Name, ".")
	return Place{Agent: who, Path: u.from.file.Path, Line: u.Ref.Line, Symbol: symbol}
}
