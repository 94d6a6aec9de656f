package setup

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
)

// mostEntries bounds how many files are counted: a size is for a decision, and half a million files decide it.
const mostEntries = 500_000

// Size is how much a file or folder takes, as far as it was counted.
type Size struct {
	Bytes int64 `json:"bytes"`
	Files int   `json:"files"`
	More  bool  `json:"more"` // there is more that was not counted
}

func (s Size) plus(o Size) Size { return Size{s.Bytes + o.Bytes, s.Files + o.Files, s.More || o.More} }

// String is for people: "212 MB, 31000 files".
func (s Size) String() string {
	text := Bytes(s.Bytes)
	if s.Files > 1 {
		text += fmt.Sprintf(", %d files", s.Files)
	}
	if s.More {
		text = "more than " + text
	}
	return text
}

// Bytes writes a number of bytes for people, in powers of a thousand.
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	value, unit := float64(n)/1000, 0
	units := []string{"kB", "MB", "GB", "TB", "PB", "EB"}
	for value >= 999.5 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %s", value, units[unit])
	}
	return fmt.Sprintf("%.0f %s", value, units[unit])
}

// Measure adds up the files at and below a path. It follows no link, and what cannot be read counts as More.
// The error is that ctx ended.
func Measure(ctx context.Context, path string) (Size, error) {
	var s Size
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			s.More = true
			return nil
		}
		if s.Files >= mostEntries {
			s.More = true
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			s.Bytes, s.Files = s.Bytes+info.Size(), s.Files+1
		}
		return nil
	})
	return s, err
}
