package conflict_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/syntax"

	"github.com/rogpeppe/go-internal/txtar"
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

// needReaders skips a case with code that only a build with a C compiler can read.
func (f fixture) needReaders(t *testing.T) {
	t.Helper()
	for _, tr := range []tree{f.base, f.ours, f.theirs} {
		for path := range tr {
			switch language, support := syntax.LanguageOf(path); language {
			case syntax.Python, syntax.JavaScript, syntax.TypeScript, syntax.Java, syntax.Rust, syntax.C, syntax.CPP, syntax.CSharp, syntax.Ruby, syntax.PHP:
				if support != syntax.Readable {
					t.Skipf("needs a build with a C compiler to read %s", language)
				}
			}
		}
	}
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

// repository is a real one with the three commits of a fixture.
type repository struct {
	t                  *testing.T
	dir                string
	base, ours, theirs string
}

func newRepository(t *testing.T, f fixture) repository {
	t.Helper()
	r := repository{t: t, dir: t.TempDir()}
	r.git("", "init", "-q", "--bare")
	var in bytes.Buffer
	for mark, tr := range []tree{f.base, f.ours, f.theirs} {
		fmt.Fprintf(&in, "commit refs/heads/side%d\nmark :%d\ncommitter T <t@example.org> 0 +0000\ndata 0\n", mark, mark+1)
		if mark > 0 {
			in.WriteString("from :1\n")
		}
		in.WriteString("deleteall\n")
		for path, e := range tr {
			if e.mode == change.ModeSubmodule {
				fmt.Fprintf(&in, "M %o %s %s\n", e.mode, e.data, path)
				continue
			}
			fmt.Fprintf(&in, "M %o inline %s\ndata %d\n%s\n", e.mode, path, len(e.data), e.data)
		}
	}
	r.git(in.String(), "fast-import", "--quiet")
	ids := strings.Fields(r.git("", "rev-parse", "side0", "side1", "side2"))
	r.base, r.ours, r.theirs = ids[0], ids[1], ids[2]
	return r
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

// set is what changed from the base to a side.
func (r repository) set(name, head string, base, side tree) change.Set {
	s := change.Set{Name: name, Base: r.base, Head: head, BaseFS: base.files(), HeadFS: side.files()}
	raw := strings.Split(r.git("", "diff-tree", "-r", "-z", "-M", "--no-commit-id", r.base, head), "\x00")
	for i := 0; i+1 < len(raw); i += 2 {
		f := rawFile(r.t, raw[i], raw[i+1])
		if f.Kind == change.Renamed {
			i++
			f.OldPath, f.Path = f.Path, raw[i+1]
		}
		old, new := base[f.BasePath()].data, side[f.Path].data
		f.Binary = change.IsBinary(old) || change.IsBinary(new)
		f.Insertions, f.Deletions = change.Count(old, new)
		s.Files = append(s.Files, f)
	}
	slices.SortFunc(s.Files, func(a, b change.File) int { return strings.Compare(a.Path, b.Path) })
	return s
}

func rawFile(t *testing.T, record, path string) change.File {
	t.Helper()
	f := change.File{Path: path}
	var status string
	if _, err := fmt.Sscanf(record, ":%o %o %s %s %s", &f.OldMode, &f.NewMode, &f.OldID, &f.NewID, &status); err != nil {
		t.Fatalf("diff-tree record %q: %v", record, err)
	}
	kinds := map[byte]change.Kind{'A': change.Added, 'M': change.Modified, 'D': change.Deleted, 'R': change.Renamed, 'T': change.TypeChanged}
	f.Kind = kinds[status[0]]
	if f.Kind == change.Modified && f.OldID == f.NewID {
		f.Kind = change.ModeChanged
	}
	return f
}

// files reads a tree of the repository.
func (r repository) files(id string) fs.FS {
	tr := tree{}
	for _, record := range strings.Split(strings.TrimSuffix(r.git("", "ls-tree", "-r", "-z", id), "\x00"), "\x00") {
		meta, path, _ := strings.Cut(record, "\t")
		var e entry
		var kind, object string
		if _, err := fmt.Sscanf(meta, "%o %s %s", &e.mode, &kind, &object); err != nil {
			continue // an empty tree
		}
		if kind == "blob" {
			e.data = []byte(r.git("", "cat-file", "blob", object))
		}
		tr[path] = e
	}
	return tr.files()
}

// merge is what git's own merge says of the two sides: one conflict a message, at the first path it names.
func (r repository) merge() conflict.Merge {
	out := strings.Split(r.git("", "merge-tree", "--write-tree", "-z", r.ours, r.theirs), "\x00")
	m := conflict.Merge{Clean: true, Tree: out[0], FS: r.files(out[0])}
	stages := map[string]*conflict.PathConflict{}
	i := 1
	for ; out[i] != ""; i++ {
		var mode uint32
		var id string
		var stage int
		meta, path, _ := strings.Cut(out[i], "\t")
		if _, err := fmt.Sscanf(meta, "%o %s %d", &mode, &id, &stage); err != nil {
			r.t.Fatalf("merge-tree record %q: %v", out[i], err)
		}
		if stages[path] == nil {
			stages[path] = &conflict.PathConflict{}
		}
		stages[path].Modes[stage-1], stages[path].IDs[stage-1] = mode, id
	}
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
			c := conflict.PathConflict{Path: path, Kind: kind, Message: message}
			if s := stages[path]; s != nil {
				c.Modes, c.IDs = s.Modes, s.IDs
			}
			m.Conflicts = append(m.Conflicts, c)
		}
	}
	return m
}
