//go:build !linux && !darwin

package atomicfile

const swapFlag, newFlag = 0, 0

func renameBy(_, _ string, _ uint) error { return errNoExchange }
