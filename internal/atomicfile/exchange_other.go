//go:build !linux && !darwin

package atomicfile

func exchange(_, _ string) error { return errNoExchange }

func renameNew(from, to string) error { return linkNew(from, to) }
