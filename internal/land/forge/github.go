package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/sys/run"
	"delegate/registry"
)

// github is GitHub by the person's program gh, which has their login.
type github struct {
	*Forge
	gh string
}

// ghLimit is how long one call of gh may take.
const ghLimit = time.Minute

// call runs gh and answers with what it printed. Values that others wrote stand behind an equals sign or come by the
// standard input, so that none is ever an option.
func (g github) call(ctx context.Context, input string, args ...string) ([]byte, error) {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "DELEGATE_")
	})
	out, err := run.Output(ctx, run.Command{
		Path: g.gh, Args: args, Dir: g.repo.Worktree, Stdin: strings.NewReader(input), Bound: true, Limit: ghLimit,
		Env: append(env, "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0"),
	})
	return out, git.WithoutLogin(err)
}

// ask is call for an answer in JSON.
func (g github) ask(ctx context.Context, answer any, args ...string) error {
	out, err := g.call(ctx, "", args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return fmt.Errorf("read the answer of gh %s: %w", args[0], err)
	}
	return nil
}

// where names the repository to gh.
func (g github) where() string { return "--repo=" + g.address.host + "/" + g.address.name() }

func (g github) has(ctx context.Context, r Request) (bool, error) { return g.hasBranch(ctx, r) }

func (g github) push(ctx context.Context, r Request) error { return g.pushBranch(ctx, r) }

func (g github) open(ctx context.Context, r Request) (string, error) {
	var there []struct {
		URL  string `json:"url"`
		Base string `json:"baseRefName"`
	}
	if err := g.ask(ctx, &there, "pr", "list", g.where(), "--state=open", "--head="+r.Branch,
		"--json=url,baseRefName"); err != nil {
		return "", err
	}
	if len(there) == 0 {
		out, err := g.call(ctx, r.Body, "pr", "create", g.where(), "--base="+r.Base, "--head="+r.Branch,
			"--title="+r.Title, "--body-file=-")
		return lastLine(string(out)), err
	}
	_, err := g.call(ctx, r.Body, "pr", "edit", g.where(), "--base="+r.Base, "--title="+r.Title, "--body-file=-", "--",
		lastPart(there[0].URL))
	return there[0].URL, err
}

func (g github) look(ctx context.Context, r registry.PullRequest) (Seen, error) {
	var now struct {
		State  string `json:"state"`
		Commit struct {
			ID string `json:"oid"`
		} `json:"mergeCommit"`
	}
	err := g.ask(ctx, &now, "pr", "view", g.where(), "--json=state,mergeCommit", "--", lastPart(r.URL))
	if err != nil {
		return Seen{}, err
	}
	return Seen{State: registry.PullRequestState(strings.ToLower(now.State)), Commit: commitID(now.Commit.ID)}, nil
}

// githubWords is what somebody wrote, as gh and the interface have it.
type githubWords struct {
	Body   string `json:"body"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Author struct {
		Login string `json:"login"`
	} `json:"author"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
	Created   time.Time `json:"createdAt"`
	Submitted time.Time `json:"submittedAt"`
	At        time.Time `json:"created_at"`
}

func (w githubWords) comment() Comment {
	c := Comment{By: w.Author.Login + w.User.Login, Text: w.Body, Path: w.Path, Line: w.Line}
	for _, at := range []time.Time{w.Created, w.Submitted, w.At} {
		if !at.IsZero() {
			c.At = at
		}
	}
	return c
}

func (g github) comments(ctx context.Context, r registry.PullRequest) ([]Comment, error) {
	number := lastPart(r.URL)
	var whole struct {
		Comments []githubWords `json:"comments"`
		Reviews  []githubWords `json:"reviews"`
	}
	if err := g.ask(ctx, &whole, "pr", "view", g.where(), "--json=comments,reviews", "--", number); err != nil {
		return nil, err
	}
	var lines []githubWords
	if err := g.ask(ctx, &lines, "api", "--hostname="+g.address.host,
		"repos/"+g.address.name()+"/pulls/"+number+"/comments?per_page=100"); err != nil {
		return nil, err
	}
	return sorted(slices.Concat(whole.Comments, whole.Reviews, lines), githubWords.comment), nil
}

func (g github) issue(ctx context.Context, number string) (Issue, error) {
	var found struct {
		Title string `json:"title"`
		Body  string `json:"body"`
		URL   string `json:"url"`
	}
	err := g.ask(ctx, &found, "issue", "view", g.where(), "--json=title,body,url", "--", number)
	return Issue{Title: found.Title, Body: found.Body, URL: found.URL}, err
}

// sorted are the comments that others' words are, oldest first.
func sorted[W any](said []W, comment func(W) Comment) []Comment {
	var all []Comment
	for _, words := range said {
		all = append(all, comment(words))
	}
	slices.SortStableFunc(all, func(x, y Comment) int { return x.At.Compare(y.At) })
	return all
}

// lastLine is the address that gh prints behind everything else.
func lastLine(out string) string {
	out = strings.TrimSpace(out)
	return out[strings.LastIndexByte(out, '\n')+1:]
}
