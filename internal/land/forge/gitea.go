package forge

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/registry"
)

// gitea is Gitea, and Forgejo, which came of it. A push to refs/for/BASE makes the request by itself, and no branch.
type gitea struct {
	*Forge
	web *web
}

func (g gitea) api(format string, args ...any) string {
	return g.address.root() + "/api/v1/repos/" + g.address.name() + fmt.Sprintf(format, args...)
}

// numberOf is the number of the request that has a commit as its head, "" if none has.
func (g gitea) numberOf(ctx context.Context, commit string) (number string, heads map[string]string, err error) {
	heads, err = g.repo.RemoteRefs(ctx, g.remote, "refs/pull/*/head")
	for ref, id := range heads {
		if id == commit {
			number = strings.TrimSuffix(strings.TrimPrefix(ref, "refs/pull/"), "/head")
		}
	}
	return number, heads, err
}

func (g gitea) has(ctx context.Context, r Request) (bool, error) {
	number, _, err := g.numberOf(ctx, r.Commit)
	if err != nil || number == "" || !r.Below {
		return number != "", err
	}
	return g.hasBranch(ctx, r)
}

func (g gitea) push(ctx context.Context, r Request) error {
	number, heads, err := g.numberOf(ctx, r.Commit)
	if err != nil {
		return err
	}
	if r.Below { // the request that is made of the push has no branch, and another one needs one
		there, err := g.hasBranch(ctx, r)
		if err == nil && !there {
			err = g.pushBranch(ctx, r)
		}
		if err != nil {
			return err
		}
	}
	if number != "" {
		return nil
	}
	options := []string{option("topic", r.Branch), option("title", r.Title),
		option("description", g.encoded(ctx, r.Body))}
	if r.URL != "" {
		ref := "refs/pull/" + lastPart(r.URL) + "/head"
		if heads[ref] != r.Old {
			return &git.MovedError{Ref: ref + " of " + g.remote, Want: r.Old, Found: heads[ref]}
		}
		if err := g.edit(ctx, r); err != nil {
			return err
		}
		options = append(options, "force-push=true")
	}
	return g.repo.Push(ctx, git.Push{Remote: g.remote, Commit: r.Commit, Ref: "refs/for/" + r.Base, Unleased: true,
		Options: options, Prompt: g.Prompt, Hooks: g.Hooks})
}

// encoded is a text of several lines as a push option carries it: Gitea takes base64 since 1.26, Forgejo one line.
func (g gitea) encoded(ctx context.Context, body string) string {
	var says struct {
		Version string `json:"version"`
	}
	err := g.web.get(ctx, g.address.root()+"/api/v1/version", &says)
	var major, minor int
	_, other := fmt.Sscanf(says.Version, "%d.%d", &major, &minor) // such as "development"
	if err != nil || strings.Contains(says.Version, "+gitea-") || other == nil && major == 1 && minor < 26 {
		var line []string // in one line code is code by its marks alone
		for part := range strings.Lines(body) {
			code, isCode := strings.CutPrefix(strings.TrimRight(part, " \t\n"), "    ")
			if isCode && code != "" {
				part = "`" + strings.ReplaceAll(code, "`", "'") + "`"
			}
			line = append(line, strings.Fields(part)...)
		}
		return strings.Join(line, " ")
	}
	return "{base64}" + base64.StdEncoding.EncodeToString([]byte(body))
}

// edit brings the text of an open request up to date, and its base, by which a push finds it. Without a login the text
// stays; another base is refused then.
func (g gitea) edit(ctx context.Context, r Request) error {
	var now struct {
		Base struct {
			Ref string `json:"ref"`
		} `json:"base"`
	}
	number := lastPart(r.URL)
	if err := g.web.get(ctx, g.api("/pulls/%s", number), &now); err != nil {
		return err
	}
	change := map[string]string{"title": r.Title, "body": r.Body}
	if now.Base.Ref != r.Base {
		change["base"] = r.Base
	}
	err := g.web.send(ctx, http.MethodPatch, g.api("/pulls/%s", number), change)
	if err != nil && now.Base.Ref != r.Base {
		return fmt.Errorf("change the base of %s to %q; change it there, then type the same again: %w", r.URL, r.Base,
			err)
	}
	return nil
}

func (g gitea) open(ctx context.Context, r Request) (string, error) {
	number, _, err := g.numberOf(ctx, r.Commit)
	if err != nil {
		return "", err
	}
	if number == "" {
		return "", fmt.Errorf("open a pull request for %q: the remote has %.12s in none", r.Branch, r.Commit)
	}
	return g.address.web() + "/pulls/" + number, nil
}

func (g gitea) look(ctx context.Context, r registry.PullRequest) (Seen, error) {
	var now struct {
		State  string `json:"state"`
		Merged bool   `json:"merged"`
		Commit string `json:"merge_commit_sha"`
	}
	if err := g.web.get(ctx, g.api("/pulls/%s", lastPart(r.URL)), &now); err != nil {
		return Seen{}, err
	}
	switch {
	case now.Merged:
		return Seen{State: registry.PullRequestMerged, Commit: commitID(now.Commit)}, nil
	case now.State == "closed":
		return Seen{State: registry.PullRequestClosed}, nil
	}
	return Seen{State: registry.PullRequestOpen}, nil
}

// giteaWords is what somebody wrote, as the interface has it.
type giteaWords struct {
	ID   int    `json:"id"`
	Body string `json:"body"`
	Path string `json:"path"`
	Line int    `json:"position"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
	Created   time.Time `json:"created_at"`
	Submitted time.Time `json:"submitted_at"`
}

func (w giteaWords) comment() Comment {
	at := w.Created
	if at.IsZero() {
		at = w.Submitted
	}
	return Comment{By: w.User.Login, Text: w.Body, Path: w.Path, Line: w.Line, At: at}
}

func (g gitea) comments(ctx context.Context, r registry.PullRequest) ([]Comment, error) {
	number := lastPart(r.URL)
	var said, reviews []giteaWords
	if err := g.web.get(ctx, g.api("/issues/%s/comments", number), &said); err != nil {
		return nil, err
	}
	if err := g.web.get(ctx, g.api("/pulls/%s/reviews", number), &reviews); err != nil {
		return nil, err
	}
	for _, review := range reviews {
		var lines []giteaWords
		if err := g.web.get(ctx, g.api("/pulls/%s/reviews/%d/comments", number, review.ID), &lines); err != nil {
			return nil, err
		}
		said = append(append(said, review), lines...)
	}
	return sorted(said, giteaWords.comment), nil
}

func (g gitea) issue(ctx context.Context, number string) (Issue, error) {
	var found struct {
		Title string `json:"title"`
		Body  string `json:"body"`
	}
	err := g.web.get(ctx, g.api("/issues/%s", number), &found)
	return Issue{Title: found.Title, Body: found.Body, URL: g.address.web() + "/issues/" + number}, err
}
