package conflict

import (
	"slices"

	"delegate/conflict/code"
)

// newlyThrown are the checked exceptions that a method declares and did not before, nor by what they are made from.
func newlyThrown(e Edit) []string {
	return slices.DeleteFunc(slices.Clone(e.New.Throws), func(name string) bool {
		last := lastOf(name)
		return unchecked(last) || slices.ContainsFunc(e.Old.Throws, func(o string) bool {
			return lastOf(o) == last || takesAllExceptions(lastOf(o))
		})
	})
}

// unchecked reports whether an exception of Java's own library need not be declared or caught.
func unchecked(name string) bool {
	switch name {
	case "RuntimeException", "IllegalArgumentException", "IllegalStateException", "NullPointerException",
		"UnsupportedOperationException",
		"IndexOutOfBoundsException", "NumberFormatException", "ClassCastException", "ArithmeticException",
		"UncheckedIOException",
		"NoSuchElementException", "ConcurrentModificationException", "DateTimeException", "SecurityException", "Error",
		"AssertionError":
		return true
	}
	return false
}

func takesAllExceptions(name string) bool { return name == "Exception" || name == "Throwable" }

// prepared reports whether the code around a call names an exception that covers all that the edit lets through:
// it catches it, or declares it in turn. Those that are made from a RuntimeException need neither.
func (c *Direction) prepared(u Use, e Edit) bool {
	return !slices.ContainsFunc(newlyThrown(e), func(name string) bool {
		last := lastOf(name)
		return !c.inherits(last, "RuntimeException") &&
			(u.Ref.Contained || !slices.ContainsFunc(u.from.refs, func(r code.Reference) bool {
				return r.In == u.Ref.In && (r.Name == last || takesAllExceptions(r.Name) || c.inherits(last, r.Name))
			}))
	})
}
