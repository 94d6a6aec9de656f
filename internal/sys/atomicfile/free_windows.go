//go:build windows

package atomicfile

import "golang.org/x/sys/windows"

// Free is how many bytes an ordinary user can still write on the disk that holds the path.
func Free(path string) (int64, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	var bytes uint64
	if err := windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil); err != nil {
		return 0, err
	}
	return int64(bytes), nil
}
