package completion

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// updateProgress brings docs/01_progress.md up to date after landings: ticked objectives, the
// progress they make, and one recent update. Everything else in it stays byte for byte, what it
// lacks is not invented, and a repository without the file gets none. It returns what changed, in words.
func updateProgress(p *project.Project, state registry.State, ids []string) (string, error) {
	const name = "docs/01_progress.md"
	path := filepath.Join(p.Main, filepath.FromSlash(name))
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read progress: %w", err)
	}
	var merged []registry.Agent
	for _, a := range state.Agents {
		if slices.Contains(ids, a.ID) {
			merged = append(merged, a)
		}
	}
	if len(merged) == 0 {
		return "", nil
	}
	updated := progressText(string(old), merged, state.Session.ID, p.Now().UTC().Format("2006-01-02"))
	if updated == string(old) {
		return "", nil
	}
	words := name
	if before, after := progressOf(string(old)), progressOf(updated); before != after {
		words += ", " + before + " → " + after
	}
	if len(old) == 0 {
		old = nil
	}
	return words, atomicfile.Replacer{}.Replace(path, old, []byte(updated))
}

const progressField = "**Progress**:"

// progressOf is what the file says of the progress, as it is written there.
func progressOf(text string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, progressField); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// progressText is the pure edit. A second call with the same session changes nothing.
func progressText(text string, merged []registry.Agent, session, date string) string {
	if strings.Contains(text, session) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	ticked := false
	for i, line := range lines {
		if objective, open := strings.CutPrefix(strings.TrimSpace(line), "- [ ] "); open && isDone(objective, merged) {
			lines[i] = strings.Replace(line, "- [ ]", "- [x]", 1)
			ticked = true
		}
	}
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "**Last Updated**:"):
			lines[i] = "**Last Updated**: " + date + ending(line)
		case strings.HasPrefix(line, progressField) && ticked:
			lines[i] = fmt.Sprintf("%s %d%%%s", progressField, percent(lines), ending(line))
		}
	}
	return addUpdate(lines, merged, session, date)
}

// ending is the line break a line has, none on an unfinished last line.
func ending(line string) string {
	return line[len(strings.TrimRight(line, "\r\n")):]
}

func isDone(objective string, merged []registry.Agent) bool {
	for _, a := range merged {
		if objective == a.Task || a.Task == "" && objective == a.Subtask {
			return true
		}
	}
	return false
}

// percent is the share of ticked objectives in the active task.
func percent(lines []string) int {
	done, all, active := 0, 0, false
	box := regexp.MustCompile(`^\s*- \[([ xX])\] `)
	for _, line := range lines {
		if strings.HasPrefix(line, "## ") {
			active = strings.HasPrefix(line, "## I. ")
		}
		if m := box.FindStringSubmatch(line); m != nil && active {
			all++
			if m[1] != " " {
				done++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return done * 100 / all
}

// addUpdate puts one bullet first under Recent Updates, if the file has that section.
func addUpdate(lines []string, merged []registry.Agent, session, date string) string {
	names := make([]string, 0, len(merged))
	for _, a := range merged {
		names = append(names, project.OneLine(a.Subtask))
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, "## II. Recent Updates") {
			continue
		}
		at := i + 1
		for at < len(lines) && strings.TrimSpace(lines[at]) == "" {
			at++
		}
		bullet := fmt.Sprintf("- %s: landed %s (%s)", date, strings.Join(names, "; "), session)
		end := orBreak(ending(line), lines[0])
		before, after := strings.Join(lines[:at], ""), strings.Join(lines[at:], "")
		if ending(before) == "" { // the file ends with the heading and without a line break: so it does with the bullet
			return before + end + bullet + after
		}
		if strings.HasPrefix(after, "#") { // an empty section stays apart from the next
			end += end
		}
		return before + bullet + end + after
	}
	return strings.Join(lines, "")
}

// orBreak is a line break as the text has it, or as another line has it.
func orBreak(text, other string) string {
	return cmp.Or(text, ending(other), "\n")
}
