package takeover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"delegate/internal/git"
	"delegate/internal/sys/atomicfile"
)

// Quarantine is where a fenced agent's git writes, so that nothing the agent writes is read by the
// person's git or by this program before it was checked. It is a private folder, of which the agent
// can reach the parts below but not the folder itself.
//
// New objects always go to Objects, with the repository's as alternates. A whole quarantine has
// copies of three more folders, which are to be mounted over the originals where the agent runs:
// Refs over the branch's folder of references, Logs over that folder's reflogs, and GitDir over the
// git folder of the worktree. The agent's git then sees one consistent repository, while outside
// the originals stay at what Checkout.TakeOver brought last.
type Quarantine struct{ Folder string }

// Objects is the object folder of the agent's git; its last element is "objects".
func (q Quarantine) Objects() string { return filepath.Join(q.Folder, "objects") }

// Refs holds the agent's branches, named as in the folder of its branch, of which it sees nothing else.
func (q Quarantine) Refs() string { return filepath.Join(q.Folder, "refs") }

// Logs holds the reflogs of these.
func (q Quarantine) Logs() string { return filepath.Join(q.Folder, "logs") }

// GitDir is the git folder of the worktree: HEAD, index and what is under way.
func (q Quarantine) GitDir() string { return filepath.Join(q.Folder, "gitdir") }

// Whole says whether the agent's git has its own references and git folder, and not its objects alone.
func (q Quarantine) Whole() bool {
	info, err := os.Lstat(q.GitDir())
	return err == nil && info.IsDir()
}

// OpenQuarantine is the one at folder, if one was begun there.
func OpenQuarantine(folder string) (Quarantine, bool) {
	q := Quarantine{Folder: folder}
	info, err := os.Lstat(q.notes())
	return q, folder != "" && err == nil && info.Mode().IsRegular()
}

// QuarantineMode is how much of git an agent has for itself.
type QuarantineMode int

// The modes of a quarantine.
const (
	// ObjectsOnly is for an agent without a mount namespace: references and git folder are the real ones. The
	// references are not its to write, since other agents' lie in the same folder: its HEAD is on no branch, and
	// the branch follows.
	ObjectsOnly QuarantineMode = iota
	// Whole is for an agent that sees its own references and git folder in the place of the real ones.
	Whole
)

func (q Quarantine) notes() string { return filepath.Join(q.Folder, "taken.json") }

func (q Quarantine) lock(ctx context.Context) (*atomicfile.Guard, error) {
	for _, folder := range []string{q.Objects(), q.Refs(), q.Logs(), q.GitDir()} {
		unlock(folder)
	}
	return atomicfile.Lock(ctx, filepath.Join(q.Folder, "lock"))
}

// Enter makes the quarantine at folder, or brings it up to date, before a turn; nobody may be using
// it. An agent that was here before finds its git as it left it, unless the branch or HEAD of the
// worktree moved outside since: then it starts from there, and what it had is kept beside, as
// NAME-kept-N, after it was taken over. The error wraps errors.ErrUnsupported in a repository that
// does not keep references as files. After a crash at any point it can be called again.
func (c *Checkout) Enter(ctx context.Context, folder string, mode QuarantineMode) (Quarantine, error) {
	q := Quarantine{Folder: folder}
	if !c.Repo.LooseRefs() {
		return q, fmt.Errorf("make quarantine %q: references that are not files: %w", folder, errors.ErrUnsupported)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return q, fmt.Errorf("make quarantine: %w", err)
	}
	guard, err := q.lock(ctx)
	if err != nil {
		return q, err
	}
	defer guard.Unlock()
	if err := c.enter(ctx, q, mode); err != nil {
		return q, fmt.Errorf("make quarantine %q: %w", folder, err)
	}
	return q, nil
}

func (c *Checkout) enter(ctx context.Context, q Quarantine, mode QuarantineMode) error {
	had, err := q.recall()
	if err != nil {
		return err
	}
	if _, begun := OpenQuarantine(q.Folder); begun {
		var unsound *git.TakeOverError // stays in what is kept beside
		if _, err := c.takeOver(ctx, q); err != nil && !errors.As(err, &unsound) {
			return err
		}
		if had, err = q.recall(); err != nil {
			return err
		}
	}
	now, err := c.placeNow(ctx)
	if err != nil {
		return err
	}
	if mode == Whole && q.Whole() && now == had.Left {
		return nil
	}
	if now, err = c.placeHead(ctx, now, mode, q); err != nil {
		return err
	}
	if err := q.setAside(); err != nil {
		return err
	}
	if err := os.MkdirAll(q.Objects(), 0o700); err != nil {
		return err
	}
	if mode == Whole {
		if err := c.writeGitDir(ctx, q, had.Branches); err != nil {
			return err
		}
	}
	return c.begin(ctx, q, notes{Left: now, Found: now, Branches: had.Branches,
		Unmerged: append(had.Unmerged, had.Divergent...)})
}

// placeHead takes HEAD off the branch for an agent that cannot write it, and back for one that can again.
func (c *Checkout) placeHead(ctx context.Context, now place, mode QuarantineMode, q Quarantine) (place, error) {
	_, begun := OpenQuarantine(q.Folder)
	branch, head := "refs/heads/"+c.Branch, ""
	switch {
	case now.Tip == "":
	case mode == ObjectsOnly && now.Head == "ref: "+branch:
		head = now.Tip
	case mode == Whole && begun && !q.Whole() && now.Head == now.Tip:
		head = branch
	}
	if head == "" {
		return now, nil
	}
	if err := c.Repo.SetHead(ctx, head, reason); err != nil {
		return now, err
	}
	return c.placeNow(ctx)
}

// begin notes what the agent starts from.
func (c *Checkout) begin(ctx context.Context, q Quarantine, n notes) error {
	var err error
	n.Index, err = c.Repo.Resolve(ctx, "HEAD")
	if err != nil && !errors.Is(err, git.ErrNoCommit) {
		return err
	}
	n.IDLength = max(len(n.Left.Tip), len(n.Index))
	if n.IDLength == 0 {
		return fmt.Errorf("branch %q: %w", c.Branch, ErrGone)
	}
	if q.Whole() { // in the other mode, what the agent's git wrote before this has to be looked at
		if n.Seen, err = c.view(q, n.IDLength); err != nil {
			return err
		}
	}
	return q.remember(n)
}

// setAside keeps what an earlier turn had under free names. The git folder goes first: without it
// the quarantine is not whole.
func (q Quarantine) setAside() error {
	for _, folder := range []string{q.GitDir(), q.Refs(), q.Logs()} {
		if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		free := ""
		for n := 1; free == ""; n++ {
			if name := fmt.Sprintf("%s-kept-%d", folder, n); !there(name) {
				free = name
			}
		}
		if err := os.Rename(folder, free); err != nil {
			return err
		}
	}
	return nil
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// writeGitDir copies the branch, those that the agent made beside it, their reflogs and the worktree's git folder.
// Each folder is complete when it gets its name, the git folder last.
func (c *Checkout) writeGitDir(ctx context.Context, q Quarantine, others map[string]string) error {
	unfinished := filepath.Join(q.Folder, "entering")
	if err := os.RemoveAll(unfinished); err != nil {
		return err
	}
	made := Quarantine{Folder: unfinished}
	for _, folder := range []string{made.Refs(), made.Logs(), made.GitDir()} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	branches := []string{path.Base(c.Branch)}
	for name := range others {
		branches = append(branches, name)
	}
	logs := filepath.Join(c.Repo.CommonDir, "logs", filepath.FromSlash(c.refFolder()))
	if err := os.MkdirAll(logs, 0o755); err != nil { // over which Logs is mounted
		return err
	}
	for _, name := range branches {
		if err := c.writeBranch(ctx, made, name); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(made.Refs(), ".keep"), nil, 0o600); err != nil {
		return err
	}
	if err := copyFolder(c.Repo.GitDir, made.GitDir()); err != nil {
		return err
	}
	for _, part := range [][2]string{{made.Refs(), q.Refs()}, {made.Logs(), q.Logs()}, {made.GitDir(), q.GitDir()}} {
		if err := os.Rename(part[0], part[1]); err != nil {
			return err
		}
	}
	return os.Remove(unfinished)
}

func (c *Checkout) writeBranch(ctx context.Context, made Quarantine, name string) error {
	value, found, err := c.Repo.Ref(ctx, c.refFolder()+"/"+name)
	if err != nil || !found {
		return err
	}
	file := filepath.Join(made.Refs(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(value+"\n"), 0o600); err != nil {
		return err
	}
	log, err := agentFolder(c.Repo.CommonDir).read(path.Join("logs", c.refFolder(), name), mostLog)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	file = filepath.Join(made.Logs(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, log, 0o600)
}

// refFolder is the folder of references in which the agent sees only its own, such as `refs/heads/delegate`.
func (c *Checkout) refFolder() string { return "refs/heads/" + path.Dir(c.Branch) }

// outside is what a branch of that name in the agent's folder is called in the repository, where others have
// branches in the same folder: those that it made beside its own lie below NAME.beside.
func (c *Checkout) outside(name string) string {
	own := path.Base(c.Branch)
	if name == own || strings.HasPrefix(name, own+".beside/") {
		return name
	}
	return own + ".beside/" + name
}

// copyFolder copies the files of git's folder for a worktree. Locks are left out: who holds
// them does not hold these.
func copyFolder(from, to string) error {
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		target := filepath.Join(to, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case !d.Type().IsRegular() || name == "locked" || strings.HasSuffix(name, ".lock"):
			return nil
		}
		in, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		return errors.Join(err, out.Close())
	})
}

// ReadThrough has the agent's objects name a place at which it finds those of the repository, while
// its own lie over them, and answers with that place, an empty folder of the quarantine. Object
// folders that the repository itself borrows from are named as well. What the agent makes of the
// list is its own affair: nobody else reads it.
func (q Quarantine) ReadThrough(objects string) (string, error) {
	through := filepath.Join(q.Folder, "repository")
	if err := os.MkdirAll(through, 0o700); err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	lines := []string{through}
	borrowed, err := os.ReadFile(filepath.Join(objects, "info", "alternates"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("share objects: %w", err)
	}
	for line := range strings.Lines(string(borrowed)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") && !filepath.IsAbs(line) {
			// an absolute one is found through the repository's own list
			lines = append(lines, filepath.Join(objects, line))
		}
	}
	root, err := os.OpenRoot(q.Objects())
	if err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	defer root.Close()
	if info, err := root.Lstat("info"); err == nil && !info.IsDir() {
		if err := root.Remove("info"); err != nil {
			return "", fmt.Errorf("share objects: %w", err)
		}
	}
	if err := root.MkdirAll("info", 0o700); err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	if err := root.RemoveAll("info/alternates"); err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	if err := root.WriteFile("info/alternates", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("share objects: %w", err)
	}
	return through, nil
}
