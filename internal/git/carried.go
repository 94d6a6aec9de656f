package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/sys/run"
)

// Carried is the same checkout, whose git reaches every other repository through a program that git calls with a host
// and a command, as it calls ssh, and that joins that command's streams with its own.
func (r *Repo) Carried(program string, args ...string) *Repo {
	words := []string{run.Quote(program)}
	for _, word := range args {
		words = append(words, run.Quote(word))
	}
	carried := *r
	carried.carrier = strings.Join(words, " ")
	return &carried
}

// Cut is the same repository for a push whose history begins where that of commit leaves the history of base: at base
// itself, where there is nothing else between. The commits at which it begins are whole, and come without those before
// them. list is a file, which is made, that names them for git; without such a commit all of history goes.
func (r *Repo) Cut(ctx context.Context, list, base, commit string) (*Repo, error) {
	ends := []string{commit}
	if base != commit {
		out, err := r.read(ctx, "rev-list", "--boundary", commit, "^"+base, "--")
		if err != nil {
			return nil, fmt.Errorf("find where %.12s leaves the history of %.12s: %w", commit, base, err)
		}
		ends = nil
		for line := range strings.Lines(string(out)) {
			if id, found := strings.CutPrefix(strings.TrimSpace(line), "-"); found {
				ends = append(ends, id)
			}
		}
	}
	if len(ends) == 0 {
		return r, nil
	}
	own, err := os.ReadFile(filepath.Join(r.CommonDir, "shallow"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find where history begins here: %w", err)
	}
	text := strings.Join(ends, "\n") + "\n" + string(own)
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("write where history begins: %w", err)
	}
	cut := *r
	cut.shallow = list
	return &cut, nil
}

// FetchObjects brings what a reference of another repository names and the commit base does not have. It moves nothing.
// The other side is told of base, and of no other commit. An error says that it did not come, and nothing of what it
// is: Import checks that. It writes objects.
func (r *Repo) FetchObjects(ctx context.Context, remote, ref, base string) error {
	_, err := r.do(ctx, call{
		args: []string{"-c", "fetch.fsckObjects=false", "-c", "core.alternateRefsCommand=true", "fetch", "--quiet",
			"--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=", "--no-auto-maintenance",
			"--negotiation-tip=" + base, "--", remote, ref},
		bound: true, env: network(NeverPrompt),
	})
	if err != nil {
		return fmt.Errorf("fetch %s of %q: %w", ref, remote, err)
	}
	return nil
}

// Tips are the commits and tags that the references of a repository name, by its git folder.
func Tips(ctx context.Context, gitDir string) ([]string, error) {
	r := &Repo{GitDir: gitDir, CommonDir: gitDir}
	all, err := r.refs(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("list references of %q: %w", gitDir, err)
	}
	tips := make([]string, len(all))
	for i, found := range all {
		tips[i] = found.id
	}
	return tips, nil
}

// Weight is how many bytes on the disk the objects take that a commit reaches, and none of the others. Of these, those
// that are not here count for nothing.
func (r *Repo) Weight(ctx context.Context, commit string, others []string) (bytes int64, err error) {
	out, err := r.do(ctx, call{args: []string{"rev-list", "--disk-usage", "--objects", "--ignore-missing", "--stdin"},
		stdin: revisions([]string{commit}, others), reads: true})
	if err == nil {
		_, err = fmt.Sscan(string(out), &bytes)
	}
	if err != nil {
		return 0, fmt.Errorf("measure objects of %.12s: %w", commit, err)
	}
	return bytes, nil
}

// OwnWeight is the same of one commit without those before it.
func (r *Repo) OwnWeight(ctx context.Context, commit string) (bytes int64, err error) {
	out, err := r.read(ctx, "rev-list", "--disk-usage", "--objects", "--no-walk", commit, "--")
	if err == nil {
		_, err = fmt.Sscan(string(out), &bytes)
	}
	if err != nil {
		return 0, fmt.Errorf("measure objects of %.12s: %w", commit, err)
	}
	return bytes, nil
}

// Serve is one end of git's protocol at a repository, with the other end at in and out. service is git-receive-pack or
// git-upload-pack.
func Serve(ctx context.Context, dir, service string, in io.Reader, out io.Writer) error {
	r := &Repo{GitDir: filepath.Join(dir, ".git"), CommonDir: filepath.Join(dir, ".git")}
	args := append(r.settings(), "-c", "receive.autogc=false", "-c", "receive.shallowUpdate=true",
		strings.TrimPrefix(service, "git-"), dir)
	return run.Do(ctx, run.Command{Path: "git", Args: args, Dir: dir, Env: plainEnviron(), Stdin: in, Stdout: out,
		Stderr: os.Stderr, Bound: true})
}
