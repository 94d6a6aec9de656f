package conflict

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// mostArguments is how many lines the arguments of a call may take.
const mostArguments = 30

// handedClosures reports types of functions that the one side gives other parameters, where new code of the other hands
// a function of the old form to what takes one of the type: for languages in which a function may take fewer parameters
// than it is called with, so that the places in which it has some tell.
func (c *Direction) handedClosures() {
	for _, e := range c.by.edits {
		handing := e.language().Handing
		if e.Kind != TypeChanged || e.Old.Kind != code.Type || handing.Params == nil {
			continue
		}
		was, is := handing.Params(e.Old.Type), handing.Params(e.New.Type)
		if was == nil || is == nil || slices.Equal(was, is) {
			continue
		}
		typ := functionType{name: e.Old.Name, edit: e}
		uses := c.usesThat(func(u Use) bool {
			if u.Ref.Use != code.Call || !c.merged.stillUsed(u.Ref, u.Path()) || !c.takes(u, typ) {
				return false
			}
			return slices.ContainsFunc(c.handedBy(u, handing), func(params []string) bool {
				return len(params) <= len(was) && misfits(params, was, is)
			})
		})
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s %[3]s, and new code of %[2]s gives it a function of the old form.", e.phrase()).
			instruct("Give a function of (" + brief(strings.Join(is, ", ")) + ") at " + placesOf(uses) + ".")
	}
}

// misfits reports whether a function that was of a type is called otherwise now than it was written for.
func misfits(params, was, is []string) bool {
	if len(params) > len(is) {
		return true
	}
	for i, p := range params {
		switch {
		case was[i] == is[i]:
		case p == "":
			if !lang.Among(was[i], is[i]) {
				return true
			}
		case p != "any" && p != "unknown" && !lang.Among(is[i], p):
			return true
		}
	}
	return false
}

// handedBy are the types of the parameters, "" for those that say none, of each function that a call hands over.
func (c *Direction) handedBy(u Use, handing lang.Handing) [][]string {
	lines := c.sourceLines(c.user, version{head: true, name: u.Path()})
	at := u.Ref.Line - 1
	if at < 0 || at >= len(lines) {
		return nil
	}
	text := strings.Join(lines[at:min(len(lines), at+mostArguments)], "\n")
	begin := strings.Index(text, u.Ref.Name+"(")
	if begin < 0 {
		return nil
	}
	inside, _, closed := lang.Closed(text[begin+len(u.Ref.Name):])
	if !closed {
		return nil
	}
	return handing.Handed(lang.Comma(inside), strings.Join(lines, "\n"))
}
