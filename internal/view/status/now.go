package status

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"delegate/checkpoint"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// Now is what an agent does now, the last that it printed, or what it came to.
func Now(ag registry.Agent, v AgentView) string {
	if taken := v.TakenOverText(time.Now()); taken != "" {
		return taken
	}
	switch ag.Status {
	case registry.Running:
		if words := waitWords(ag); words != "" {
			return words
		}
		if place := v.Place; place != nil && (place.QueuedSince != nil || place.UnreachedSince != nil) {
			return place.Words(v.On, time.Now())
		}
		if words := lastWords(ag.ID, project.Tail(v.Output, recentLines)); words != "" {
			return words
		}
	case registry.Pending:
		if v.Place != nil {
			return v.Place.Words(v.On, time.Now())
		}
	case registry.Checkpoint:
		return cmp.Or(ag.Question, ag.Summary)
	case registry.Failed:
		return ag.LastError
	}
	return ag.Summary
}

// recentLines is how much of the end of a transcript has an agent's last words in it; a sentence is so short that it
// says little without the one before it.
const recentLines, shortSentence = 100, 24

// lastWords is the last tool that was used, or the last sentence that was said, beside the reports in an output.
func lastWords(agent, output string) string {
	scanner := checkpoint.NewScanner(agent)
	items := append(scanner.Feed([]byte(output)), scanner.Close()...)
	for _, block := range slices.Backward(items) {
		output = output[:block.Start] + output[block.End:]
	}
	for _, line := range slices.Backward(strings.Split(ui.Clean(output), "\n")) {
		line = strings.TrimSpace(line)
		if tool, is := strings.CutPrefix(line, "· "); is {
			return tool
		}
		if strings.ContainsFunc(line, unicode.IsLetter) {
			sentences := strings.SplitAfter(line, ". ")
			last := len(sentences) - 1
			for last > 0 && len(strings.Join(sentences[last:], "")) < shortSentence { // "It goes well." says little
				last--
			}
			return strings.Join(sentences[last:], "")
		}
	}
	return ""
}
