package conflict_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"delegate/change"
	"delegate/conflict"
	"delegate/conflict/code"
	"delegate/conflict/source"
)

// entry is one file of a side.
type entry struct {
	mode uint32
	data []byte
}

type tree map[string]entry

// fixture is one case: three trees and what is to be found.
//
// In the archive the files of a tree are below base/, ours/ and theirs/.
// A file `modes` gives the modes that are not 100644, one a line: PATH MODE [binary];
// a symbolic link's content is its target, a submodule's its commit, and `binary` puts a NUL in front.
type fixture struct {
	base, ours, theirs tree
	want               string
}

func readFixture(t *testing.T, path string) fixture {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := fixture{base: tree{}, ours: tree{}, theirs: tree{}}
	trees := map[string]tree{"base": f.base, "ours": f.ours, "theirs": f.theirs}
	var modes string
	for _, file := range archive.Files {
		side, name, below := strings.Cut(file.Name, "/")
		switch {
		case below && trees[side] != nil:
			trees[side][name] = entry{change.ModeFile, file.Data}
		case file.Name == "modes":
			modes = string(file.Data)
		case file.Name == "want":
			f.want = string(file.Data)
		default:
			t.Fatalf("%s: what is %q?", path, file.Name)
		}
	}
	for line := range strings.Lines(modes) {
		words := strings.Fields(line)
		side, name, _ := strings.Cut(words[0], "/")
		e, ok := trees[side][name]
		mode, err := strconv.ParseUint(words[1], 8, 32)
		if !ok || err != nil {
			t.Fatalf("%s: mode line %q: %v", path, line, err)
		}
		e.mode = uint32(mode)
		if e.mode == change.ModeSymlink || e.mode == change.ModeSubmodule {
			e.data = bytes.TrimSuffix(e.data, []byte("\n"))
		}
		if len(words) == 3 && words[2] == "binary" {
			e.data = append([]byte{0}, e.data...)
		}
		trees[side][name] = e
	}
	return f
}

// readable reports whether this build can read the code of the case.
func (f fixture) readable() bool {
	for _, tr := range []tree{f.base, f.ours, f.theirs} {
		for path := range tr {
			switch language, support := source.LanguageOf(path); language {
			case code.Python, code.JavaScript, code.TypeScript, code.Java, code.Rust, code.C, code.CPP,
				code.CSharp, code.Ruby, code.PHP:
				if support != code.Readable {
					return false
				}
			}
		}
	}
	return true
}

// files is the tree as a file system; a submodule is an empty folder in it.
func (tr tree) files() fs.FS {
	all := fstest.MapFS{}
	for path, e := range tr {
		file := &fstest.MapFile{Data: e.data, Mode: 0o644}
		switch e.mode {
		case change.ModeSymlink:
			file.Mode |= fs.ModeSymlink
		case change.ModeSubmodule:
			file = &fstest.MapFile{Mode: 0o755 | fs.ModeDir}
		}
		all[path] = file
	}
	return all
}

// posed is a fixture as the question that it is: what each side did, and what git's own merge says of the two.
type posed struct {
	fixture
	pair conflict.Pair
}

// pose has real git work on all fixtures in one repository, with one process for each of its steps:
// a repository for each fixture takes minutes.
func pose(t *testing.T, paths []string) map[string]posed {
	t.Helper()
	r := repository{t: t, dir: t.TempDir()}
	r.git("", "init", "-q", "--bare")
	fixtures := make([]fixture, len(paths))
	for i, path := range paths {
		fixtures[i] = readFixture(t, path)
	}
	commits := r.commit(fixtures)
	changed, merged := r.changes(commits), r.merges(fixtures, commits)
	trees := r.trees(merged)
	all := map[string]posed{}
	for i, f := range fixtures {
		c, m := commits[i], merged[i]
		m.FS = trees[m.Tree].files()
		all[paths[i]] = posed{f, conflict.Pair{A: f.set("AGT-001", c, 1, changed[c[1]]),
			B: f.set("AGT-002", c, 2, changed[c[2]]), Merge: m}}
	}
	return all
}

// repository is a real one with the commits of fixtures.
type repository struct {
	t   *testing.T
	dir string
}

// git runs a command and returns its output; the exit status 1 of a conflicted merge is no failure.
func (r repository) git(input string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		r.t.Fatalf("git %q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// commit makes the commits of the fixtures: base, ours and theirs of each.
func (r repository) commit(fixtures []fixture) [][3]string {
	r.t.Helper()
	var in, marks bytes.Buffer
	for i, f := range fixtures {
		for side, tr := range []tree{f.base, f.ours, f.theirs} {
			base := 3*i + 1
			fmt.Fprintf(&in, "commit refs/heads/c%d\nmark :%d\ncommitter T <t@example.org> 0 +0000\ndata 0\n",
				base+side, base+side)
			if side > 0 {
				fmt.Fprintf(&in, "from :%d\n", base)
			}
			in.WriteString("deleteall\n")
			for path, e := range tr {
				if e.mode == change.ModeSubmodule {
					fmt.Fprintf(&in, "M %o %s %s\n", e.mode, e.data, path)
					continue
				}
				fmt.Fprintf(&in, "M %o inline %s\ndata %d\n%s\n", e.mode, path, len(e.data), e.data)
			}
			fmt.Fprintf(&marks, "get-mark :%d\n", base+side)
		}
	}
	ids := strings.Fields(r.git(in.String()+marks.String(), "fast-import", "--quiet"))
	if len(ids) != 3*len(fixtures) {
		r.t.Fatalf("%d commits of %d fixtures", len(ids), len(fixtures))
	}
	commits := make([][3]string, len(fixtures))
	for i := range commits {
		copy(commits[i][:], ids[3*i:])
	}
	return commits
}

// changes is what git lists between each side and its base, by the side's commit.
func (r repository) changes(commits [][3]string) map[string][]change.File {
	r.t.Helper()
	var in strings.Builder
	for _, c := range commits {
		fmt.Fprintf(&in, "%s %s\n%s %s\n", c[1], c[0], c[2], c[0])
	}
	raw := strings.Split(r.git(in.String(), "diff-tree", "--stdin", "-r", "-z", "-M"), "\x00")
	all, head, again := map[string][]change.File{}, "", false
	for i := 0; i+1 < len(raw); i++ {
		if !strings.HasPrefix(raw[i], ":") {
			head = raw[i]
			_, again = all[head] // two sides are one commit
			continue
		}
		f := rawFile(r.t, raw[i], raw[i+1])
		i++
		if f.Kind == change.Renamed {
			i++
			f.OldPath, f.Path = f.Path, raw[i]
		}
		if !again {
			all[head] = append(all[head], f)
		}
	}
	return all
}

func rawFile(t *testing.T, record, path string) change.File {
	t.Helper()
	f := change.File{Path: path}
	var status string
	if _, err := fmt.Sscanf(record, ":%o %o %s %s %s", &f.OldMode, &f.NewMode, &f.OldID, &f.NewID,
		&status); err != nil {
		t.Fatalf("diff-tree record %q: %v", record, err)
	}
	kinds := map[byte]change.Kind{'A': change.Added, 'M': change.Modified, 'D': change.Deleted, 'R': change.Renamed,
		'T': change.TypeChanged}
	f.Kind = kinds[status[0]]
	if f.Kind == change.Modified && f.OldID == f.NewID {
		f.Kind = change.ModeChanged
	}
	return f
}

// set is what a side, 1 or 2, changed of the base.
func (f fixture) set(name string, commits [3]string, side int, changed []change.File) change.Set {
	head := []tree{f.base, f.ours, f.theirs}[side]
	s := change.Set{Name: name, Base: commits[0], Head: commits[side], BaseFS: f.base.files(), HeadFS: head.files(),
		Files: slices.Clone(changed)}
	for i := range s.Files {
		file := &s.Files[i]
		old, new := f.base[file.BasePath()].data, head[file.Path].data
		file.Binary = change.IsBinary(old) || change.IsBinary(new)
		file.Insertions, file.Deletions = change.Count(old, new)
	}
	slices.SortFunc(s.Files, func(a, b change.File) int { return strings.Compare(a.Path, b.Path) })
	return s
}

// merges is what git's own merge says of the sides of each fixture, without the trees' files.
func (r repository) merges(fixtures []fixture, commits [][3]string) []conflict.Merge {
	r.t.Helper()
	var in strings.Builder
	for i, c := range commits {
		if !fixtures[i].hasSubmodule() {
			fmt.Fprintf(&in, "%s %s\n", c[1], c[2])
		}
	}
	out := strings.Split(r.git(in.String(), "merge-tree", "--write-tree", "--stdin"), "\x00")
	all := make([]conflict.Merge, len(commits))
	for i, c := range commits {
		if fixtures[i].hasSubmodule() { // of which git says more than records
			all[i], _ = parseMerge(r.t, strings.Split(r.git("", "merge-tree", "--write-tree", "-z", c[1], c[2]),
				"\x00"))
			continue
		}
		if out[0] == "1" {
			all[i], out = conflict.Merge{Clean: true, Tree: out[1]}, out[3:]
			continue
		}
		all[i], out = parseMerge(r.t, out[1:])
	}
	return all
}

func (f fixture) hasSubmodule() bool {
	for _, tr := range []tree{f.base, f.ours, f.theirs} {
		for _, e := range tr {
			if e.mode == change.ModeSubmodule {
				return true
			}
		}
	}
	return false
}

// parseMerge reads one merge that is not clean, or the only one: one conflict a message, at each
// path it names. The rest is what comes behind it.
func parseMerge(t *testing.T, out []string) (m conflict.Merge, rest []string) {
	t.Helper()
	m = conflict.Merge{Clean: true, Tree: out[0]}
	i := 1 + slices.Index(out[1:], "") // behind the stages of files
	for i++; i < len(out) && out[i] != ""; {
		count, err := strconv.Atoi(out[i])
		if err != nil {
			// After a conflict in a submodule git adds a paragraph of advice to the records.
			break
		}
		paths := out[i+1 : i+1+count]
		kind, message := out[i+1+count], strings.TrimSpace(out[i+2+count])
		i += count + 3
		if !strings.HasPrefix(kind, "CONFLICT") {
			continue
		}
		m.Clean = false
		for _, path := range paths {
			m.Conflicts = append(m.Conflicts, conflict.PathConflict{Path: path, Kind: kind, Message: message})
		}
	}
	return m, out[min(i+1, len(out)):]
}

// trees reads the trees of merges, by their ids: a level of folders at a time.
func (r repository) trees(merged []conflict.Merge) map[string]tree {
	r.t.Helper()
	objects := map[string][]byte{}
	for {
		all, missing := map[string]tree{}, map[string]bool{}
		for _, m := range merged {
			all[m.Tree] = tree{}
			walk(objects, missing, m.Tree, func(name string, e entry) { all[m.Tree][name] = e })
		}
		if len(missing) == 0 {
			return all
		}
		rest := r.git(strings.Join(slices.Collect(maps.Keys(missing)), "\n")+"\n", "cat-file", "--batch")
		for rest != "" {
			var id, kind string
			var size int
			head, body, _ := strings.Cut(rest, "\n")
			if _, err := fmt.Sscanf(head, "%s %s %d", &id, &kind, &size); err != nil {
				r.t.Fatalf("cat-file record %q: %v", head, err)
			}
			objects[id], rest = []byte(body[:size]), body[size+1:]
		}
	}
}

// walk calls add with each file below a tree, and notes the objects that it would have to look at
// and that are not there.
func walk(objects map[string][]byte, missing map[string]bool, id string, add func(string, entry)) {
	data, found := objects[id]
	if !found {
		missing[id] = true
	}
	for len(data) > 0 {
		head, rest, _ := bytes.Cut(data, []byte{0})
		octal, name, _ := strings.Cut(string(head), " ")
		number, _ := strconv.ParseUint(octal, 8, 32)
		mode := uint32(number)
		e, below := entry{mode: mode}, hex.EncodeToString(rest[:20])
		data = rest[20:]
		switch {
		case mode == 0o40000:
			walk(objects, missing, below, func(inner string, e entry) { add(name+"/"+inner, e) })
			continue
		case mode != change.ModeSubmodule:
			if e.data, found = objects[below]; !found {
				missing[below] = true
			}
		}
		add(name, e)
	}
}
