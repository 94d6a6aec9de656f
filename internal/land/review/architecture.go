package review

import (
	"fmt"
	"strings"

	"delegate/change"
	"delegate/scope"
)

// architecture says where new files are that the configured places do not cover.
func architecture(w *work) ([]Remark, error) {
	var places []scope.Pattern
	for _, glob := range w.Rules.Architecture {
		pattern, err := scope.ParsePattern(glob)
		if err != nil {
			return nil, fmt.Errorf("review.architecture: %w", err)
		}
		places = append(places, pattern)
	}
	if len(places) == 0 {
		return nil, nil
	}
	var remarks []Remark
	for _, f := range w.Changes {
		if f.Kind != change.Added && f.Kind != change.Renamed {
			continue
		}
		allowed := false
		for _, p := range places {
			allowed = allowed || p.Match(f.Path)
		}
		if !allowed {
			text := "a new file in no place named by review.architecture (" + strings.Join(w.Rules.Architecture, ", ") +
				")"
			remarks = append(remarks, Remark{Severity: Warning, Path: f.Path, Text: text})
		}
	}
	return remarks, nil
}
