package page

import (
	"bytes"
	"context"
	"io/fs"

	"delegate/conflict"
	"delegate/internal/git/objects"
	"delegate/internal/project"
	"delegate/registry"
)

// conflictsPage is what an agent's work does to that of others.
type conflictsPage struct {
	frame
	Part     bool
	Findings []findingView
}

// findingView is a finding with the lines of its places.
type findingView struct {
	conflict.Finding
	Sides []sideView
}

type sideView struct {
	conflict.Place
	Lines []excerptLine
}

// excerptLine is a line near a place.
type excerptLine struct {
	N    int
	Text string
	Here bool
}

// around is how many lines before and after a place are shown, longest how many bytes of each.
const around, longest = 4, 300

// sides reads the lines of a finding's places, where there are any to read.
func (s *server) sides(ctx context.Context, state registry.State, f conflict.Finding) findingView {
	o := objects.New(s.Project.Repo)
	defer o.Close()
	v := findingView{Finding: f}
	for _, p := range f.Places {
		v.Sides = append(v.Sides, sideView{p, s.excerpt(ctx, o, state, p)})
	}
	return v
}

func (s *server) excerpt(ctx context.Context, o *objects.Reader, state registry.State,
	p conflict.Place) (lines []excerptLine) {
	commit := ""
	if a, err := state.Agent(p.Agent); err == nil {
		commit = a.Head
	} else if p.Agent == project.TargetName {
		commit, _ = s.Project.Target(ctx, *state.Session) // without it there are no lines
	}
	if commit == "" || p.Line == 0 {
		return nil
	}
	data, err := fs.ReadFile(o.Tree(ctx, commit), p.Path)
	if err != nil {
		return nil // it is not there on this side
	}
	n := 0
	for line := range bytes.Lines(data) {
		if n++; n >= p.Line-around && n <= p.Line+around {
			line = bytes.TrimSuffix(line, []byte("\n"))
			lines = append(lines, excerptLine{n, string(line[:min(len(line), longest)]), n == p.Line})
		}
	}
	return lines
}
