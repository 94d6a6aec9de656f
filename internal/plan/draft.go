package plan

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Task is what a person wants done, before it is split.
type Task struct {
	// Title is one line.
	Title string
	// Text is the task in the person's own words.
	Text string
	// Objectives are its parts, as far as the person named some.
	Objectives []Objective
}

// Objective is an open part of a task.
type Objective struct {
	// Name is one line; a subtask that does it links it by this name.
	Name string
	// Text is what else is said about it.
	Text string
}

// Draft is a first plan for the task, for a person to read and mend: one subtask whose scope is guessed from the paths that the task names.
func Draft(t Task, f Facts, o Options) *Plan {
	text := t.Text
	for _, one := range t.Objectives {
		text += "\n- " + strings.TrimSpace(one.Name+"\n"+one.Text)
	}
	sub := Subtask{
		Number: 1, Name: t.Title, Description: strings.TrimSpace(text), Context: "Say here what the agent must know: decisions, constraints, files to read.",
		Allowed: named(text, f), Type: Standard, Complexity: Medium,
	}
	if len(t.Objectives) == 1 {
		sub.Task = t.Objectives[0].Name
	}
	return &Plan{Title: t.Title, Reasoning: "A first draft, made without a planner. Read it, split it where that helps, and correct the scopes.", Subtasks: []Subtask{sub}}
}

// named are the folders of the tracked files that the text names, or else the first folder that there is.
func named(text string, f Facts) []string {
	var all []string
	for _, word := range regexp.MustCompile(`[\w./-]+`).FindAllString(text, -1) {
		word = strings.Trim(word, "./")
		for _, file := range f.Files {
			if word != "" && (file == word || strings.HasPrefix(file, word+"/")) {
				all = append(all, scopeOf(file))
			}
		}
	}
	for _, file := range f.Files {
		if len(all) == 0 && strings.Contains(file, "/") && !strings.HasPrefix(file, ".") {
			all = append(all, scopeOf(file))
		}
	}
	if len(all) == 0 {
		all = []string{"src/**"}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func scopeOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir + "/**"
	}
	return file
}
