package git

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"delegate/internal/sys/run"
	"delegate/internal/text/lazyregexp"
)

// Upstream is where a branch lives in another repository.
type Upstream struct {
	Remote string // its name here, or an address
	Ref    string // full name there
}

// Branch is the short name of the branch there.
func (u Upstream) Branch() string { return strings.TrimPrefix(u.Ref, "refs/heads/") }

// String is how people name the branch.
func (u Upstream) String() string { return u.Remote + "/" + u.Branch() }

// ErrNoRemote says that a branch has no other repository that it could be pushed to.
var ErrNoRemote = errors.New("no remote repository is configured for the branch")

// UpstreamOf is where a branch (short name) lives in another repository: as its configuration says, else a branch of
// the same name in the remote origin, or in the only one there is. ErrNoRemote (wrapped) if there is none.
func (r *Repo) UpstreamOf(ctx context.Context, branch string) (Upstream, error) {
	u := Upstream{Ref: "refs/heads/" + branch}
	settings, err := r.matching(ctx, `^branch\.`+regexp.QuoteMeta(branch)+`\.(remote|merge)$`)
	if err != nil {
		return u, err
	}
	merge := ""
	for _, s := range settings {
		if strings.HasSuffix(s.key, ".remote") {
			u.Remote = s.value
		} else {
			merge = s.value
		}
	}
	if u.Remote != "" && u.Remote != "." && strings.HasPrefix(merge, "refs/heads/") {
		u.Ref = merge
		return u, nil
	}
	names, err := r.lines(ctx, "remote")
	switch {
	case err != nil:
		return u, fmt.Errorf("list remotes: %w", err)
	case slices.Contains(names, "origin"):
		u.Remote = "origin"
	case len(names) == 1:
		u.Remote = names[0]
	default:
		return u, fmt.Errorf("push %q: %w", branch, ErrNoRemote)
	}
	return u, nil
}

// RemoteURL is the address that a remote is reached at. It may hold a password. A remote that is pushed to at another
// one is a *TwoAddressesError: what is there could not be seen.
func (r *Repo) RemoteURL(ctx context.Context, remote string) (string, error) {
	address, err := r.line(ctx, "remote", "get-url", "--", remote)
	if run.ExitCode(err) == 2 {
		return remote, nil // an address itself
	}
	if err != nil {
		return "", fmt.Errorf("find the address of %q: %w", remote, WithoutLogin(err))
	}
	pushed, err := r.line(ctx, "remote", "get-url", "--push", "--", remote)
	if err == nil && pushed != address {
		err = &TwoAddressesError{Remote: remote, Fetched: Masked(address), Pushed: Masked(pushed)}
	}
	return address, WithoutLogin(err)
}

// TwoAddressesError says that a remote is fetched from one address and pushed to another.
type TwoAddressesError struct{ Remote, Fetched, Pushed string }

func (e *TwoAddressesError) Error() string {
	return fmt.Sprintf("the remote %q is fetched from %q and pushed to %q", e.Remote, e.Fetched, e.Pushed)
}

// Prompting says whether git and what it starts may ask a person for a login.
type Prompting int

// A person is asked only at their own terminal, for what they have just said yes to.
const (
	NeverPrompt Prompting = iota
	MayPrompt
)

// networkLimit is how long a question to another repository may take, a push or fetch as long as other work.
const networkLimit = 45 * time.Second

// network are the settings of a command that talks to another repository. Without a person no helper may open a window
// either: ssh takes its answers from a program that gives none.
func network(p Prompting) []string {
	if p == MayPrompt {
		return []string{"GIT_TERMINAL_PROMPT=1"}
	}
	return []string{"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force",
		"GCM_INTERACTIVE=never"}
}

// RemoteRefs are the references of a remote that match the patterns, name to value. It asks nobody for a login.
func (r *Repo) RemoteRefs(ctx context.Context, remote string, patterns ...string) (map[string]string, error) {
	args := append([]string{"ls-remote", "--refs", "--", remote}, patterns...)
	out, err := r.do(ctx, call{args: args, reads: true, bound: true, limit: networkLimit, env: network(NeverPrompt)})
	if err != nil {
		return nil, fmt.Errorf("list references of %q: %w", remote, WithoutLogin(err))
	}
	lines, err := split(args, out)
	refs := make(map[string]string, len(lines))
	for _, line := range lines {
		id, name, found := strings.Cut(line, "\t")
		if !found || !isFullID(id) {
			return nil, odd(args, line)
		}
		refs[name] = id
	}
	return refs, err
}

// FetchBranch brings what a remote has of a branch here and puts a reference of our own on it. The person's
// remote-tracking branches, tags and FETCH_HEAD stay as they are. It answers with the commit, and asks nobody for a
// login. It writes.
func (r *Repo) FetchBranch(ctx context.Context, from Upstream, to string) (string, error) {
	_, err := r.do(ctx, call{
		args: []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=",
			"--", from.Remote, "+" + from.Ref + ":" + to},
		bound: true, env: network(NeverPrompt),
	})
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", from, WithoutLogin(err))
	}
	return r.Resolve(ctx, to)
}

// Push is a commit that becomes a reference of a remote.
type Push struct {
	Remote string
	Commit string
	Ref    string // full name there
	// Lease is where the reference must be, "" for nowhere; Unleased references, which the remote makes something else
	// of, have none.
	Lease    string
	Unleased bool
	Options  []string // push options, each "key=value"
	Prompt   Prompting
	Hooks    string // the folder of the person's hooks if pre-push is to run, "" for none
}

// Push carries it out. It pushes nothing else. It writes there. The error wraps a *PushError with what git and the
// remote said.
func (r *Repo) Push(ctx context.Context, p Push) error {
	args := []string{"-c", "push.followTags=false"}
	if p.Hooks != "" {
		args = append(args, "-c", "core.hooksPath="+p.Hooks)
	}
	args = append(args, "push", "--no-follow-tags", "--recurse-submodules=no")
	if !p.Unleased {
		args = append(args, "--force-with-lease="+p.Ref+":"+p.Lease)
	}
	for _, option := range p.Options {
		args = append(args, "--push-option="+option)
	}
	args = append(args, "--", p.Remote, p.Commit+":"+p.Ref)
	out, err := r.do(ctx, call{args: args, mixed: true, bound: true, env: network(p.Prompt)})
	if err != nil {
		return fmt.Errorf("push to %s of %q: %w", p.Ref, p.Remote,
			&PushError{Said: Masked(string(out)), err: WithoutLogin(err)})
	}
	return nil
}

// PushError says that a push did not come to an end, with git's and the remote's words.
type PushError struct {
	Said string
	err  error
}

func (e *PushError) Error() string {
	var kept []string
	for line := range strings.Lines(e.Said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "hint:") {
			kept = append(kept, line)
		}
	}
	if len(kept) == 0 {
		return e.err.Error()
	}
	return strings.Join(kept[max(0, len(kept)-8):], "; ")
}

func (e *PushError) Unwrap() error { return e.err }

// Login is what the person's credential helpers know for an address. It asks nobody; "" where they know nothing.
func (r *Repo) Login(ctx context.Context, address *url.URL) (user, password string, err error) {
	ask := fmt.Sprintf("protocol=%s\nhost=%s\npath=%s\n\n", address.Scheme, address.Host,
		strings.TrimPrefix(address.Path, "/"))
	if strings.ContainsAny(address.Host+address.Path, "\n\x00") {
		return "", "", nil
	}
	out, err := r.do(ctx, call{args: []string{"credential", "fill"}, stdin: strings.NewReader(ask), bound: true,
		limit: networkLimit, env: network(NeverPrompt)})
	if run.ExitCode(err) > 0 {
		return "", "", nil // nobody knows one, and nobody may be asked
	}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		switch key {
		case "username":
			user = value
		case "password":
			password = value
		}
	}
	return user, password, WithoutLogin(err)
}

// Masked is a text without the logins that addresses in it hold.
func Masked(text string) string { return loginInURL.ReplaceAllString(text, "$1") }

var loginInURL = lazyregexp.New(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s'"@]*(?:@[^/\s'"@]*)*@`)

// WithoutLogin is an error of git without the logins in its words.
func WithoutLogin(err error) error {
	var exit *run.ExitError
	if errors.As(err, &exit) {
		plain := *exit
		plain.Stderr = Masked(exit.Stderr)
		return &plain
	}
	return err
}
