//go:build !windows

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// tracing is strace with a file for what a process, and all that it starts, does to files. It is
// told which process, or which command.
func tracing(file string, which ...string) *exec.Cmd {
	const calls = "execve,?chdir,?open,openat,?creat,write,pwrite64,writev,copy_file_range,sendfile,ftruncate," +
		"?truncate,?rename,?renameat,renameat2,?link,linkat,?symlink,symlinkat,?unlink,unlinkat,?mkdir,mkdirat,fsync," +
		"fdatasync,syncfs,sync,sync_file_range"
	args := []string{"-f", "-y", "-qq", "-s", "1000000", "-e", "signal=none", "-e", "trace=" + calls, "-o", file}
	return exec.Command("strace", append(args, which...)...)
}

// traced runs a command to its end with a trace: traced FILE COMMAND…
func traced(args []string) error {
	cmd := tracing(args[0], append([]string{"--seccomp-bpf", "--"}, args[1:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

// supervised begins a trace of the supervisor: supervised FILE. It is another one, and the tracer ends with it.
func supervised(args []string) error {
	if err := killSupervisor(nil); err != nil {
		return err
	}
	// has no stream of this process, which somebody waits for
	cmd := tracing(args[0], "--seccomp-bpf", "--", "delegate", "resume")
	if err := cmd.Start(); err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		_, err := supervisor()
		if err == nil {
			return cmd.Process.Release()
		}
		if time.Now().After(deadline) {
			return errors.Join(err, cmd.Process.Kill())
		}
	}
}

// whyNotTraced says why no process can be traced here, "" if it can.
func whyNotTraced() string {
	if out, err := exec.Command("strace", "-f", "-qq", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		return fmt.Sprintf("strace: %v %s", err, out)
	}
	return ""
}

// synced holds a trace against what a row of the registry promises: synced FILE ROW, in the
// repository's folder. It waits for the row.
func synced(args []string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	d := newDisk(root)
	if d.named, err = namedObjects(root); err != nil {
		return err
	}
	return d.hold(file, args[1])
}

// namedObjects are the files of objects that a reference leads to, and their folders, but for the references of looks
// that somebody takes meanwhile: nobody misses what only these lead to.
func namedObjects(root string) (map[string]bool, error) {
	cmd := exec.Command("git", "rev-list", "--objects", "--no-object-names", "--exclude=refs/delegate/**/look", "--all")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list objects: %w", err)
	}
	named := map[string]bool{}
	for id := range strings.FieldsSeq(string(out)) {
		folder := filepath.Join(root, ".git", "objects", id[:2])
		named[folder], named[filepath.Join(folder, id[2:])] = true, true
	}
	return named, nil
}

// disk is what a power cut would leave of a repository, as far as the calls that were traced tell.
type disk struct {
	root  string
	files map[string]*fileState
	lines map[string]string // by process: the beginning of a call that another one interrupted
	cwd   map[string]string // by process
	alien map[string]bool   // processes that run a git which this program did not start
	named map[string]bool   // objects in files of their own that count, with their folders; nil for all
	found []string          // what is wrong
}

// fileState is what of a file is not on the disk.
type fileState struct {
	content, name bool
	out           bool   // the content is on its way, as by the first half of a batch
	text          string // of a registry
}

func newDisk(root string) *disk {
	return &disk{root: root, files: map[string]*fileState{}, lines: map[string]string{}, cwd: map[string]string{},
		alien: map[string]bool{}}
}

// hold reads a trace up to the write that puts the row into the registry.
// By then everything that was written to the repository must be on the disk, contents and names.
// Before that, no reference and no index gets a name while it, or an object, is not there.
func (d *disk) hold(trace io.Reader, row string) error {
	lines := bufio.NewScanner(trace)
	lines.Buffer(nil, 1<<28)
	for lines.Scan() {
		c, whole := d.parse(lines.Text())
		if !whole {
			continue
		}
		if d.apply(c); !strings.HasPrefix(c.name, "rename") ||
			!strings.Contains(d.at(filepath.Join(d.root, registryFile)).text, row) {
			continue
		}
		for _, path := range d.unsynced(d.stays) {
			d.found = append(d.found, fmt.Sprintf("%s is not on the disk when %q is recorded", path, row))
		}
		if len(d.found) > 0 {
			return errors.New(strings.Join(d.found, "\n"))
		}
		return nil
	}
	return errors.Join(lines.Err(), fmt.Errorf("the trace has no write of %q", row))
}

const registryFile = "docs/logs/delegation_registry.md"

// traceCall is one call that did something.
type traceCall struct {
	pid, name string
	paths     []string // files and folders, resolved, in the order of its arguments
	text      string   // what a write writes
	flags     string   // all of the arguments
	result    string   // the file that an open opened
}

var (
	begins   = regexp.MustCompile(`^(\d+) +(.*) <unfinished \.\.\.>$`)
	resumes  = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)$`)
	single   = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (\d+)(?:<(.*)>)?$`)
	argument = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|(AT_FDCWD|\d+)<([^>]*)>`)
)

// parse takes one line; false for one that is not the end of a call, or of one that failed.
func (d *disk) parse(line string) (traceCall, bool) {
	if m := begins.FindStringSubmatch(line); m != nil {
		d.lines[m[1]] = m[2]
		return traceCall{}, false
	}
	if m := resumes.FindStringSubmatch(line); m != nil {
		line = m[1] + " " + d.lines[m[1]] + m[2]
	}
	m := single.FindStringSubmatch(line)
	if m == nil {
		return traceCall{}, false
	}
	c := traceCall{pid: m[1], name: m[2], flags: m[3], result: m[5]}
	folder := ""
	for _, part := range argument.FindAllStringSubmatch(m[3], -1) {
		switch {
		case part[2] == "AT_FDCWD":
			d.cwd[c.pid], folder = part[3], part[3]
		case part[2] != "" && strings.HasSuffix(c.name, "at") && !strings.HasPrefix(c.name, "fd"), part[2] != "" &&
			c.name == "renameat2":
			folder = part[3]
		case part[2] != "":
			c.paths = append(c.paths, part[3])
		case strings.Contains(c.name, "write"):
			c.text = part[1]
		case filepath.IsAbs(part[1]):
			c.paths = append(c.paths, filepath.Clean(part[1]))
		case folder != "":
			c.paths = append(c.paths, filepath.Join(folder, part[1]))
		default:
			c.paths = append(c.paths, filepath.Join(d.cwd[c.pid], part[1]))
		}
	}
	return c, true
}

func (d *disk) at(path string) *fileState {
	if d.files[path] == nil {
		d.files[path] = &fileState{}
	}
	return d.files[path]
}

func (d *disk) apply(c traceCall) {
	switch c.name {
	case "execve":
		d.alien[c.pid] = strings.HasSuffix(c.paths[0], "/git") && !strings.Contains(c.flags, "core.hooksPath=")
	case "chdir":
		d.cwd[c.pid] = c.paths[0]
	case "open", "openat", "creat":
		if strings.Contains(c.flags, "O_CREAT") {
			d.at(c.result).name = true
		}
		if strings.Contains(c.flags, "O_TRUNC") {
			d.at(c.result).content = true
		}
	case "write", "pwrite64", "writev", "ftruncate", "truncate", "sendfile", "copy_file_range":
		if len(c.paths) > 0 {
			at := d.at(c.paths[0])
			if c.name == "copy_file_range" {
				at = d.at(c.paths[len(c.paths)-1])
			}
			at.content, at.out, at.text = true, false, c.text
		}
	case "mkdir", "mkdirat", "symlink", "symlinkat":
		d.at(c.paths[len(c.paths)-1]).name = true
	case "unlink", "unlinkat":
		delete(d.files, c.paths[0])
		if _, err := os.Lstat(filepath.Dir(c.paths[0])); err == nil && d.stays(c.paths[0]) {
			d.at(c.paths[0]).name = true
		}
	case "sync_file_range":
		d.at(c.paths[0]).out = true
	case "fsync", "fdatasync":
		d.sync(c.paths[0])
	case "sync", "syncfs":
		for _, f := range d.files {
			f.content, f.name = false, false
		}
	case "rename", "renameat", "renameat2", "link", "linkat":
		d.move(c)
	}
}

func (d *disk) sync(path string) {
	d.at(path).content = false
	for other, f := range d.files {
		if filepath.Dir(other) == path {
			f.name = false
		}
	}
}

func (d *disk) move(c traceCall) {
	from, to := c.paths[0], c.paths[1]
	moved, old := *d.at(from), *d.at(to)
	moved.name, old.name = true, true
	d.files[to] = &moved
	switch {
	case strings.Contains(c.flags, "RENAME_EXCHANGE"):
		d.files[from] = &old
	case strings.HasPrefix(c.name, "rename"):
		delete(d.files, from)
	}
	if d.alien[c.pid] || !d.names(to) {
		return
	}
	if moved.content {
		d.found = append(d.found, fmt.Sprintf("%s gets its name before its content is on the disk", to))
	}
	for _, path := range d.unsynced(func(path string) bool {
		return d.isObject(path) && !d.files[path].out && d.files[path].content
	}) {
		d.found = append(d.found, fmt.Sprintf("%s is named by %s before it is on the disk", path, to))
	}
}

// names says whether a file makes others count: a reference or the index.
func (d *disk) names(path string) bool {
	in, err := filepath.Rel(filepath.Join(d.root, ".git"), path)
	return err == nil && !strings.HasSuffix(in, ".lock") &&
		(strings.HasPrefix(in, "refs/") || in == "packed-refs" || in == "index")
}

func (d *disk) isObject(path string) bool {
	in, isThere := strings.CutPrefix(path, filepath.Join(d.root, ".git", "objects")+"/")
	return isThere && !strings.Contains(path, "/tmp_") && (d.named == nil || d.named[path] || !loose.MatchString(in))
}

// loose is an object in a file of its own, or the folder of such.
var loose = regexp.MustCompile(`^[0-9a-f]{2}(/[0-9a-f]+)?$`)

// stays says whether a file is one of the repository or of the person's checkout. Not those that
// nobody misses: locks, reflogs (git passes over a torn line), worktrees' own files, which are made
// anew, as is the reference of a look that somebody takes meanwhile, and this program's private ones,
// which have rules of their own.
func (d *disk) stays(path string) bool {
	in, err := filepath.Rel(d.root, path)
	if err != nil || strings.HasPrefix(in, "..") || strings.HasPrefix(in, "docs/") {
		return false
	}
	isLook := strings.HasPrefix(in, ".git/refs/delegate/") && filepath.Base(in) == "look"
	return !strings.HasPrefix(in, ".git") || d.isObject(path) || d.names(path) && !isLook
}

func (d *disk) unsynced(of func(string) bool) []string {
	var all []string
	for path, f := range d.files {
		if (f.content || f.name) && of(path) {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// The trace of a landing by hand, and of the same without one of its syncs.
func TestTraceWithoutSync(t *testing.T) {
	t.Parallel()
	const landing = `7 execve("/usr/bin/git", ["git", "-c", "core.hooksPath=/dev/null"], 0x7f /* 9 vars */) = 0
7 openat(AT_FDCWD</r>, "/r/.git/objects/ab/tmp_obj_1", O_RDWR|O_CREAT|O_EXCL, 0444) = 3</r/.git/objects/ab/tmp_obj_1>
7 write(3</r/.git/objects/ab/tmp_obj_1>, "x"..., 1) = 1
7 fsync(3</r/.git/objects/ab/tmp_obj_1> <unfinished ...>
8 openat(AT_FDCWD</r>, "none", O_RDONLY) = -1 ENOENT (No such file or directory)
7 <... fsync resumed>) = 0
7 link("/r/.git/objects/ab/tmp_obj_1", "/r/.git/objects/ab/cd") = 0
7 unlink("/r/.git/objects/ab/tmp_obj_1") = 0
7 openat(AT_FDCWD</r>, "/r/.git/refs/heads/main.lock", O_RDWR|O_CREAT|O_EXCL, 0666) = 3</r/.git/refs/heads/main.lock>
7 write(3</r/.git/refs/heads/main.lock>, "abcd\n", 5) = 5
7 fsync(3</r/.git/refs/heads/main.lock>) = 0
7 rename("/r/.git/refs/heads/main.lock", "/r/.git/refs/heads/main") = 0
7 mkdir("new", 0777) = 0
7 openat(AT_FDCWD</r>, "new/file", O_WRONLY|O_CREAT|O_EXCL, 0666) = 3</r/new/file>
7 write(3</r/new/file>, "text", 4) = 4
9 syncfs(4</r>) = 0
9 write(5</r/.git/index.new>, "DIRC", 4) = 4
9 fsync(5</r/.git/index.new>) = 0
9 renameat(AT_FDCWD</r>, "/r/.git/index.new", AT_FDCWD</r>, "/r/.git/index") = 0
9 fsync(6</r/.git>) = 0
9 write(7</r/docs/logs/.x>, "| MERGED | AGT-001 |", 20) = 20
9 renameat2(AT_FDCWD</r>, "/r/docs/logs/.x", AT_FDCWD</r>, "/r/docs/logs/delegation_registry.md", RENAME_EXCHANGE) = 0
`
	if err := newDisk("/r").hold(strings.NewReader(landing), "MERGED | AGT-001"); err != nil {
		t.Errorf("a good landing: %v", err)
	}
	if err := newDisk("/r").hold(strings.NewReader(landing), "MERGED | AGT-002"); err == nil {
		t.Error("a row that was never written is there")
	}
	for without, want := range map[string][]string{
		"<... fsync resumed>) = 0": {"/r/.git/objects/ab/cd is named by /r/.git/refs/heads/main before"},
		"heads/main.lock>) = 0":    {"/r/.git/refs/heads/main gets its name before"},
		"index.new>) = 0":          {"/r/.git/index gets its name before"},
		"6</r/.git>":               {"/r/.git/index is not on the disk"},
		"syncfs": {"/r/new is not on the disk", "/r/new/file is not", "/r/.git/refs/heads/main is not",
			"/r/.git/objects/ab/cd is not"},
	} {
		kept := slices.DeleteFunc(strings.Split(landing, "\n"), func(line string) bool {
			return strings.Contains(line, without)
		})
		err := newDisk("/r").hold(strings.NewReader(strings.Join(kept, "\n")), "MERGED | AGT-001")
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("without %q: %v, want %q", without, err, text)
			}
		}
	}
}
