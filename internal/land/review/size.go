package review

import (
	"fmt"
	"io/fs"

	"delegate/change"
)

// sizes says what a repository keeps for good and nobody can read in a diff, what was too large to
// be looked into, and what can be run now.
func sizes(w *work) ([]Remark, error) {
	var remarks []Remark
	suggest := func(f change.File, text string) {
		remarks = append(remarks, Remark{Severity: Suggestion, Path: f.Path, Text: text})
	}
	for _, f := range w.Changes {
		if f.NewMode == change.ModeExecutable && f.OldMode != change.ModeExecutable {
			suggest(f, "can be executed, which it could not before")
		}
		if f.NewMode == 0 || f.NewMode == change.ModeSubmodule || f.NewID != "" && f.NewID == f.OldID {
			continue
		}
		if !fs.ValidPath(f.Path) {
			remarks = append(remarks, Remark{Severity: Warning, Path: f.Path,
				Text: "has a name that is not UTF-8, and was not looked into"})
			continue
		}
		info, err := fs.Stat(w.After, f.Path)
		if err != nil {
			return nil, fmt.Errorf("size of %q: %w", f.Path, err)
		}
		large := info.Size() > largest
		switch {
		case f.Kind == change.Added && f.Binary:
			suggest(f, fmt.Sprintf("a new binary file of %s", bytesOf(info.Size())))
		case f.Kind == change.Added && large:
			suggest(f, fmt.Sprintf("a new file of %s, too large to be scanned for secrets", bytesOf(info.Size())))
		case f.Binary:
			suggest(f, "a binary file, whose change no diff shows")
		case large:
			suggest(f, fmt.Sprintf("%s, too large to be scanned for secrets", bytesOf(info.Size())))
		}
	}
	return remarks, nil
}

func bytesOf(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
