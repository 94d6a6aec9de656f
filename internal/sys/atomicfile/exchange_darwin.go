package atomicfile

import "golang.org/x/sys/unix"

const swapFlag, newFlag = unix.RENAME_SWAP, unix.RENAME_EXCL

func renameBy(from, to string, flag uint) error { return unix.RenamexNp(from, to, uint32(flag)) }
