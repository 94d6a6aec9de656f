package page

import (
	"io/fs"
	"testing"

	"delegate/internal/view/report"
)

// TestAssetsAreSmall holds what a browser loads, and the templates, to what a slow network brings in a moment.
func TestAssetsAreSmall(t *testing.T) {
	const most = 300 << 10
	size := len(report.Style())
	err := fs.WalkDir(files, ".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && path != "." {
			data, _ := files.ReadFile(path) // it is embedded
			size += len(data)
		}
		return err
	})
	if err != nil || size > most || size < 10<<10 {
		t.Errorf("assets have %d bytes, at most %d: %v", size, most, err)
	}
}
