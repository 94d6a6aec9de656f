package merge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"

	"delegate/change"
	"delegate/internal/project"
	"delegate/scope"
)

// Severity is how much a remark of the automated review weighs.
type Severity string

// The severities. A Critical remark blocks the landing.
const (
	Critical   Severity = "Critical"
	Caution    Severity = "Warning"
	Suggestion Severity = "Suggestion"
)

// Remark is one thing the automated review has to say.
type Remark struct {
	Severity Severity
	Path     string
	Text     string
}

// review applies the configured rules to the candidate: where new files may be, secrets in added lines, the standards commands.
func (b *Builder) review(ctx context.Context, c Candidate, probe string) ([]Remark, error) {
	if c.Kind == Rollback {
		return nil, nil
	}
	remarks, err := b.architecture(c)
	if err != nil {
		return nil, err
	}
	if b.p.Config.Review.Secrets {
		found, err := b.secrets(ctx, c)
		if err != nil {
			return nil, err
		}
		remarks = append(remarks, found...)
	}
	hidden, err := b.history(ctx, c)
	if err != nil {
		return nil, err
	}
	failed, err := b.standards(ctx, probe)
	return slices.Concat(remarks, hidden, failed), err
}

// mostHidden bounds how many paths are named that only the history has.
const mostHidden = 20

// history names what is outside of the scope and in the commits alone: the result does not have it, but it comes into the target's history with it.
func (b *Builder) history(ctx context.Context, c Candidate) ([]Remark, error) {
	limits, err := b.p.Scope(c.Agent)
	if err != nil {
		return nil, err
	}
	touched, err := b.p.Repo.Touched(ctx, c.Tip, c.Theirs)
	if err != nil {
		return nil, err
	}
	for _, f := range c.Changes {
		delete(touched, f.Path)
		delete(touched, f.BasePath())
	}
	var remarks []Remark
	for _, path := range slices.Sorted(maps.Keys(touched)) {
		if limits.Check(path).Allowed {
			continue
		}
		if len(remarks) == mostHidden {
			remarks = append(remarks, Remark{Caution, path, "more paths outside of the scope are in its history alone"})
			break
		}
		text := fmt.Sprintf("%q is outside of the scope, not in the result, and in commit %.12s of its history, which %s gets too; to keep it out, send the agent back to rewrite its commits", path, touched[path], c.Target)
		remarks = append(remarks, Remark{Caution, path, text})
	}
	return remarks, nil
}

func (b *Builder) architecture(c Candidate) ([]Remark, error) {
	var places []scope.Pattern
	for _, glob := range b.p.Config.Review.Architecture {
		pattern, err := scope.ParsePattern(glob)
		if err != nil {
			return nil, fmt.Errorf("review.architecture: %w", err)
		}
		places = append(places, pattern)
	}
	var remarks []Remark
	for _, f := range c.Changes {
		if f.Kind != change.Added && f.Kind != change.Renamed || len(places) == 0 {
			continue
		}
		allowed := false
		for _, p := range places {
			allowed = allowed || p.Match(f.Path)
		}
		if !allowed {
			remarks = append(remarks, Remark{Caution, f.Path, fmt.Sprintf("new file %s is in no place named by review.architecture", f.Path)})
		}
	}
	return remarks, nil
}

// secretForms are texts that are secrets by their form alone.
func secretForms() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"a private key":          regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----`),
		"an AWS access key":      regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`),
		"a GitHub token":         regexp.MustCompile(`\b(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{50,})\b`),
		"a Slack token":          regexp.MustCompile(`\bxox[abprs]-[0-9A-Za-z-]{20,}\b`),
		"a model provider's key": regexp.MustCompile(`\bsk-(?:ant-|proj-)?[0-9A-Za-z_-]{32,}\b`),
	}
}

// secrets looks for them in what the candidate's changed files have and the target's do not.
func (b *Builder) secrets(ctx context.Context, c Candidate) ([]Remark, error) {
	const largest = 1 << 20
	forms := secretForms()
	var remarks []Remark
	for _, f := range c.Changes {
		if f.Kind == change.Deleted || f.Binary || f.NewMode == 0o160000 {
			continue
		}
		data, err := b.objects.Blob(ctx, f.NewID)
		if err != nil {
			return nil, err
		}
		if len(data) > largest {
			remarks = append(remarks, Remark{Suggestion, f.Path, fmt.Sprintf("%s is larger than %d bytes and was not scanned for secrets", f.Path, largest)})
			continue
		}
		var before []byte
		if f.OldMode != 0 && f.OldMode != 0o160000 {
			if before, err = b.objects.Blob(ctx, f.OldID); err != nil {
				return nil, err
			}
		}
		for what, form := range forms {
			if len(form.FindAll(data, -1)) > len(form.FindAll(before, -1)) {
				remarks = append(remarks, Remark{Critical, f.Path, fmt.Sprintf("%s adds what looks like %s", f.Path, what)})
			}
		}
	}
	sortRemarks(remarks)
	return remarks, nil
}

// standards runs the configured commands on the candidate.
func (b *Builder) standards(ctx context.Context, probe string) ([]Remark, error) {
	if len(b.p.Config.Review.Standards) == 0 {
		return nil, nil
	}
	log := filepath.Join(b.p.Private, "verified", "standards.log")
	outcome, err := b.p.RunOn(ctx, probe, b.p.Config.Review.Standards, log)
	if err != nil || outcome.Result != project.Fail {
		return nil, err
	}
	return []Remark{{Caution, "", fmt.Sprintf("%q says no (%s), see %s", outcome.Command, outcome.Reason, log)}}, nil
}

func sortRemarks(remarks []Remark) {
	slices.SortFunc(remarks, func(x, y Remark) int { return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Text, y.Text)) })
}
