//go:build bench

package landing

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/sys/run"
)

// upstream is a repository with the older release on main, and what the newer one changes on branches from it.
type upstream struct {
	options
	folder   string
	goal     string // the tree of the newer release
	branches []branch
	pieces   int
	shared   int // files that more than one branch changes
}

// branch is a part of the changes.
type branch struct {
	name  string
	head  string
	paths []string
}

// newUpstream makes the repository.
func newUpstream(ctx context.Context, folder string, o options) (*upstream, error) {
	u := &upstream{options: o, folder: folder}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	if _, err := u.git(ctx, "init", "--quiet"); err != nil {
		return nil, err
	}
	older, err := u.release(ctx, o.from)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.module, o.from, err)
	}
	newer, err := u.release(ctx, o.to)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.module, o.to, err)
	}
	return u, u.spread(ctx, older, newer)
}

// spread commits the older tree on main and deals out what the newer one changes in it.
func (u *upstream) spread(ctx context.Context, older, newer string) error {
	u.goal = newer
	base, err := u.git(ctx, "commit-tree", "-m", u.module+" "+u.from, older)
	if err != nil {
		return err
	}
	if _, err := u.git(ctx, "reset", "--quiet", "--hard", base); err != nil {
		return err
	}
	patch, err := u.git(ctx, "diff-tree", "-p", "--binary", "--full-index", "--no-renames", "-U3", older, newer)
	if err != nil {
		return err
	}
	return u.deal(ctx, base, split(patch))
}

// git runs git in the repository and returns what it prints, without the last line's end.
func (u *upstream) git(ctx context.Context, args ...string) (string, error) {
	out, err := run.Output(ctx, run.Command{Path: "git", Args: args, Dir: u.folder})
	return strings.TrimRight(string(out), "\n"), err
}

// release downloads one release and makes a tree of it, without the files that say what it needs:
// these would have to change together with all that needs them, and the type checker would miss
// what is not in the cache.
func (u *upstream) release(ctx context.Context, version string) (tree string, err error) {
	out, err := run.Output(ctx, run.Command{Path: "go",
		Args: []string{"mod", "download", "-json", u.module + "@" + version}, Dir: filepath.Dir(u.folder)})
	if err != nil {
		return "", err
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return "", err
	}
	if _, err := u.git(ctx, "--work-tree="+found.Dir, "add", "--all", "--force"); err != nil {
		return "", err
	}
	if _, err := u.git(ctx, "rm", "--quiet", "--cached", "--ignore-unmatch", "go.mod", "go.sum"); err != nil {
		return "", err
	}
	return u.git(ctx, "write-tree")
}

// piece is the smallest part of a patch that is dealt out: one hunk of a file, or a file that
// comes, goes or is no text.
type piece struct {
	path   string
	header string
	body   string
	whole  bool // all of the file
}

// split takes a patch apart.
func split(patch string) []piece {
	var all []piece
	for _, file := range strings.Split("\n"+patch, "\ndiff --git ")[1:] {
		header, hunks, text := strings.Cut(file, "\n@@ ")
		path := header[:strings.IndexByte(header, '\n')]
		path = path[len(path)/2+len(" b/"):] // "a/PATH b/PATH"
		header = "diff --git " + header + "\n"
		if !text || strings.Contains(header, "\nnew file mode ") || strings.Contains(header, "\ndeleted file mode ") {
			whole := piece{path: path, header: header, whole: true}
			if text {
				whole.body = "@@ " + hunks + "\n"
			}
			all = append(all, whole)
			continue
		}
		for hunk := range strings.SplitSeq(hunks, "\n@@ ") {
			all = append(all, piece{path: path, header: header, body: "@@ " + hunk + "\n"})
		}
	}
	return all
}

// deal gives each branch its part of the pieces, in the order of the patch, and commits it.
// Where a part ends inside of a file, two branches share it.
func (u *upstream) deal(ctx context.Context, base string, pieces []piece) error {
	if len(pieces) < u.options.branches {
		return fmt.Errorf("%d pieces are too few for %d branches", len(pieces), u.options.branches)
	}
	u.pieces = len(pieces)
	changed := map[string]int{}
	for i := range u.options.branches {
		part := pieces[i*len(pieces)/u.options.branches : (i+1)*len(pieces)/u.options.branches]
		b := branch{name: fmt.Sprintf("part-%02d", i+1)}
		for _, p := range part {
			if !slices.Contains(b.paths, p.path) {
				b.paths = append(b.paths, p.path)
				changed[p.path]++
			}
		}
		var err error
		if b.head, err = u.commit(ctx, base, b.name, part); err != nil {
			return fmt.Errorf("branch %q: %w", b.name, err)
		}
		if _, err := u.git(ctx, "branch", b.name, b.head); err != nil {
			return err
		}
		u.branches = append(u.branches, b)
	}
	for _, n := range changed {
		if n > 1 {
			u.shared++
		}
	}
	return nil
}

// join makes a patch of some pieces. Where hunks of the same file are left out, the others begin at
// other lines of the result than they say; git would look for their place from there, and could
// find another that looks the same.
func join(part []piece) (string, error) {
	var patch strings.Builder
	moved := 0
	for i, p := range part {
		if i == 0 || part[i-1].path != p.path {
			patch.WriteString(p.header)
			moved = 0
		}
		if p.whole {
			patch.WriteString(p.body)
			continue
		}
		at, err := parseRange(p.body)
		if err != nil {
			return "", fmt.Errorf("hunk of %q: %w", p.path, err)
		}
		_, text, _ := strings.Cut(p.body, "\n")
		fmt.Fprintf(&patch, "@@ -%d,%d +%d,%d @@\n%s", at.line, at.before, at.line+moved, at.after, text)
		moved += at.after - at.before
	}
	return patch.String(), nil
}

// lines are what a hunk replaces: so many from a line on, by so many.
type lines struct{ line, before, after int }

// parseRange reads the first line of a hunk with context, in which a length of 1 is left out.
func parseRange(hunk string) (l lines, err error) {
	header, _, _ := strings.Cut(hunk, "\n")
	words := strings.Fields(header)
	if len(words) < 4 {
		return l, fmt.Errorf("%q is no first line of a hunk", header)
	}
	if l.line, l.before, err = parseSpan(words[1][1:]); err == nil {
		_, l.after, err = parseSpan(words[2][1:])
	}
	return l, err
}

func parseSpan(text string) (line, length int, err error) {
	first, second, counted := strings.Cut(text, ",")
	length = 1
	if line, err = strconv.Atoi(first); err == nil && counted {
		length, err = strconv.Atoi(second)
	}
	return line, length, err
}

// commit is the base with some pieces. It goes through the repository's own index, which is put back.
func (u *upstream) commit(ctx context.Context, base, name string, part []piece) (string, error) {
	patch, err := join(part)
	if err != nil {
		return "", err
	}
	apply := run.Command{Path: "git", Args: []string{"apply", "--cached", "--whitespace=nowarn", "-"}, Dir: u.folder,
		Stdin: strings.NewReader(patch), Stdout: io.Discard}
	if err := run.Do(ctx, apply); err != nil {
		return "", err
	}
	tree, err := u.git(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	if _, err := u.git(ctx, "reset", "--quiet", "--hard", base); err != nil {
		return "", err
	}
	return u.git(ctx, "commit-tree", "-p", base, "-m", fmt.Sprintf("%s of %s %s", name, u.module, u.to), tree)
}

func (u *upstream) describe() {
	files := 0
	for _, b := range u.branches {
		files += len(b.paths)
	}
	fmt.Printf("%s %s to %s: %d pieces of patch on %d branches, %.1f files each, %d files shared by branches\n",
		u.module, u.from, u.to, u.pieces, len(u.branches), float64(files)/float64(len(u.branches)), u.shared)
}
