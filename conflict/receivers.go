package conflict

import (
	"slices"

	"delegate/conflict/code"
)

// refused reports whether a call of a method, on a value as its file holds it, needs more of the value than it may take
// since the edit. A value that is copied when it is given away lets itself be taken from everywhere.
func (c *Direction) refused(e Edit, u Use, left []code.Definition) bool {
	if slices.ContainsFunc(left, func(d code.Definition) bool { return d.Receiver == e.Old.Receiver }) {
		return false
	}
	switch e.New.Receiver {
	case "", "&mut self":
		return u.Ref.Held == code.Shared || u.Ref.Held == code.Fixed
	case "self":
		return (u.Ref.Held == code.Shared || u.Ref.Held == code.Exclusive) && !isCopied(e.to.New, e.New.Container)
	}
	return false
}

// receiving says what became of how a method takes its value.
func (e Edit) receiving(method string) string {
	switch {
	case e.New.Receiver == "":
		return "makes " + method + " no longer " + e.Old.Receiver
	case e.Old.Receiver == "":
		return "makes " + method + " " + e.New.Receiver
	}
	return "lets " + method + " take " + e.New.Receiver + " in place of " + e.Old.Receiver
}

// isCopied reports whether values of a type of Rust are copied where others are given away.
func isCopied(f *code.File, typ string) bool {
	return slices.ContainsFunc(f.Definitions, func(d code.Definition) bool {
		return d.Container == typ && d.Name == "Copy" || d.Key() == typ && slices.Contains(d.Bases, "Copy")
	})
}
