package pullrequest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/land/candidate"
	"delegate/internal/project"
	"delegate/internal/text/shorten"
	"delegate/internal/text/ui"
)

// How much of a request's text there is: push options and forges have limits.
const (
	longestTitle  = 200
	mostText      = 40_000
	mostFiles     = 50
	mostOfTests   = 20 // lines
	mostOfSummary = 2_000
)

// text is the title and the body of a request: what was asked for, what the agent says of it, what changed, what the
// tests printed, what conflicted, who approved, and the repository's own template.
func text(p *project.Project, ok candidate.Approved, out candidate.Outgoing, template string) (title, body string) {
	c := ok.Candidate()
	title, parts := c.TextOf(out.Agents)
	title = shorten.Bytes(project.OneLine(ui.Clean(title)), longestTitle)
	var b strings.Builder
	i := 0
	for _, m := range c.Members {
		if !slices.Contains(out.Agents, m.Agent.ID) {
			continue
		}
		if len(out.Agents) > 1 {
			fmt.Fprintf(&b, "### %s\n\n", project.OneLine(m.Agent.Subtask))
		}
		if parts[i] != "" {
			fmt.Fprintf(&b, "%s\n\n", parts[i])
		}
		i++
		ofMember(&b, m)
	}
	ofTests(&b, p, c)
	fmt.Fprintf(&b, "Approved by %s, digest %s.\n", ok.Who().Name, c.Short())
	body = shorten.Bytes(ui.Clean(b.String()), mostText)
	if template != "" {
		body += "\n---\n\n" + shorten.Bytes(template, mostText-min(len(body), mostText))
	}
	return title, body
}

// ofMember is what is known of an agent's part. Its own words stand as code: nobody is called by them, and no issue is
// closed.
func ofMember(b *strings.Builder, m candidate.Member) {
	if m.Agent.Summary != "" {
		said := asCode(shorten.Bytes(m.Agent.Summary, mostOfSummary))
		fmt.Fprintf(b, "%s (%s) says:\n\n%s\n", m.Agent.Name, m.Agent.Profile, said)
	}
	b.WriteString("Files:\n\n")
	for i, f := range m.Changes {
		if i == mostFiles {
			fmt.Fprintf(b, "- and %d more\n", len(m.Changes)-i)
			break
		}
		name := strings.Trim(strconv.Quote(strings.ReplaceAll(f.Path, "`", "'")), `"`) // in one line, whatever it is
		fmt.Fprintf(b, "- `%s` (+%d −%d)\n", name, f.Insertions, f.Deletions)
	}
	b.WriteString("\n")
	var found []string
	for _, f := range m.Findings {
		found = append(found, f.Message)
	}
	for _, r := range m.Resolved {
		found = append(found, "resolved: "+r.String())
	}
	if len(found) > 0 {
		fmt.Fprintf(b, "Conflicts:\n\n%s\n", asCode(strings.Join(found, "\n")))
	}
}

// ofTests is what the verify commands say of the merged result.
func ofTests(b *strings.Builder, p *project.Project, c candidate.Candidate) {
	switch c.Tests.Result {
	case project.Pass:
		commands := asCode(strings.Join(p.Config.Verify, "\n"))
		fmt.Fprintf(b, "The verify commands pass on the merged result:\n\n%s\n", commands)
	case project.Fail:
		fmt.Fprintf(b, "**`%s` fails on the merged result** (%s); this was accepted explicitly.\n\n",
			strings.ReplaceAll(c.Tests.Command, "`", "'"), c.Tests.Reason)
	case project.NoCommands:
		b.WriteString("No tests were run.\n\n")
	}
	if c.Tests.Output != "" && c.Tests.Result != project.NoCommands {
		fmt.Fprintf(b, "They printed last:\n\n%s\n", asCode(project.Tail(c.Tests.Output, mostOfTests)))
	}
	if open := waiting(c.Others); len(open) > 0 {
		fmt.Fprintf(b, "Conflicts with work that is not merged yet:\n\n%s\n", asCode(strings.Join(open, "\n")))
	}
}

func waiting(all []conflict.Finding) (open []string) {
	for _, f := range all {
		if f.Severity != conflict.Info {
			open = append(open, f.Message)
		}
	}
	return open
}

// asCode is a text as Markdown shows it letter by letter.
func asCode(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") + "\n"
}

// templates are where a repository has its own text for a request, by the forges' documents.
func templates() []string {
	var all []string
	for _, folder := range []string{".gitea/", ".forgejo/", ".github/", "", "docs/"} {
		for _, name := range []string{"pull_request_template.md", "PULL_REQUEST_TEMPLATE.md"} {
			all = append(all, folder+name)
		}
	}
	return append(all, ".gitlab/merge_request_templates/Default.md", ".gitlab/merge_request_templates/default.md")
}

// templateAt is the repository's text for a request, as the target has it; "" if there is none.
func templateAt(ctx context.Context, repo *git.Repo, commit string) (string, error) {
	blobs := repo.OpenBlobs(ctx)
	defer blobs.Close()
	for _, path := range templates() {
		data, kind, err := blobs.Read(commit+":"+path, mostText)
		if errors.Is(err, git.ErrNoObject) || errors.Is(err, git.ErrTooLarge) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("read the template of pull requests: %w", err)
		}
		if kind == "blob" {
			return ui.Clean(string(data)), nil
		}
	}
	return "", nil
}
