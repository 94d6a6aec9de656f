package bisect

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"delegate/conflict"
	"delegate/internal/land/suite"
	"delegate/internal/project"
)

// tell makes the findings: one for each file in which tests fail, or one without a file where none is told.
func (m *pairTest) tell(ctx context.Context) error {
	var files []string
	for _, f := range m.broken {
		if !slices.Contains(files, f.path) {
			files = append(files, f.path)
		}
	}
	for _, name := range files {
		f, err := m.finding(ctx, name)
		if err != nil {
			return err
		}
		if len(m.Broken) > 0 {
			f.Severity, f.Blocking, f.Certainty = conflict.Warning, false, conflict.Suspected
			f.Message += fmt.Sprintf(" Other tests fail on %s alone, where this one may not have been run.",
				strings.Join(m.Broken, " and "))
		}
		m.Findings = append(m.Findings, f)
	}
	if len(files) == 0 {
		f := m.blank()
		f.Message = fmt.Sprintf("%s and %s each pass %q alone and fail it together (%s).",
			begin(called(m.sides[0].Name)), called(m.sides[1].Name), m.failed.Command, m.failed.Reason)
		m.Findings = append(m.Findings, f)
	}
	return nil
}

// blank is a finding that does not say what it is about yet.
func (m *pairTest) blank() conflict.Finding {
	f := conflict.Finding{
		Type: conflict.TestConflict, Severity: conflict.Error, Blocking: true, Certainty: conflict.Confirmed,
		Agents: []string{m.sides[0].Name, m.sides[1].Name},
		Advice: "Decide which of the two is right, land that one first, and send the other back to adapt: \"delegate " +
			"adapt AGT\".",
	}
	if m.onlyRefs {
		f.Advice = "Decide which of the two is right, merge that one first, and change the other."
	}
	if i := slices.Index(f.Agents, project.TargetName); i >= 0 {
		f.Advice = fmt.Sprintf("Send %s back to adapt to the target: \"delegate adapt %[1]s\".", f.Agents[1-i])
	}
	return f
}

// finding is about what fails in one file: of the side that changed it, broken by the other; or of
// nobody's, broken by both.
func (m *pairTest) finding(ctx context.Context, name string) (conflict.Finding, error) {
	f := m.blank()
	first, second := m.sides[0], m.sides[1]
	if first.has(name) != second.has(name) {
		owner, breaker := first, second
		if second.has(name) {
			owner, breaker = second, first
		}
		what, at := m.failing(name, whose(owner.Name)+" ")
		cause, err := m.cause(ctx, breaker, at)
		if err != nil {
			return f, err
		}
		breaks := " breaks "
		if cause == "" {
			breaks = " break "
		}
		f.Message = begin(breaker.change(cause)) + breaks + what + "."
		f.Places = places(conflict.Place{Agent: owner.Name, Path: name, Line: at.Line, Symbol: at.Test},
			conflict.Place{Agent: breaker.Name, Path: cause})
		return f, nil
	}
	what, at := m.failing(name, "")
	one, err := m.cause(ctx, first, at)
	if err != nil {
		return f, err
	}
	other, err := m.cause(ctx, second, at)
	if err != nil {
		return f, err
	}
	f.Message = begin(first.change(one)) + " and " + second.change(other) + " together break " + what + "."
	f.Places = places(conflict.Place{Agent: first.Name, Path: name, Line: at.Line, Symbol: at.Test},
		conflict.Place{Agent: first.Name, Path: one}, conflict.Place{Agent: second.Name, Path: other})
	return f, nil
}

// failing names what fails in a file, with whose it is in front, and gives the first of it.
func (m *pairTest) failing(name, own string) (string, broken) {
	var all []broken
	for _, f := range m.broken {
		if f.path == name {
			all = append(all, f)
		}
	}
	at, named := all[0], 0
	for _, f := range all {
		if f.Test == "" {
			continue
		}
		if named++; named == 1 {
			at = f // a test says more than what does not build
		}
	}
	if own == "" && named > 0 {
		own = "the "
	}
	switch named {
	case 0:
		return fmt.Sprintf("the build of %s%s (line %d)", own, name, at.Line), at
	case 1:
		return fmt.Sprintf("%stest %s (%s)", own, at.Test, name), at
	}
	return fmt.Sprintf("%stests %s and %d more (%s)", own, at.Test, named-1, name), at
}

// mostCauses bounds how many changed files, and how many words of a message, are looked at for a cause.
const mostCauses = 20

// cause is the one file of the side's changes that can break what is in the named one: the only one that is code, or
// the only one whose change has a name in it that the message complains of.
// It is "" where several can be: a guess would be told as a fact.
func (m *pairTest) cause(ctx context.Context, s side, at broken) (string, error) {
	code := slices.DeleteFunc(slices.Clone(s.changed), func(p string) bool {
		return p == at.path || suite.IsTest(p) || at.Test == "" && path.Ext(p) != path.Ext(at.path)
	})
	if len(code) == 1 {
		return code[0], nil
	}
	for _, expression := range mentions(at.Said) {
		with, err := m.p.Repo.ChangesOf(ctx, s.Base, s.Head, expression)
		if err != nil {
			return "", err
		}
		with = slices.DeleteFunc(with, func(p string) bool { return !slices.Contains(code, p) })
		if len(with) == 1 {
			return with[0], nil
		}
	}
	return "", nil
}

// mentions are extended regular expressions for lines that declare, and for lines that have, a name of the message;
// the longest names first: those of code are longer than words of English.
func mentions(said string) []string {
	const declares = "(func|function|fn|def|class|type|struct|interface|enum|const|var|let) +(\\([^)]*\\) *)?"
	words := regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{2,}`).FindAllString(said, mostCauses)
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var all []string
	for _, word := range slices.Compact(words) {
		end := word + "([^A-Za-z0-9_]|$)"
		all = append(all, declares+end, "(^|[^A-Za-z0-9_])"+end)
	}
	return all
}

// change names what the side did to a file; "" stands for all that it did.
func (s side) change(name string) string {
	if name == "" {
		return whose(s.Name) + " changes"
	}
	return whose(s.Name) + " change to " + name
}

func whose(name string) string { return called(name) + "'s" }

func called(name string) string {
	if name == project.TargetName {
		return "the " + name
	}
	return name
}

// begin makes a text the beginning of a sentence.
func begin(text string) string {
	if rest, ok := strings.CutPrefix(text, "the "); ok {
		return "The " + rest
	}
	return text
}

// places leaves out those without a file.
func places(all ...conflict.Place) []conflict.Place {
	return slices.DeleteFunc(all, func(p conflict.Place) bool { return p.Path == "" })
}
