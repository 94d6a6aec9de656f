//go:build windows

package atomicfile

// SyncFolder does nothing: Windows offers no way to sync a folder.
func syncFolder(string) error { return nil }
