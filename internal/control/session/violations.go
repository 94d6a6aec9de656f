package session

import (
	"fmt"
	"slices"

	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// OpenViolations counts what an agent was seen to do that it may not, each row of what was refused or found, without
// those of changes that were put back since. Where that cannot be read, none counts as put back.
func OpenViolations(p *project.Project, session string, a registry.Agent) int {
	if a.Violations == 0 {
		return 0
	}
	rows, err := RecordedRows(p, session, a)
	if err != nil {
		return a.Violations
	}
	open, err := ReadBreaches(p, session, a)
	if err != nil {
		return a.Violations
	}
	n := a.Violations
	for path, rowsOfPath := range rows {
		if _, is := open[path]; !is && !slices.Contains(a.FilesModified, path) {
			n -= rowsOfPath
		}
	}
	return max(0, n)
}

// ViolationWords counts the violations of agents for people, such as "2 violations (1 put back)"; "" for none.
func ViolationWords(p *project.Project, session string, agents ...registry.Agent) string {
	all, open := 0, 0
	for _, a := range agents {
		all, open = all+a.Violations, open+OpenViolations(p, session, a)
	}
	switch {
	case all == 0:
		return ""
	case open < all:
		return fmt.Sprintf("%s (%d put back)", ui.Plural(all, "violation"), all-open)
	}
	return ui.Plural(all, "violation")
}
