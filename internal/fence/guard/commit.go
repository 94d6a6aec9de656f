package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/sys/run"
)

// DecideCommit lists what is refused of the commit that git is about to make in a checkout; none if
// it may go on. It is asked by git's own hook, inside the fence and with the agent's rights, so it
// runs git in the environment that git gave to the hook: that names the index of this very commit,
// which for `git commit PATH` is not the checkout's.
//
// While a merge, a rebase or a cherry-pick is under way nothing is refused: files of others come
// along with it, and whose they are is decided before anything lands. A path that is put back to
// what it was at the policy's Base is never refused, or nobody could take a change out again. An
// error means doubt: the commit must not go on then.
func DecideCommit(ctx context.Context, p Policy, dir string) ([]Verdict, error) {
	s, err := p.scope()
	if err != nil {
		return nil, err
	}
	joining, err := isJoining(ctx, dir)
	if err != nil || joining {
		return nil, err
	}
	// Without a commit to compare with, git takes HEAD, or the empty tree where there is no commit yet.
	paths, err := staged(ctx, dir)
	if err != nil {
		return nil, err
	}
	var refused []Verdict
	for _, path := range paths {
		if v := s.Check(path); !v.Allowed {
			refused = append(refused, Verdict{Path: path, Pattern: v.Pattern,
				Reason: fmt.Sprintf("%q is %v. Take it out of the commit: git restore --staged -- %s", path, v,
					run.Quote(":(top,literal)"+path))})
		}
	}
	if len(refused) == 0 || p.Base == "" {
		return refused, nil
	}
	changed, err := staged(ctx, dir, p.Base)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(refused, func(v Verdict) bool { return !slices.Contains(changed, v.Path) }), nil
}

// gitLimit is how long a git of a hook may take.
const gitLimit = 2 * time.Minute

// staged lists the paths in which the index differs from a commit. No configuration, and no
// `.gitmodules` of the agent's, leaves any out.
func staged(ctx context.Context, dir string, commit ...string) ([]string, error) {
	args := []string{"diff", "--cached", "--name-only", "-z", "--no-renames", "--ignore-submodules=none"}
	out, err := run.Output(ctx, run.Command{Path: "git", Args: append(append(args, commit...), "--"), Dir: dir,
		Limit: gitLimit})
	if err != nil {
		return nil, fmt.Errorf("list what the commit contains: %w", err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// isJoining reports whether the commit ends something that brings the work of others along.
func isJoining(ctx context.Context, dir string) (bool, error) {
	out, err := run.Output(ctx, run.Command{Path: "git", Args: []string{"rev-parse", "--absolute-git-dir"}, Dir: dir,
		Limit: gitLimit})
	folder := strings.TrimRight(string(out), "\r\n")
	if err == nil && !filepath.IsAbs(folder) {
		err = fmt.Errorf("git rev-parse answered %q", out)
	}
	if err != nil {
		return false, fmt.Errorf("find git's folder: %w", err)
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply"} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return true, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("look for what is under way: %w", err)
		}
	}
	return false, nil
}

// RefusePush is the answer to every push: to a remote, by its name and URL as git gives them.
// Path in the verdict is both, without logins.
func RefusePush(remote, address string) Verdict {
	address = strings.TrimPrefix(address, PushScheme+"://")
	where := withoutLogin(remote)
	if remote != address {
		where += " " + withoutLogin(address)
	}
	return Verdict{Path: where, Pattern: "git push",
		Reason: fmt.Sprintf("git push to %q is refused: agents reach no remote. Commit on your branch; a person "+
			"lands it from there and pushes it", where)}
}

// withoutLogin is a URL without what may be a secret, in git's short form too. What is no URL, such
// as a remote's name or a path, stays.
func withoutLogin(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		return u.String()
	}
	if scheme, rest, isURL := strings.Cut(address, "://"); isURL {
		return scheme + "://" + rest[strings.LastIndex(rest, "@")+1:]
	}
	host, path, isPath := strings.Cut(address, "/")
	host = host[strings.LastIndex(host, "@")+1:]
	if isPath {
		return host + "/" + path
	}
	return host
}

// The layer and the operation under which the refused start of another agent program is reported.
const StartLayer, StartOperation = "fence", "start an agent program"

// RefuseStart is the answer to the start of another agent program.
func RefuseStart(program string) Verdict {
	return Verdict{Path: program, Pattern: filepath.Base(program),
		Reason: fmt.Sprintf("%q is not started: %s", program, noAgents)}
}
