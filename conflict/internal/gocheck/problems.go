package gocheck

import (
	"fmt"
	"go/types"
	"path"
	"strings"
	"unicode"

	"delegate/internal/text/shorten"
)

// importProblems are the imports that the go command refuses before it compiles.
func (u *unit) importProblems() (all []Problem) {
	for _, e := range u.node.imports {
		text := u.refusal(e)
		if text == "" {
			continue
		}
		for _, at := range importers(u.node, e.path) {
			at.Message = text
			all = append(all, at)
		}
	}
	return all
}

// refusal says why an import is wrong, "" if it is not.
func (u *unit) refusal(e edge) string {
	importer := u.node.path
	if u.node.tests != "" {
		importer = u.node.tests
	}
	switch {
	case e.answer == absent:
		return fmt.Sprintf("no module provides the package %q", e.path)
	case e.to == nil:
		return ""
	case !mayUse(importer, e.to.path):
		return fmt.Sprintf("use of internal package %q not allowed", e.path)
	case e.to.files[0].pkg == "main" && e.to.path != u.node.tests:
		return fmt.Sprintf("import %q is a program, not an importable package", e.path)
	}
	return ""
}

// mayUse says whether the rule for internal packages lets one package import another.
func mayUse(importer, name string) bool {
	parts := strings.Split(name, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == "internal" {
			_, inside := below(importer, path.Join(parts[:i]...))
			return inside
		}
	}
	return true
}

// typeProblems are the errors of the type checker that do not follow from a missing package.
func (u *unit) typeProblems(info *types.Info) (all []Problem) {
	d := u.newDoubt(info)
	leftOut := false
	for _, e := range u.errors {
		at := u.c.positions.PositionFor(e.Pos, false)
		// By contract a text that begins with a tab adds to the error before it.
		if more, isMore := strings.CutPrefix(e.Msg, "\t"); isMore {
			if last := len(all) - 1; last >= 0 && !leftOut {
				all[last].Message += "; " + oneLine(more)
				if at.Filename != all[last].Path && at.IsValid() {
					all[last].Message += " in " + at.Filename
				}
			}
			continue
		}
		if leftOut = d.covers(e); !leftOut {
			all = append(all, Problem{Path: at.Filename, Line: at.Line, Message: oneLine(e.Msg)})
		}
	}
	return all
}

// longest is how many bytes of one text of the type checker are kept; types in it may be of any length.
const longest = 400

// oneLine puts the lines of a message behind each other. Words of the source in it may hold any character.
func oneLine(text string) string {
	lines := strings.Split(shorten.Bytes(text, longest), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	text = strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
