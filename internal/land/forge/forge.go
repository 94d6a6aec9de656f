// Package forge opens pull requests where a repository is hosted, and looks what became of them. It is the only one
// that knows the ways of forges: push options, HTTP interfaces, the program gh.
//
// Everything here runs in a process of the person's and with their own logins, which git's credential helpers and gh
// keep. No login is in an error, an address or a text that leaves this package.
package forge

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// Request is a pull request as it is to be.
type Request struct {
	Branch string // on the remote
	Base   string // the branch there that it is to be merged into
	Title  string // one line
	Body   string
	Commit string
	Old    string // the commit that was pushed last, "" for a new request
	URL    string // of the open request, "" for a new one
	Below  bool   // another request is to be merged into its branch
}

// Seen is what became of a pull request, as the forge says.
type Seen struct {
	State  registry.PullRequestState // "" where the forge cannot tell
	Commit string                    // that the base branch got with it, "" if unknown
}

// Comment is what somebody wrote about a pull request.
type Comment struct {
	By, Text string
	Path     string // of the file that it is about, "" for the whole
	Line     int
	At       time.Time
}

// String is the comment in one line.
func (c Comment) String() string {
	where := ""
	switch {
	case c.Path != "" && c.Line > 0:
		where = fmt.Sprintf(" on %s:%d", c.Path, c.Line)
	case c.Path != "":
		where = " on " + c.Path
	}
	return c.By + where + ": " + oneLine(c.Text)
}

// Issue is a task as somebody wrote it at the forge.
type Issue struct{ Title, Body, URL string }

// Forge is the repository that a remote names, at a forge.
type Forge struct {
	Kind   string // a value of config.Landing.Forge but auto
	Prompt git.Prompting
	Hooks  string // the folder of the person's hooks, "" to run none

	repo    *git.Repo
	remote  string
	address address
	host    host
}

// host is how one kind of forge does it.
type host interface {
	// has says whether the commit is there already.
	has(ctx context.Context, r Request) (bool, error)
	// push brings it there.
	push(ctx context.Context, r Request) error
	// open makes the request of what was pushed, or finds it, and answers with its address.
	open(ctx context.Context, r Request) (string, error)
	look(ctx context.Context, r registry.PullRequest) (Seen, error)
	comments(ctx context.Context, r registry.PullRequest) ([]Comment, error)
	issue(ctx context.Context, number string) (Issue, error)
}

// errUnsupported says that the remote is no forge that can do this.
var errUnsupported = errors.New("the remote is no forge that can be asked")

// Detect finds out what a remote is. The configured kind is a value of config.Landing.Forge.
func Detect(ctx context.Context, repo *git.Repo, remote, configured string) (*Forge, error) {
	text, err := repo.RemoteURL(ctx, remote)
	if err != nil {
		return nil, err
	}
	f := &Forge{Kind: configured, repo: repo, remote: remote, address: parseAddress(text)}
	gh, missing := run.Which("gh", repo.Worktree, os.Getenv("PATH"))
	if f.Kind == config.AutoForge {
		f.Kind = f.detected(ctx, missing == nil)
	}
	web := &web{repo: repo, address: f.address, kind: f.Kind}
	switch f.Kind {
	case config.GitHub:
		if missing != nil {
			return nil, fmt.Errorf("landing.forge is %s: %w", f.Kind, missing)
		}
		f.host = github{f, gh}
	case config.Gitea:
		f.host = gitea{f, web}
	case config.GitLab:
		f.host = gitlab{f, web}
	default:
		f.host = plain{f}
	}
	return f, nil
}

// detected asks the remote's host what it is.
func (f *Forge) detected(ctx context.Context, hasGH bool) string {
	switch {
	case f.address.host == "":
		return config.NoForge
	case f.address.host == "github.com" && hasGH:
		return config.GitHub
	case f.address.host == "github.com":
		return config.NoForge
	case answers(ctx, f.address.root()+"/api/v1/version", "version"):
		return config.Gitea
	case strings.Contains(f.address.host, "gitlab"),
		answers(ctx, f.address.site()+"/api/v4/version", "version", "message"):
		return config.GitLab
	}
	return config.NoForge
}

// Push brings the commit of a request to the remote: never to its base, and over nothing but what was pushed last.
// Done twice it is done once. *git.MovedError says that somebody else changed the branch.
func (f *Forge) Push(ctx context.Context, r Request) error {
	if r.Branch == r.Base {
		return fmt.Errorf("push %q: a pull request cannot be merged into its own branch", r.Branch)
	}
	there, err := f.host.has(ctx, r)
	if err != nil || there {
		return err
	}
	return f.host.push(ctx, r)
}

// Has says whether the remote has the commit of a request already.
func (f *Forge) Has(ctx context.Context, r Request) (bool, error) { return f.host.has(ctx, r) }

// Open makes the request of what was pushed, or brings it up to date, and answers with its address; "" where there are
// no requests. Done twice it is done once.
func (f *Forge) Open(ctx context.Context, r Request) (string, error) {
	at, err := f.host.open(ctx, r)
	if err != nil || at == "" {
		return "", err
	}
	return webAddress(at)
}

// webAddress returns an answer that is an address of a web page, spelled in letters that every terminal shows as such.
func webAddress(answer string) (string, error) {
	at, err := url.Parse(answer)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return "", fmt.Errorf("the forge answered with %q, which is no address of a web page", answer)
	}
	return at.String(), nil
}

// Look is what became of a request.
func (f *Forge) Look(ctx context.Context, r registry.PullRequest) (Seen, error) {
	seen, err := f.host.look(ctx, r)
	switch seen.State {
	case "", registry.PullRequestOpen, registry.PullRequestMerged, registry.PullRequestClosed:
		return seen, err
	}
	return Seen{}, fmt.Errorf("the forge answered with %q, which is no state of a request", seen.State)
}

// Comments are what others wrote about a request after a time, oldest first.
func (f *Forge) Comments(ctx context.Context, r registry.PullRequest, after time.Time) ([]Comment, error) {
	all, err := f.host.comments(ctx, r)
	var fresh []Comment
	for _, c := range all {
		c.By, c.Text, c.Path = oneLine(c.By), ui.Clean(c.Text), oneLine(c.Path)
		if !c.At.Before(after) && strings.TrimSpace(c.Text) != "" {
			fresh = append(fresh, c)
		}
	}
	return fresh, err
}

// Issue is an issue by its number, with or without `#`, or its address in this repository.
func (f *Forge) Issue(ctx context.Context, name string) (Issue, error) {
	number := strings.TrimPrefix(name, "#")
	if rest, ours := strings.CutPrefix(name, f.address.web()+"/"); ours {
		number = lastPart(rest)
	}
	if !isNumber(number) {
		return Issue{}, fmt.Errorf("read issue %q: it is neither a number nor an address below %s", name,
			f.address.web())
	}
	found, err := f.host.issue(ctx, number)
	if err == nil {
		found.URL, err = webAddress(found.URL)
	}
	if err != nil {
		return found, fmt.Errorf("read issue %q: %w", name, err)
	}
	return found, nil
}

// ByHand is the address at which a person opens a request for what was pushed, "" if none is known.
func (f *Forge) ByHand(r Request) string {
	switch {
	case f.address.host == "github.com" || f.Kind == config.GitHub:
		return fmt.Sprintf("%s/compare/%s...%s?expand=1", f.address.web(), r.Base, r.Branch)
	case f.Kind == config.GitLab:
		return f.address.web() + "/-/merge_requests/new?merge_request%5Bsource_branch%5D=" + url.QueryEscape(r.Branch)
	}
	return ""
}

// hasBranch says whether the request's own branch on the remote is at its commit.
func (f *Forge) hasBranch(ctx context.Context, r Request) (bool, error) {
	ref := "refs/heads/" + r.Branch
	refs, err := f.repo.RemoteRefs(ctx, f.remote, ref)
	return refs[ref] == r.Commit, err
}

// pushBranch moves the request's own branch on the remote from what was pushed last to its commit.
func (f *Forge) pushBranch(ctx context.Context, r Request, options ...string) error {
	ref := "refs/heads/" + r.Branch
	refs, err := f.repo.RemoteRefs(ctx, f.remote, ref)
	if err != nil {
		return err
	}
	now := refs[ref]
	if now != "" && now != r.Old {
		return &git.MovedError{Ref: ref + " of " + f.remote, Want: r.Old, Found: now}
	}
	return f.repo.Push(ctx, git.Push{Remote: f.remote, Commit: r.Commit, Ref: ref, Lease: now, Options: options,
		Prompt: f.Prompt, Hooks: f.Hooks})
}

// plain is a remote of which nothing is known but git.
type plain struct{ *Forge }

func (p plain) has(ctx context.Context, r Request) (bool, error) { return p.hasBranch(ctx, r) }

func (p plain) push(ctx context.Context, r Request) error { return p.pushBranch(ctx, r) }

func (plain) open(context.Context, Request) (string, error) { return "", nil }

func (plain) look(context.Context, registry.PullRequest) (Seen, error) { return Seen{}, nil }

func (plain) comments(context.Context, registry.PullRequest) ([]Comment, error) { return nil, nil }

func (plain) issue(context.Context, string) (Issue, error) { return Issue{}, errUnsupported }

// option is a push option: whatever the value is, it stays in one line and is nothing but a value.
func option(key, value string) string {
	return key + "=" + strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, value)
}

// commitID is an answer that is a commit's whole id, "" for any other.
func commitID(s string) string {
	if (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == "" {
		return s
	}
	return ""
}

func isNumber(s string) bool { return s != "" && len(s) < 12 && strings.Trim(s, "0123456789") == "" }

func oneLine(s string) string { return strings.Join(strings.Fields(ui.Clean(s)), " ") }

func lastPart(s string) string {
	s = strings.TrimRight(s, "/")
	return s[strings.LastIndexByte(s, '/')+1:]
}
