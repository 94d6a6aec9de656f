package conflict

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"delegate/change"
)

// silentMerges reports what git merges without a word although the two changes meet:
// a new file in a folder that the other side cleared away, and rules for files that the other side touches.
func (p Pair) silentMerges() ([]Finding, error) {
	var found []Finding
	for _, way := range [][2]change.Set{{p.A, p.B}, {p.B, p.A}} {
		found = append(found, p.addedToClearedFolder(way[0], way[1])...)
		rules, err := p.changedAttributes(way[0], way[1])
		if err != nil {
			return nil, err
		}
		found = append(found, rules...)
	}
	return found, nil
}

// silentMerge is a finding about a file of each side.
func (p Pair) silentMerge(by, user Place, format string, values ...any) Finding {
	f := p.finding(Warning, Suspected, nil, nil)
	f.Message, f.Advice, f.Places = fmt.Sprintf(format, values...), p.adviceToRead(), []Place{by, user}
	return f
}

// addedToClearedFolder reports the first new file of the user in each folder that the other side cleared away.
func (p Pair) addedToClearedFolder(by, user change.Set) []Finding {
	cleared := map[string]change.File{}
	for _, f := range by.Files {
		if f.Kind == change.Deleted || f.Kind == change.Renamed {
			for dir := path.Dir(f.BasePath()); dir != "."; dir = path.Dir(dir) {
				if _, known := cleared[dir]; !known {
					cleared[dir] = f
				}
			}
		}
	}
	if len(cleared) == 0 || by.HeadFS == nil {
		return nil
	}
	var found []Finding
	for _, f := range user.Files {
		gone, ok := cleared[path.Dir(f.Path)]
		if f.Kind != change.Added || !ok || p.merged.conflicted[f.Path] {
			continue
		}
		dir := path.Dir(f.Path)
		delete(cleared, dir)
		if _, err := fs.Stat(by.HeadFS, dir); err == nil {
			continue
		}
		found = append(found, p.silentMerge(Place{Agent: by.Name, Path: gone.Path},
			Place{Agent: user.Name, Path: f.Path},
			"%s leaves nothing in the folder %s, and %s adds %s to it; git keeps the new file there alone.", by.Name,
			quoted(dir), user.Name, quoted(f.Path)))
	}
	return found
}

// changedAttributes reports a .gitattributes of one side whose changed lines are for files that the other side touches:
// what git does with such a file depends on who is merged first.
func (p Pair) changedAttributes(by, user change.Set) ([]Finding, error) {
	var found []Finding
	for _, f := range by.Files {
		if path.Base(f.Path) != ".gitattributes" || f.Kind == change.Renamed {
			continue
		}
		old, _, oldErr := text(by.Name, by.BaseFS, f.Path, f.OldMode)
		new, _, newErr := text(by.Name, by.HeadFS, f.Path, f.NewMode)
		if err := errors.Join(oldErr, newErr); err != nil {
			return nil, err
		}
		patterns := changedPatterns(old, new)
		for _, o := range user.Files {
			if inside, ok := relative(path.Dir(f.Path), o.Path); ok && path.Base(o.Path) != ".gitattributes" &&
				matchesPattern(patterns, inside) {
				found = append(found, p.silentMerge(Place{Agent: by.Name, Path: f.Path},
					Place{Agent: user.Name, Path: o.Path},
					"%s changes the attributes that %s gives to %s, which %s changes.", by.Name, quoted(f.Path),
					quoted(o.Path), user.Name))
				break
			}
		}
	}
	return found, nil
}

// changedPatterns are the patterns of lines that only one version has.
func changedPatterns(old, new []byte) []string {
	before, after := lineSet(old), lineSet(new)
	var patterns []string
	for _, lines := range []map[string]bool{before, after} {
		for line := range lines {
			fields := strings.Fields(line)
			if before[line] != after[line] && len(fields) > 1 && !strings.HasPrefix(line, "#") {
				patterns = append(patterns, fields[0])
			}
		}
	}
	return patterns
}

func lineSet(data []byte) map[string]bool {
	set := map[string]bool{}
	for line := range bytes.Lines(data) {
		set[strings.TrimSpace(string(line))] = true
	}
	return set
}

func relative(dir, name string) (string, bool) {
	if dir == "." {
		return name, true
	}
	return strings.CutPrefix(name, dir+"/")
}

// matchesPattern reports whether a pattern is for the file, as git reads patterns: one without a slash is
// for names in any folder.
func matchesPattern(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		subject := name
		if !strings.Contains(strings.Trim(pattern, "/"), "/") && !strings.HasPrefix(pattern, "/") {
			subject = path.Base(name)
		}
		pattern = strings.TrimPrefix(pattern, "/")
		if folder, ok := strings.CutSuffix(pattern, "/**"); ok {
			return strings.HasPrefix(name, folder+"/")
		}
		matched, err := path.Match(strings.TrimPrefix(pattern, "**/"), subject)
		return err == nil && matched
	})
}

// isPointer tells the stand-in that Git LFS puts in place of a large file.
func isPointer(data []byte) bool {
	return bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/"))
}
