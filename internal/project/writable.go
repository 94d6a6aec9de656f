package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"delegate/internal/fence/sandbox"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
)

// CheckWritable returns a *PlaceError where what agents change cannot be saved: where this program, or its git in a
// sandbox, cannot write git's objects, its references or the private state.
func (p *Project) CheckWritable() error {
	objects := filepath.Join(p.Repo.CommonDir, "objects")
	may := sandbox.MayWrite
	if p.Config.Sandbox.Level != config.SandboxOff && p.Support().Namespaces {
		may = sandbox.MayWriteWithin
	}
	folders := []string{objects, filepath.Join(objects, "pack")}
	for i := range 256 {
		folders = append(folders, filepath.Join(objects, fmt.Sprintf("%02x", i)))
	}
	for _, folder := range folders {
		if err := may(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritable(folder, objects, err)
		}
	}
	for _, name := range []string{".", "refs", "refs/heads", "refs/heads/delegate", "refs/delegate", p.Private} {
		folder := name
		if !filepath.IsAbs(name) {
			folder = filepath.Join(p.Repo.CommonDir, filepath.FromSlash(name))
		}
		if err := sandbox.MayWrite(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritable(folder, folder, err)
		}
	}
	if err := tryWriting(objects); err != nil {
		return unwritable(objects, objects, err)
	}
	return nil
}

// tryWriting writes a file that is removed again: permissions do not tell of a full disk or a quota.
func tryWriting(folder string) error {
	file, err := os.CreateTemp(folder, "tmp_obj_delegate_") // git removes what is left by such a name
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, 64<<10))
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

// unwritable is why what belongs into a folder cannot be written, and what to type; whole is the folder to mend.
func unwritable(folder, whole string, err error) error {
	quoted, owner := run.AsTyped([]string{whole}), sandbox.OtherOwner(folder)
	switch {
	case errors.Is(err, syscall.EROFS):
		return &PlaceError{fmt.Sprintf("%q is on a file system that is mounted read-only", folder),
			"mount it for writing, then type the same again"}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &PlaceError{fmt.Sprintf("there is no room for git's objects in %q: %v", folder, err),
			"make room there (to see what takes it: df -h " + quoted + "; delegate clean), then type the same again"}
	case errors.Is(err, fs.ErrPermission) && owner != "":
		why := fmt.Sprintf("%q cannot be written: it belongs to the user %s", folder, owner)
		if os.Geteuid() == 0 {
			why += ", over whose files root has no rights in the sandbox"
		}
		return &PlaceError{why, fmt.Sprintf("work as that user (sudo -u %s), or as root type: chown -R %d %s",
			run.AsTyped([]string{owner}), os.Geteuid(), quoted)}
	case errors.Is(err, fs.ErrPermission):
		return &PlaceError{fmt.Sprintf("%q cannot be written: %v", folder, err), "chmod -R u+rwX " + quoted}
	}
	return fmt.Errorf("write in %q: %w", folder, err)
}
