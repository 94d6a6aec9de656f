package planner

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/text/lazyregexp"
	"delegate/registry"
)

// Task is an objective of docs/01_progress.md and who has claimed it.
type Task struct {
	Objective string          `json:"objective"`
	Done      bool            `json:"done"`
	Agent     string          `json:"agent"`  // "" if nobody works on it
	Status    registry.Status `json:"status"` // of that agent
}

// Tasks lists the objectives of the progress file. A claim holds from the plan on until its agent
// ends; only a person moves it.
func Tasks(p *project.Project, state registry.State) ([]Task, error) {
	data, err := atomicfile.ReadRegular(filepath.Join(p.Main, "docs", "01_progress.md"), maxProgress)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	var all []Task
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		text, open := strings.CutPrefix(line, "- [ ] ")
		done := false
		if !open {
			if text, done = strings.CutPrefix(strings.Replace(line, "- [X]", "- [x]", 1), "- [x] "); !done {
				continue
			}
		}
		t := Task{Objective: text, Done: done}
		if a, claimed := session.Claim(state, text); claimed {
			t.Agent, t.Status = a.ID, a.Status
		}
		all = append(all, t)
	}
	return all, nil
}

// NoTaskError says why docs/01_progress.md gives no task.
type NoTaskError struct{ Reason string }

func (e *NoTaskError) Error() string { return "there is no task to plan: " + e.Reason }

// OpenTask is the active task of docs/01_progress.md with its open objectives; a *NoTaskError if the file names none.
//
// The task is the value of `**Active Task**:`, else the first `### NAME` of the section `## I.`;
// its objectives are the open boxes of that section.
// Where the section has several names and the value is one of them, the objectives are those below it.
// A file without the section is taken as a whole, as `delegate tasks` takes it.
func OpenTask(p *project.Project) (plan.Task, error) {
	data, err := atomicfile.ReadRegular(filepath.Join(p.Main, "docs", "01_progress.md"), maxProgress)
	if errors.Is(err, fs.ErrNotExist) {
		return plan.Task{}, &NoTaskError{"docs/01_progress.md does not exist"}
	}
	if err != nil {
		return plan.Task{}, fmt.Errorf("read the active task: %w", err)
	}
	return openTask(string(data))
}

// maxProgress is the largest progress file that is read, in bytes.
const maxProgress = 4 << 20

// openTask is OpenTask on the file's text.
func openTask(text string) (plan.Task, error) {
	r := progressReader{}
	for line := range strings.Lines(text) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	names := r.names
	if r.sectioned {
		names = r.section
	}
	task := plan.Task{Title: r.active}
	boxes := 0
	chosen := func(string) bool { return true }
	for _, n := range names {
		if strings.EqualFold(n.title, r.active) && r.active != "" {
			chosen = func(title string) bool { return strings.EqualFold(title, r.active) }
		}
	}
	for _, n := range names {
		if !chosen(n.title) {
			continue
		}
		boxes += n.boxes
		task.Objectives = append(task.Objectives, n.open...)
		if len(n.open) == 0 && (n.boxes > 0 || !r.sectioned) {
			continue // all of it is done, or it is about something else
		}
		task.Title = cmp.Or(task.Title, n.title)
		task.Text += strings.TrimSpace(strings.Join(n.prose, "\n")) + "\n\n"
	}
	switch {
	case boxes > 0 && len(task.Objectives) == 0:
		return plan.Task{}, &NoTaskError{"every objective of docs/01_progress.md is ticked"}
	case task.Title == "" && len(task.Objectives) == 0:
		return plan.Task{}, &NoTaskError{"docs/01_progress.md names no active task and no open objective"}
	case task.Title == "":
		task.Title = "Open objectives of docs/01_progress.md"
	}
	task.Text = cmp.Or(strings.TrimSpace(task.Text), task.Title)
	return task, nil
}

// progressName is a `### NAME` of a progress file with what stands below it.
type progressName struct {
	title string
	prose []string
	boxes int
	open  []plan.Objective
}

// progressReader goes through a progress file line by line.
type progressReader struct {
	active    string
	sectioned bool // the file has the section ## I.
	inside    bool // of that section
	fence     string
	names     []*progressName // of the whole file
	section   []*progressName // of that section
	objective bool            // the line before belongs to an open objective
}

// fenceForm begins and ends a block of code.
var fenceForm = lazyregexp.New("^ {0,3}(```+|~~~+)")

func (r *progressReader) line(line string) {
	if m := fenceForm.FindStringSubmatch(line); m != nil {
		switch {
		case r.fence == "":
			r.fence = m[1]
		case strings.HasPrefix(m[1], r.fence):
			r.fence = ""
		}
		r.prose(line)
		return
	}
	if r.fence != "" {
		r.prose(line)
		return
	}
	trimmed := strings.TrimSpace(line)
	if value, found := strings.CutPrefix(trimmed, "**Active Task**:"); found {
		r.name(value)
		return
	}
	title, isName := strings.CutPrefix(line, "### ")
	switch {
	case strings.HasPrefix(line, "## "):
		r.inside = strings.HasPrefix(line, "## I.")
		r.sectioned = r.sectioned || r.inside
		r.begin("")
	case isName:
		r.begin(strings.TrimSpace(title))
	case strings.HasPrefix(line, "# "):
	default:
		r.below(line, trimmed)
	}
}

// name takes the value of the active task; words for nothing are none.
func (r *progressReader) name(value string) {
	value = strings.TrimSpace(value)
	switch strings.ToLower(strings.Trim(value, "*_. ")) {
	case "", "-", "none", "n/a":
		return
	}
	r.active = cmp.Or(r.active, value)
}

func (r *progressReader) begin(title string) {
	n := &progressName{title: title}
	r.objective = false
	r.names = append(r.names, n)
	if r.inside {
		r.section = append(r.section, n)
	}
}

// below takes a line that stands below a name: a box, what goes on with one, or prose.
func (r *progressReader) below(line, trimmed string) {
	if len(r.names) == 0 {
		if !strings.HasPrefix(trimmed, "- [") {
			return // what stands above all headings is about the file
		}
		r.begin("")
	}
	n := r.names[len(r.names)-1]
	text, open := strings.CutPrefix(trimmed, "- [ ] ")
	done := strings.HasPrefix(trimmed, "- [x] ") || strings.HasPrefix(trimmed, "- [X] ")
	switch {
	case open:
		n.boxes++
		n.open = append(n.open, plan.Objective{Name: strings.TrimSpace(text)})
	case done:
		n.boxes++
	case r.objective && trimmed != "" && line != trimmed && (line[0] == ' ' || line[0] == '\t'):
		last := &n.open[len(n.open)-1]
		last.Text = strings.TrimSpace(last.Text + "\n" + trimmed)
		return
	case strings.HasPrefix(trimmed, "**") && strings.Contains(trimmed, "**:"):
		// progress, dates and the like
	default:
		r.prose(line)
	}
	r.objective = open
}

func (r *progressReader) prose(line string) {
	if len(r.names) > 0 {
		n := r.names[len(r.names)-1]
		n.prose = append(n.prose, line)
	}
}
