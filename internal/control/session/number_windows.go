package session

import "io/fs"

// fileNumber says that the system's clock for files does not stand still.
func fileNumber(fs.FileInfo) uint64 { return 0 }
