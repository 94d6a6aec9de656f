package git

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/atomicfile"
)

// looked is the tree that a snapshot made of a checkout's files, and the state that all was in which it was made of.
type looked struct{ State, Tree string }

func lookedFile(index string) string { return index + ".looked" }

// remembered is the tree of the last snapshot with this index, if everything still is as it was then: "" if not.
func (r *Repo) remembered(ctx context.Context, index, state string) string {
	var last looked
	if state == "" || atomicfile.ReadJSON(lookedFile(index), &last) != nil || last.State != state {
		return ""
	}
	if found, ok := r.lookUp(ctx, last.Tree); !ok || found.kind != "tree" {
		return ""
	}
	return last.Tree
}

// remember notes a snapshot. It need not outlive a crash: what is not read as a whole is not used.
func (r *Repo) remember(index, state, tree string) {
	data, err := json.Marshal(looked{State: state, Tree: tree})
	if err == nil && state != "" {
		_ = atomicfile.WriteUnsynced(lookedFile(index), data, 0o600)
	}
}

// ForgetSnapshot has the next snapshot with the index look at all files again.
func ForgetSnapshot(index string) error {
	return errors.Join(atomicfile.RemoveFile(lookedFile(index)), atomicfile.RemoveFile(index))
}

// filesState tells the state of everything that a snapshot is made of from any other, by names, sizes and times: as
// git itself takes a file for unchanged, with the time that no program can set. It is "" where that can not be known:
// on a system or a file system without that time, for a change that may have come after it was looked, or where
// there is much more than git knows of.
// The files are what was seen, nil with no state.
func (r *Repo) filesState(ctx context.Context, index, from string, leave []string) (state string, files []string) {
	if r.Quarantined() || r.common == nil {
		return "", nil
	}
	settings, err := r.SettingsFiles(ctx)
	if err != nil || r.namesOddly(ctx) {
		return "", nil
	}
	for attempt := range 2 {
		if attempt > 0 {
			time.Sleep(timeStep)
		}
		w, err := r.startWalk(index)
		if err != nil {
			return "", nil
		}
		fmt.Fprintf(w.sum, "%q %q %+v %q\n", from, leave, r.bounds, r.disabledFilters)
		outside := append(slices.Clone(settings), filepath.Join(r.CommonDir, "info", "exclude"),
			filepath.Join(r.CommonDir, "info", "attributes"), filepath.Join(r.GitDir, "info", "sparse-checkout"))
		err = errors.Join(w.outside(outside...), w.staged(r), w.below(ctx, r.Worktree))
		if err == nil {
			return fmt.Sprintf("%x", w.sum.Sum(nil)), w.files
		}
		if !errors.Is(err, errJustNow) {
			return "", nil
		}
	}
	return "", nil
}

// namesOddly says whether the files of what is ignored and of attributes are named so that only git finds them.
func (r *Repo) namesOddly(ctx context.Context) bool {
	found, err := r.matching(ctx, `^core\.(excludesfile|attributesfile)$`)
	return err != nil || slices.ContainsFunc(found, func(s setting) bool {
		return s.value != "" && !filepath.IsAbs(s.value) && !strings.HasPrefix(s.value, "~/")
	})
}

// timeStep is a little more than the step in which Linux counts the times of files.
const timeStep = 12 * time.Millisecond

var errJustNow = errors.New("a file may be changed again without that its time tells")

// fileWalk looks at files without opening them.
type fileWalk struct {
	sum    hash.Hash
	device uint64
	now    int64 // by the file system's clock when the walk began
	left   int   // how many more files are looked at
	files  []string
	line   []byte // of the file that is noted, to be used again
}

// nowEnding is that of the file by which the file system's clock is read.
const nowEnding = ".now"

func (r *Repo) startWalk(index string) (*fileWalk, error) {
	most, err := mostFiles(index)
	if err != nil {
		return nil, err
	}
	probe := index + nowEnding
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		return nil, err
	}
	if err := os.Chtimes(probe, time.Time{}, time.Now()); err != nil {
		return nil, err
	}
	info, err := os.Lstat(probe)
	if err != nil {
		return nil, err
	}
	stamp, ok := stampOf(info)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return &fileWalk{sum: sha256.New(), device: stamp.device, now: stamp.changed, left: most}, nil
}

// mostFiles is how many files and folders are looked at: those in the index and as much again, since git does not look
// into folders that it ignores, and they may hold any number.
func mostFiles(index string) (int, error) {
	entries, err := IndexEntries(index)
	if errors.Is(err, fs.ErrNotExist) { // nobody has looked so far
		return 50_000, nil
	}
	return 2*entries + 1000, err
}

// IndexEntries is how many entries an index has.
func IndexEntries(index string) (int, error) {
	file, err := os.Open(index)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	var start struct{ Sign, Version, Entries uint32 }
	err = binary.Read(file, binary.BigEndian, &start)
	return int(start.Entries), err
}

// stamp is what a file system says of a file and no program can choose.
type stamp struct {
	device, inode uint64
	changed       int64 // in ns
}

// outside notes files that are not below the checkout.
func (w *fileWalk) outside(files ...string) error {
	for _, file := range files {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(w.sum, "%q is not there\n", file)
			continue
		}
		if err == nil {
			err = w.note(file, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// note takes in what the file system says of a file.
func (w *fileWalk) note(name string, info fs.FileInfo) error {
	s, ok := stampOf(info)
	if !ok {
		return errors.ErrUnsupported
	}
	if s.changed >= w.now {
		return errJustNow
	}
	w.line = append(append(w.line[:0], name...), 0) // no name has a zero byte
	for _, n := range [...]uint64{uint64(info.Mode()), uint64(info.Size()), uint64(info.ModTime().UnixNano()),
		uint64(s.changed), s.device, s.inode} {
		w.line = append(strconv.AppendUint(w.line, n, 36), ' ')
	}
	w.line = append(w.line, '\n')
	w.sum.Write(w.line)
	return nil
}

// staged notes what of the checkout is staged, which an agent's own git can say.
func (w *fileWalk) staged(r *Repo) error {
	index := r.stagedIndex
	if index == "" {
		return w.outside(r.IndexPath())
	}
	data, err := os.ReadFile(index) // it is written anew for each look
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	fmt.Fprintf(w.sum, "%x\n", sha256.Sum256(data))
	return err
}

// below notes a folder's files, with those of the folders in it. A checkout in it is the commit that is checked out
// there, which nothing below the folder may tell.
func (w *fileWalk) below(ctx context.Context, root string) error {
	own := filepath.Join(root, ".git")
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path == own {
			return fs.SkipDir
		}
		if w.left--; w.left < 0 || !d.IsDir() && d.Name() == ".git" && path != own {
			return errors.ErrUnsupported
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if s, _ := stampOf(info); s.device != w.device {
			return errors.ErrUnsupported
		}
		if !d.IsDir() {
			w.files = append(w.files, path)
		}
		return errors.Join(w.note(path, info), ctx.Err())
	})
}
