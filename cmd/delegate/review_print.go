package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"delegate/checkpoint"
	"delegate/conflict"
	"delegate/internal/land/candidate"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/internal/record/audit"
	"delegate/internal/text/shorten"
	"delegate/internal/text/ui"
	"delegate/internal/turn/transcript"
	"delegate/internal/view/status"
	"delegate/registry"
)

// printReport prints what an agent said last beside what is known of it, and what speaks against it.
func (a *app) printReport(r status.Report) {
	style := a.term.Style
	if r.Summary != "" {
		a.printQuoted(ui.Clean(r.Summary))
	}
	block, err := checkpoint.Parse(r.Block)
	sentence, differs := claimsText(r)
	switch {
	case r.Block == "":
	case err != nil || len(r.Claims) == 0: // kept by an earlier version
		a.printf("Its last report:\n%s\n", indent(ui.Clean(r.Block)))
		for _, d := range r.Differences {
			a.linef(style.Yellow, "Claim that differs from the diff: %s", text(d))
		}
	case differs:
		a.printf("%s %s\n", reports(block), style.Yellow(sentence))
		a.printRows(r.Claims)
	default:
		a.printf("%s %s\n", reports(block), sentence)
	}
	for _, part := range []struct{ name, words string }{
		{"Blockers", block.Blockers}, {"Questions", block.Questions}, {"Issues", block.Issues}, {"Notes", block.Notes},
	} {
		if part.words != "" && len(r.Claims) > 0 {
			a.printWrapped("  "+part.name+": ", text(part.words), 4)
		}
	}
	for _, b := range r.Breaches {
		a.linef(style.Red, "Outside its scope: %s", text(b))
	}
}

// reports says what an agent's last block says of the work.
func reports(block checkpoint.Block) string {
	said := map[checkpoint.Status]string{checkpoint.Complete: "done", checkpoint.Blocked: "blocked",
		checkpoint.InProgress: "still working", checkpoint.Partial: "partly done"}[block.Status]
	asks := map[checkpoint.Request]string{checkpoint.Continue: "to go on", checkpoint.Merge: "to be merged",
		checkpoint.Help: "for help", checkpoint.Abort: "to be aborted"}[block.Request]
	if asks != "" && !block.Completion() {
		said += ", asks " + asks
	}
	return "Agent reports: " + said + "."
}

// mostClaims is how many rows of a report are shown; of more, those that differ.
const mostClaims = 40

// printRows prints claims and evidence in two columns, or below each other where there is no room for that.
func (a *app) printRows(rows []checkpoint.Row) {
	style, agreed := a.term.Style, 0
	if len(rows) > mostClaims {
		agreed = len(rows)
		rows = slices.DeleteFunc(slices.Clone(rows), func(r checkpoint.Row) bool {
			return !r.Differs && r.Kind == checkpoint.RowFile
		})
		agreed -= len(rows)
	}
	table := [][]string{{"", "", "its report says", "git and transcript show"}}
	widest := 0
	for _, r := range rows {
		subject, mark := rowSubject(r), "="
		row := []string{mark, subject, orDashes(r.Claimed), orDashes(r.Seen)}
		if r.Differs {
			row = []string{style.Yellow("≠"), style.Yellow(subject), style.Yellow(row[2]), style.Yellow(row[3])}
		}
		widest = max(widest, ui.Columns(subject))
		table = append(table, row)
	}
	const otherColumns = 48 // of both columns and what is between them
	if width := a.term.Width(); width > 0 && widest+otherColumns > width {
		for _, row := range table[1:] {
			a.printf("  %s %s\n      says %s, shown %s\n", row[0], row[1], row[2], row[3])
		}
	} else {
		for i := range table {
			table[i][0] = "  " + table[i][0]
		}
		ui.Table(a.out, nil, table, 0)
	}
	if agreed > 0 {
		a.printf("  = %s more as claimed\n", ui.Plural(agreed, "file"))
	}
}

func orDashes(s string) string {
	if s == "" {
		return "—"
	}
	return text(s)
}

// printRemarks prints what the automated review says, worst first, each with its place.
func (a *app) printRemarks(remarks []review.Remark) {
	style := a.term.Style
	paints := map[review.Severity]func(string) string{review.Critical: style.Red, review.Warning: style.Yellow,
		review.Suggestion: style.Dim}
	for _, severity := range review.Severities() {
		these := slices.DeleteFunc(slices.Clone(remarks), func(r review.Remark) bool { return r.Severity != severity })
		if len(these) == 0 {
			continue
		}
		head := ui.Plural(len(these), strings.ToLower(string(severity)))
		if severity == review.Critical {
			head = fmt.Sprintf("%d critical", len(these))
		}
		a.printf("Review, %s:\n", paints[severity](head))
		for _, r := range these {
			place := ""
			if r.Path != "" {
				place = text(r.Place()) + ": "
			}
			a.printWrapped("  - "+paints[severity](place), text(r.Text)+style.Dim(" ["+r.Rule+"]"), 4)
			if r.Detail != "" {
				a.linef(style.Dim, "%s", quoted(ui.Clean(r.Detail)))
			}
		}
	}
}

// quoted sets what a program printed apart from our own words.
func quoted(s string) string {
	return "    │ " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    │ ")
}

// asAbove stands for what was told in full already.
const asAbove = "as above"

// printFindings prints conflicts with the places of both sides. Files that two sides touch and git merges are one line
// at the end.
func (a *app) printFindings(all []conflict.Finding) {
	style := a.term.Style
	for _, f := range all {
		if isClean(f) {
			continue
		}
		paint := func(s string) string { return s }
		switch f.Severity {
		case conflict.Error:
			paint = style.Red
		case conflict.Warning:
			paint = style.Yellow
		}
		what := fmt.Sprintf("%s %s (%s): ", f.Type, strings.Join(f.Agents, " × "), f.Certainty)
		if a.printed[f.Message] {
			a.printf("  %s\n", paint(what+asAbove))
			continue
		}
		if a.printed != nil {
			a.printed[f.Message] = true
		}
		a.printWrapped("  ", paint(what+text(f.Message)), 4)
		if !a.printColumns(f) {
			for _, p := range f.Places {
				a.printf("      %s  %s\n", p.Agent, placeText(p))
			}
		}
		if f.Advice != "" {
			a.printWrapped("      → ", text(f.Advice), 8)
		}
	}
	touched := touchedFiles(all)
	for _, pair := range slices.Sorted(maps.Keys(touched)) {
		both := text(touched[pair][0].Message)
		if len(touched[pair]) > 1 {
			var files []string
			for _, f := range touched[pair] {
				files = append(files, f.Places[0].Path)
			}
			both = "both change " + someNames(files) + ". Git merges them."
		}
		a.printWrapped("  ", style.Yellow(pair+": "+both), 4)
	}
}

// touchedFiles are the findings about files that two sides touch and git merges, by the two.
func touchedFiles(all []conflict.Finding) map[string][]conflict.Finding {
	touched := map[string][]conflict.Finding{}
	for _, f := range all {
		if isClean(f) {
			pair := strings.Join(f.Agents, " × ")
			touched[pair] = append(touched[pair], f)
		}
	}
	return touched
}

// named are findings for people: agents by their names, the target by the name of its branch.
func named(state registry.State, all []conflict.Finding) []conflict.Finding {
	out := slices.Clone(all)
	for i := range out {
		f := &out[i]
		f.Agents, f.Places = slices.Clone(f.Agents), slices.Clone(f.Places)
		f.Message, f.Advice = forPeople(state, f.Message), forPeople(state, f.Advice)
		for n := range f.Agents {
			f.Agents[n] = forPeople(state, f.Agents[n])
		}
		for n := range f.Places {
			f.Places[n].Agent = forPeople(state, f.Places[n].Agent)
		}
	}
	return out
}

// printColumns prints a finding's places in one column for each side; false if the terminal has no
// room, or the finding has no two sides.
func (a *app) printColumns(f conflict.Finding) bool {
	width := a.term.Width()
	if width < narrow || len(f.Agents) != 2 {
		return false
	}
	columns := [2][]string{}
	for _, p := range f.Places {
		i := slices.Index(f.Agents, p.Agent)
		if i < 0 {
			return false
		}
		columns[i] = append(columns[i], placeText(p))
	}
	if len(columns[0]) == 0 || len(columns[1]) == 0 {
		return false
	}
	table := [][]string{{"     ", f.Agents[0], f.Agents[1]}}
	for i := range max(len(columns[0]), len(columns[1])) {
		row := []string{"     ", "", ""}
		for side, places := range columns {
			if i < len(places) {
				row[side+1] = places[i]
			}
		}
		if ui.Columns(row[1]) > width/2-8 || ui.Columns(row[2]) > width/2-8 {
			return false
		}
		table = append(table, row)
	}
	for i, cell := range table[0][1:] {
		table[0][i+1] = a.term.Bold(cell)
	}
	ui.Table(a.out, nil, table, 0)
	return true
}

func placeText(p conflict.Place) string {
	at := pathText(p.Path)
	if p.Line > 0 {
		at += fmt.Sprintf(":%d", p.Line)
	}
	if p.Symbol != "" {
		at += " " + text(p.Symbol)
	}
	return at
}

// printWrapped prints words behind a beginning; at a terminal it breaks them between words, with
// the later lines this far in.
func (a *app) printWrapped(beginning, words string, margin int) {
	for _, line := range ui.Wrap(beginning, words, margin, a.term.Width()) {
		a.printf("%s\n", line)
	}
}

// reportNotes is what an agent's last report leaves to the person, in one line: the issues that it met, and its notes.
func reportNotes(p *project.Project, state registry.State, c candidate.Candidate, m candidate.Member) fact {
	block, err := checkpoint.Parse(status.ReportOf(p, state, m.Agent).Block)
	if err != nil || c.Kind == candidate.Rollback {
		return fact{}
	}
	words := strings.Trim(strings.TrimSpace(block.Issues)+"\n"+strings.TrimSpace(block.Notes), "\n")
	words = text(shorten.Runes(strings.ReplaceAll(words, "\n", " / "), transcript.MostSummary))
	if words != "" && len(c.Members) > 1 {
		words = m.Agent.Name + ": " + words
	}
	return fact{name: "notes", words: words}
}

// printQuoted prints lines of a person's or a program's own, and an empty one.
// Each is marked, so that it cannot pass for this program's words; only those too long for the terminal are broken.
func (a *app) printQuoted(lines string) {
	for _, line := range ui.Quote(lines, a.term.Width()) {
		a.printf("%s\n", line)
	}
	a.printf("\n")
}

type reviewView struct {
	Waiting       []pointView          `json:"waiting"`
	Disagreements []audit.Disagreement `json:"disagreements"`
}

// pointView is a thing that waits, of finished work with what its diff does not say.
type pointView struct {
	status.Point
	Remarks []review.Remark `json:"remarks"`
}

func viewPoints(ctx context.Context, p *project.Project, state registry.State, points []status.Point) []pointView {
	all := []pointView{}
	for _, point := range points {
		v := pointView{point, []review.Remark{}}
		if ag, err := state.Agent(point.Agent); err == nil && point.Kind == status.CompletePoint {
			v.Remarks = hiddenIn(ctx, p, state, ag)
		}
		all = append(all, v)
	}
	return all
}
