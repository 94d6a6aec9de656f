package notes

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLearnings is how many of this program's own, unedited sections the file keeps.
const maxLearnings = 100

// Learnings is the file of what failed before, newest first. It holds nothing open; many processes may use it at once.
type Learnings struct {
	Path string // the Markdown file; it need not exist
	Lock string // the lock file that all writers of Path use
}

// Add remembers a failure: a new section, or one more time for the section that the failure has
// already; either is then the first. Of more than a hundred unedited sections, the one seen least
// is dropped, of several the oldest.
func (l Learnings) Add(ctx context.Context, f Failure) error {
	err := file{path: l.Path, lock: l.Lock}.update(ctx, func(text []byte) []byte {
		preamble, all := sections(text)
		if len(text) == 0 {
			preamble = []byte("# Learnings\n")
		}
		return slices.Concat(apart(preamble), bytes.Join(prune(raise(all, f)), nil))
	})
	if err != nil {
		return fmt.Errorf("remember failure of %q: %w", f.Agent, err)
	}
	return nil
}

// raise puts the section of the failure first.
func raise(all [][]byte, f Failure) [][]byte {
	name := key(f.Reason)
	at := slices.IndexFunc(all, func(section []byte) bool { return heading(section) == name })
	if at < 0 {
		return slices.Insert(all, 0, write(f))
	}
	section := apart(again(all[at], f))
	return slices.Insert(slices.Delete(all, at, at+1), 0, section)
}

// prune drops what is too much.
func prune(all [][]byte) [][]byte {
	for {
		at := surplus(all)
		if at < 0 {
			return all
		}
		all = slices.Delete(all, at, at+1)
	}
}

// surplus is the section to drop, or -1; never the first, which is the one just added.
func surplus(all [][]byte) int {
	var ours []int
	for i, section := range all {
		if isSealed(section) {
			ours = append(ours, i)
		}
	}
	drop, least := -1, 0
	if len(ours) <= maxLearnings {
		return drop
	}
	for _, i := range ours {
		if seen := read(all[i]).Seen; i > 0 && (drop < 0 || seen <= least) {
			drop, least = i, seen
		}
	}
	return drop
}

// Task is work that is about to be given away.
type Task struct {
	Type  string   // STANDARD, …
	Scope []string // the globs that may be written
	Text  string   // what is to be done
}

// ForTask is what failed before in tasks like this one, newest first, at most so many: in a folder
// of its scope, below or above one, or in a task of its type that shares two words of four letters
// or more with it. A missing file has none.
func (l Learnings) ForTask(t Task, most int) ([]Learning, error) {
	text, err := file{path: l.Path}.read()
	if err != nil {
		return nil, err
	}
	var found []Learning
	_, all := sections(text)
	for _, section := range all {
		if learning := read(section); len(found) < most && t.resembles(learning) {
			found = append(found, learning)
		}
	}
	return found, nil
}

func (t Task) resembles(l Learning) bool {
	for _, a := range t.Scope {
		for _, b := range l.Scopes {
			if meet(folder(a), folder(b)) {
				return true
			}
		}
	}
	return slices.Contains(l.Types, t.Type) && shared(words(t.Text), words(l.Text)) >= 2
}

// folder is the fixed beginning of a glob, "" if it begins with a glob or means a file at the root.
func folder(glob string) string {
	fixed := glob
	if at := strings.IndexAny(glob, `*?[{\`); at >= 0 {
		fixed = glob[:at]
	}
	if strings.HasSuffix(fixed, "/") {
		return path.Clean(fixed)
	}
	if dir := path.Dir(fixed); dir != "." {
		return dir
	}
	return ""
}

// meet says whether one folder is the other or has it in it.
func meet(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

// words are the distinct words of four letters or more.
func words(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(word) >= 4 {
			all[word] = true
		}
	}
	return all
}

func shared(a, b map[string]bool) (count int) {
	for word := range a {
		if b[word] {
			count++
		}
	}
	return count
}
