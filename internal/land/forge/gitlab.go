package forge

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"delegate/registry"
)

// gitlab is GitLab, where options of a push open a request for its branch, or change it.
type gitlab struct {
	*Forge
	web *web
}

func (g gitlab) api(rest string) string {
	return g.address.site() + "/api/v4/projects/" + url.PathEscape(g.address.path) + rest
}

func (g gitlab) has(ctx context.Context, r Request) (bool, error) { return g.hasBranch(ctx, r) }

func (g gitlab) push(ctx context.Context, r Request) error {
	options := []string{option("merge_request.target", r.Base), option("merge_request.title", r.Title),
		option("merge_request.description", strings.ReplaceAll(r.Body, "\n", `\n`))}
	if r.URL == "" {
		options = append([]string{"merge_request.create"}, options...)
	}
	return g.pushBranch(ctx, r, options...)
}

// How often, and how long after one another, the remote is asked for the request that it makes of a push.
const requestTries, requestPause = 10, time.Second

func (g gitlab) open(ctx context.Context, r Request) (string, error) {
	for range requestTries {
		heads, err := g.repo.RemoteRefs(ctx, g.remote, "refs/merge-requests/*/head")
		if err != nil {
			return "", err
		}
		for ref, id := range heads {
			if id == r.Commit {
				number := strings.TrimSuffix(strings.TrimPrefix(ref, "refs/merge-requests/"), "/head")
				return g.address.web() + "/-/merge_requests/" + number, nil
			}
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(requestPause):
		}
	}
	return "", nil // it is pushed; a person opens it by hand
}

func (g gitlab) look(ctx context.Context, r registry.PullRequest) (Seen, error) {
	if r.URL == "" {
		return Seen{}, nil
	}
	var now struct {
		State  string `json:"state"`
		Merge  string `json:"merge_commit_sha"`
		Squash string `json:"squash_commit_sha"`
	}
	if err := g.web.get(ctx, g.api("/merge_requests/"+lastPart(r.URL)), &now); err != nil {
		return Seen{}, err
	}
	switch now.State {
	case "merged":
		commit := cmp.Or(now.Merge, now.Squash)
		return Seen{State: registry.PullRequestMerged, Commit: commitID(commit)}, nil
	case "closed":
		return Seen{State: registry.PullRequestClosed}, nil
	}
	return Seen{State: registry.PullRequestOpen}, nil
}

// gitlabWords is what somebody wrote, as the interface has it.
type gitlabWords struct {
	Body   string `json:"body"`
	System bool   `json:"system"`
	Author struct {
		Name string `json:"username"`
	} `json:"author"`
	Created time.Time `json:"created_at"`
	Place   struct {
		Path string `json:"new_path"`
		Line int    `json:"new_line"`
	} `json:"position"`
}

func (w gitlabWords) comment() Comment {
	if w.System {
		return Comment{}
	}
	return Comment{By: w.Author.Name, Text: w.Body, Path: w.Place.Path, Line: w.Place.Line, At: w.Created}
}

func (g gitlab) comments(ctx context.Context, r registry.PullRequest) ([]Comment, error) {
	if r.URL == "" {
		return nil, nil
	}
	var said []gitlabWords
	if err := g.web.get(ctx, g.api("/merge_requests/"+lastPart(r.URL)+"/notes?per_page=100"), &said); err != nil {
		return nil, err
	}
	return sorted(said, gitlabWords.comment), nil
}

func (g gitlab) issue(ctx context.Context, number string) (Issue, error) {
	var found struct {
		Title string `json:"title"`
		Body  string `json:"description"`
	}
	err := g.web.get(ctx, g.api("/issues/"+number), &found)
	return Issue{Title: found.Title, Body: found.Body, URL: g.address.web() + "/-/issues/" + number}, err
}
