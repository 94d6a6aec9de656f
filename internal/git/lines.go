package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"delegate/change"
	"delegate/internal/atomicfile"
)

// Versions are two versions of one file, by their ids.
type Versions struct{ Old, New string }

// LineChanges are the lines that differ between two versions of texts, by the algorithm and with the settings of git's
// merges. It has none of those that are no texts, or where a line without an end is near a change. The two are not the
// same, or git has no answer to end with.
// What is compared comes as trees whose names are numbers, since paths are an agent's words. They are written, so this
// is for a quarantine.
func (r *Repo) LineChanges(ctx context.Context, all []Versions) (map[Versions][]change.Hunk, error) {
	if len(all) == 0 {
		return nil, nil
	}
	found, err := r.lineChanges(ctx, all)
	return found, wrap(err, "compare the lines of %d files", len(all))
}

func (r *Repo) lineChanges(ctx context.Context, all []Versions) (map[Versions][]change.Hunk, error) {
	var before, after strings.Builder
	for i, v := range all {
		if !isFullID(v.Old) || !isFullID(v.New) || v.Old == v.New {
			return nil, fmt.Errorf("%q and %q: %w", v.Old, v.New, ErrNoObject)
		}
		fmt.Fprintf(&before, "100644 blob %s\t%d\n", v.Old, i)
		fmt.Fprintf(&after, "100644 blob %s\t%d\n", v.New, i)
	}
	fmt.Fprintf(&before, "100644 blob %s\t%s\n", all[0].Old, lastName)
	fmt.Fprintf(&after, "100644 blob %s\t%s\n", all[0].New, lastName)
	c := call{args: []string{"mktree", "--batch"}, stdin: strings.NewReader(before.String() + "\n" + after.String())}
	trees, err := r.ids(ctx, c)
	if err == nil && len(trees) != 2 {
		err = odd(c.args, strings.Join(trees, " "))
	}
	if err != nil {
		return nil, err
	}
	out, err := r.do(ctx, call{args: append(lineDiff(), trees...), env: []string{"GIT_ATTR_NOSYSTEM=1"}, reads: true,
		limit: workLimit})
	if err != nil {
		return nil, err
	}
	p := patch{Reader: bufio.NewReader(bytes.NewReader(out)), all: all, found: map[Versions][]change.Hunk{},
		odd: map[Versions]bool{}}
	if err = p.read(); err == nil && !p.ended {
		err = odd(lineDiff(), string(out))
	}
	for v := range p.odd {
		delete(p.found, v)
	}
	return p.found, err
}

// lineDiff is the comparison of trees by lines, as a merge makes it, the same whatever the configuration says. It has a
// line of context: without any, git leaves out what both end with before it compares, and in a merge it does not.
func lineDiff() []string {
	return []string{"-c", "diff.suppressBlankEmpty=false", "-c", "core.attributesFile=" + os.DevNull, "diff-tree", "-p",
		"-U1", "--inter-hunk-context=0", "--histogram", "--no-indent-heuristic", "--no-renames", "--no-color",
		"--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"}
}

// patch is git's comparison of two trees whose names are the numbers of versions.
type patch struct {
	*bufio.Reader
	all   []Versions
	found map[Versions][]change.Hunk
	odd   map[Versions]bool // a line has no end
	of    Versions          // whose lines come
	ended bool              // the last name came
}

// lastName comes behind all numbers, with the versions of the first: an answer without it is cut off.
const lastName = "z"

// read reads to the end.
func (p *patch) read() error {
	for {
		line, err := p.ReadString('\n')
		switch {
		case errors.Is(err, io.EOF) && line == "":
			return nil
		case err != nil:
			return err
		case strings.HasPrefix(line, "diff --git "):
			name := strings.TrimSuffix(line[strings.LastIndexByte(line, '/')+1:], "\n")
			if name == lastName {
				p.ended = true
				return nil
			}
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(p.all) {
				return fmt.Errorf("git diff-tree line %q", line)
			}
			p.of = p.all[n]
		case strings.HasPrefix(line, "@@ "):
			if err := p.hunk(line); err != nil {
				return err
			}
		case strings.HasPrefix(line, `\`):
			p.odd[p.of] = true
		}
	}
}

// hunk reads the lines behind the head of a hunk.
func (p *patch) hunk(head string) error {
	left, err := parseHunk(head)
	at := change.Hunk{OldStart: left.OldStart, NewStart: left.NewStart}
	for err == nil && (left.OldLines > 0 || left.NewLines > 0) {
		var line string
		if line, err = p.ReadString('\n'); err != nil {
			break
		}
		switch line[0] {
		case '-':
			at.OldLines, left.OldLines = at.OldLines+1, left.OldLines-1
		case '+':
			at.NewLines, left.NewLines = at.NewLines+1, left.NewLines-1
		case ' ':
			p.add(at)
			at = change.Hunk{OldStart: at.OldStart + at.OldLines + 1, NewStart: at.NewStart + at.NewLines + 1}
			left.OldLines, left.NewLines = left.OldLines-1, left.NewLines-1
		case '\\':
			p.odd[p.of] = true
		default:
			err = fmt.Errorf("git diff-tree line %q", line)
		}
	}
	p.add(at)
	return err
}

func (p *patch) add(h change.Hunk) {
	if h.OldLines > 0 || h.NewLines > 0 {
		p.found[p.of] = append(p.found[p.of], h)
	}
}

// parseHunk reads a line such as "@@ -3 +3,2 @@": where the hunk begins on each side, and how many lines it has there.
func parseHunk(head string) (h change.Hunk, err error) {
	words := strings.Fields(head)
	if len(words) < 4 {
		return h, fmt.Errorf("git diff-tree line %q", head)
	}
	old, oldErr := parseRange(words[1], "-")
	now, newErr := parseRange(words[2], "+")
	if err = errors.Join(oldErr, newErr); err != nil {
		return h, fmt.Errorf("git diff-tree line %q: %w", head, err)
	}
	return change.Hunk{OldStart: old[0], OldLines: old[1], NewStart: now[0], NewLines: now[1]}, nil
}

// parseRange reads one side, such as "-3" or "+3,2". Where it has no lines, git names the line before.
func parseRange(word, sign string) (r [2]int, err error) {
	start, lines, counted := strings.Cut(strings.TrimPrefix(word, sign), ",")
	if r[0], err = strconv.Atoi(start); err != nil {
		return r, err
	}
	if r[1] = 1; counted {
		r[1], err = strconv.Atoi(lines)
	}
	if r[1] == 0 {
		r[0]++
	}
	return r, err
}

// mostOfAttributes is the size up to which a file of attributes is read.
const mostOfAttributes = 1 << 20

// MergesLines says that git merges the lines of files as it does by itself: neither attributes that a merge here reads
// nor settings have it merge in another way. False says only that git knows better.
func (r *Repo) MergesLines(ctx context.Context, paths []string) bool {
	if r.Worktree == r.CommonDir { // a bare repository, whose attributes are committed
		return false
	}
	set, err := r.matching(ctx, `^(merge\.default|attr\.tree|diff\.algorithm)$`)
	if err != nil || len(set) > 0 {
		return false
	}
	if slices.ContainsFunc(paths, func(name string) bool { return !fs.ValidPath(name) }) {
		return false
	}
	return !slices.ContainsFunc(r.attributesOf(paths), func(file string) bool {
		return mayHave(file, "merge", "diff", "binary", "[attr]")
	})
}

// attributesOf are the files by which these files of the checkout have attributes; those of the person are not listed.
func (r *Repo) attributesOf(paths []string) []string {
	folders := map[string]bool{}
	for _, name := range paths {
		for dir := path.Dir(name); !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	files := []string{filepath.Join(r.CommonDir, "info", "attributes")}
	for dir := range folders {
		files = append(files, filepath.Join(r.Worktree, filepath.FromSlash(dir), ".gitattributes"))
	}
	return files
}

// mayHave reports whether one of the words may be in a file of attributes.
func mayHave(file string, words ...string) bool {
	data, err := atomicfile.ReadRegular(file, mostOfAttributes)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false
	}
	return err != nil || slices.ContainsFunc(words, func(word string) bool {
		return bytes.Contains(data, []byte(word))
	})
}
