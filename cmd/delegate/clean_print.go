package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/plan/setup"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/internal/tidy/cleanup"
)

// mostCommits is how many commits of one thing are named before it goes.
const mostCommits = 5

// printClean lists what goes, what is refused, and in one line for each kind what was not asked for.
func (a *app) printClean(ctx context.Context, p *project.Project, v cleanView) {
	parts := map[cleanup.Decision]string{cleanup.ToRemove: "To be removed:", cleanup.ToRefuse: "Refused:"}
	said := false
	for _, part := range []cleanup.Decision{cleanup.ToRemove, cleanup.ToRefuse} {
		title := parts[part] + "\n"
		for _, it := range v.Items {
			if it.Decision != part {
				continue
			}
			a.printf("%s", title)
			title, said = "", true
			a.printItem(ctx, p, it.Item)
		}
	}
	kept := a.keptOf(v)
	if len(kept) > 0 {
		a.printWrapped("Kept: ", strings.Join(kept, "; "), 6)
	}
	if !said && len(kept) == 0 {
		a.printf("Nothing is left of sessions and agents that could be removed.\n")
	}
}

// printItem says of one thing what it is, what of it landed nowhere, and what becomes of that or why it stays.
func (a *app) printItem(ctx context.Context, p *project.Project, it cleanup.Item) {
	words := it.String()
	if it.Refusal != nil {
		words += "; " + it.Refusal.Reason
	}
	lead := fmt.Sprintf("  %-11s", it.Kind)
	a.printWrapped(lead, text(words), len(lead))
	margin := strings.Repeat(" ", len(lead))
	switch {
	case it.Refusal != nil:
		a.printWrapped(margin+"→ ", text(it.Refusal.Next), len(lead)+2)
	case it.Content == cleanup.Unlanded:
		a.printSubjects(ctx, p, margin, it.Target, cmp.Or(it.Head, it.Branch))
		a.printWrapped(margin, "its commits stay as "+text(it.KeptAs), len(lead))
	case it.Content == cleanup.OnlyCopy:
		for _, ref := range it.Refs {
			a.printf("%s%s\n", margin, text(ref))
			a.printSubjects(ctx, p, margin+"  ", it.Target, ref)
		}
		a.linef(a.term.Red, "%snothing else holds these commits: git will delete them for good", margin)
	}
}

// printSubjects names the newest commits that a branch has not.
func (a *app) printSubjects(ctx context.Context, p *project.Project, margin, branch, head string) {
	lines, all, err := p.Repo.Subjects(ctx, "refs/heads/"+branch, head, mostCommits)
	if branch == "" || err != nil {
		lines, all, err = p.Repo.Subjects(ctx, "HEAD", head, mostCommits)
	}
	if err != nil {
		return
	}
	for _, line := range lines {
		a.printf("%s%s\n", margin, text(line))
	}
	if more := all - len(lines); more > 0 {
		a.printf("%sand %d more\n", margin, more)
	}
}

// keptOf says what was not asked for, and what takes it in.
func (a *app) keptOf(v cleanView) (kept []string) {
	of, folders, bytes := map[cleanup.Content][]string{}, 0, int64(0)
	var all []cleanup.Item
	for _, it := range v.Items {
		if it.Decision != cleanup.ToKeep {
			continue
		}
		if name := cmp.Or(it.Name, it.Branch, it.Path); !slices.Contains(of[it.Content], name) {
			of[it.Content] = append(of[it.Content], name)
		}
		if all = append(all, it.Item); it.Content == cleanup.Printed {
			folders, bytes = folders+1, bytes+it.Bytes
		}
	}
	if landed := of[cleanup.Landed]; len(landed) > 0 {
		kept = append(kept, "what landed and is not that old: "+someNames(landed)+" (delegate clean)")
	}
	if open := of[cleanup.Unlanded]; len(open) > 0 {
		kept = append(kept, "work that landed nowhere: "+someNames(open)+" (delegate clean --all)")
	}
	if folders > 0 {
		kept = append(kept, fmt.Sprintf("prompts, transcripts and last outputs: %s, %s (delegate clean --older 30d)",
			ui.Plural(folders, "folder"), setup.Bytes(bytes)))
	}
	if held := cleanup.KeptReferences(all); held != "" {
		kept = append(kept, held+" (at a terminal: delegate clean --all --older 30d)")
	}
	return kept
}

// someNames names a few, and says how many more there are.
func someNames(all []string) string {
	const most = 6
	return text(ui.Some(all, most))
}

// printCleaned tells what became of what was to be removed.
func (a *app) printCleaned(results []cleanup.Result) {
	removed := 0
	for _, r := range results {
		switch r.Outcome {
		case cleanup.Removed, cleanup.Gone:
			removed++
			if r.Content == cleanup.Unlanded {
				a.printf("The commits of %s stay: git branch NAME %s\n", text(cmp.Or(r.Name, r.Branch, r.Path)),
					text(r.KeptAs))
			}
		case cleanup.Refused:
			a.printf("Kept: %s; %s\n", text(r.String()), text(r.Refusal.Reason))
			a.printf("      → %s\n", text(r.Refusal.Next))
		case cleanup.Failed:
			a.printf("Not removed: %s; %s\n", text(r.String()), text(r.Error))
		}
	}
	if len(results) > 0 {
		a.printf("Removed %d of %d.\n", removed, len(results))
	}
}
