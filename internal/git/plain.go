package git

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/sys/atomicfile"
)

// What this file reads is what git answers in the usual case; of any other git is asked, at the cost of a process.

// headRef is the branch that this checkout is on, by the file HEAD, "" where only git can tell: where references are no
// files, HEAD is a commit or a link, or the branch stands for another one.
func (r *Repo) headRef() string {
	if !r.LooseRefs() {
		return ""
	}
	return r.refOf(filepath.Join(r.GitDir, "HEAD"))
}

// refOf is the branch that a file HEAD names, as headRef.
func (r *Repo) refOf(head string) string {
	info, err := os.Lstat(head)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := atomicfile.ReadRegular(head, mostOfRef)
	ref, named := strings.CutPrefix(strings.TrimSuffix(string(data), "\n"), "ref: ")
	if err != nil || !named || !strings.HasPrefix(ref, "refs/heads/") || !isEverywhere(ref) {
		return ""
	}
	symbolic, err := isSymbolic(filepath.Join(r.CommonDir, filepath.FromSlash(ref)))
	if err != nil || symbolic {
		return ""
	}
	return ref
}

// mostOfRef bounds the file of a reference.
const mostOfRef = 4 << 10

// IsSymbolic reports whether a branch, by its full name, is only another name of one.
func (r *Repo) IsSymbolic(branch string) (bool, error) {
	return isSymbolic(filepath.Join(r.CommonDir, filepath.FromSlash(branch)))
}

// isSymbolic reports whether the file of a reference names another one. One that is not there may be packed, which a
// symbolic one never is; git leaves an empty folder in its place.
func isSymbolic(file string) (bool, error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return true, err // a link to another branch's file is one as well
	}
	data, err := atomicfile.ReadRegular(file, mostOfRef)
	return bytes.HasPrefix(data, []byte("ref:")), err
}
