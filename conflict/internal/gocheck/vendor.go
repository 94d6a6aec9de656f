package gocheck

import (
	"go/version"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// addVendor makes a workspace use the vendor folder of its base, if there is a list of what the folder holds.
func (v *view) addVendor(w *workspace, base string) error {
	list := path.Join(base, "vendor", "modules.txt")
	there, err := v.has(list)
	if err != nil || !there || len(w.faults) > 0 {
		return err
	}
	text, err := fs.ReadFile(v.tree.files, list)
	if err != nil {
		return err
	}
	w.vendor, w.spoken = path.Dir(list), languages(string(text))
	w.list = slices.DeleteFunc(w.list, func(m mod) bool { return !m.isMain })
	return nil
}

// languages reads from a vendor folder's list which language each package is written in.
// A line "# path version" begins a module, "## explicit; go 1.21" is about it, and the lines
// without a mark are its packages.
func languages(list string) map[string]string {
	spoken, lang := map[string]string{}, oldest
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if notes, found := strings.CutPrefix(line, "## "); found {
			for note := range strings.SplitSeq(notes, ";") {
				if number, found := strings.CutPrefix(strings.TrimSpace(note), "go "); found &&
					version.IsValid("go"+number) {
					lang = "go" + number
				}
			}
		} else if strings.HasPrefix(line, "# ") {
			lang = oldest
		} else if line != "" {
			spoken[line] = lang
		}
	}
	return spoken
}
