package conflict

import (
	"strings"

	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

var (
	givesItself = lazyregexp.New(`^\s*(?:return\s+(?:this|self|\$this|\*this)|self)\s*;?$`)
	// plainlyGiven is a line that gives what has no methods of its type: a number, a text, a truth.
	plainlyGiven = lazyregexp.New(`^\s*return\s+(?:-?\d|["'\x60]|(?i:true|false|null|none|nil|undefined)\b|!|len\(|` +
		`[\w.$@>-]+(?:\.|->)(?:length|size|count)\b\s*;?$)`)
)

// lostChains reports methods that give the value itself no longer, where new code of the user calls one after the
// other on it. Where types are written, the result says it.
func (c *Direction) lostChains() {
	for e := range c.by.kept() {
		if !e.Old.Callable() || e.Old.Container == "" || e.Old.Hash == e.New.Hash || e.Old.Result != "" {
			continue
		}
		uses := c.usesOrCalls(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		if matching(givesItself, old) == 0 || matching(givesItself, new) > 0 ||
			matching(givesBack, new) != matching(plainlyGiven, new) {
			continue
		}
		chained := uses[:0:0]
		for _, u := range uses {
			if c.goesOnBehind(u) {
				chained = append(chained, u)
			}
		}
		c.suspect(APIConflict, c.placeOf(e), chained,
			"%s lets %[3]s no longer give the value itself, and new code of %[2]s goes on with what it gives.",
			noun(e.Old, e.language())).
			instruct("Call what follows " + quoted(e.Old.Key()) + " by itself at " + placesOf(chained) +
				".").runtimeOnly = true
	}
}

// goesOnBehind reports whether a member of what a call gives is taken, there or at the begin of the next line.
func (c *Direction) goesOnBehind(u Use) bool {
	_, lines := c.around(u)
	if len(lines) == 0 {
		return false
	}
	_, rest, called := strings.Cut(lines[0], u.Ref.Name+"(")
	if !called {
		return false
	}
	_, after, closed := lang.Closed("(" + rest)
	if after = strings.TrimSpace(after); closed && after == "" && len(lines) > 1 {
		after = strings.TrimSpace(lines[1])
	}
	return closed && (strings.HasPrefix(after, ".") || strings.HasPrefix(after, "->") || strings.HasPrefix(after, "?."))
}
