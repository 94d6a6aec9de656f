package manifest

import (
	"delegate/internal/text/lazyregexp"
	"errors"
	"strings"

	"golang.org/x/mod/modfile"

	"delegate/conflict/code"
)

func readGoMod(r *reading) {
	asWritten := func(_, version string) (string, error) { return version, nil }
	m, err := modfile.Parse("go.mod", r.data, asWritten)
	if err != nil {
		line := 1
		if wrong := (modfile.ErrorList)(nil); errors.As(err, &wrong) && len(wrong) > 0 {
			line, err = max(line, wrong[0].Pos.Line), wrong[0].Err
		}
		r.fail(line, "%v", err)
		return
	}
	add := func(group, name, version string, at *modfile.Line) {
		r.Add(group, code.Dependency{Name: name, Version: version, Line: at.Start.Line})
	}
	if m.Module != nil {
		r.Name = m.Module.Mod.Path
	}
	if m.Go != nil {
		add("", "go", m.Go.Version, m.Go.Syntax)
	}
	if m.Toolchain != nil {
		add("", "toolchain", m.Toolchain.Name, m.Toolchain.Syntax)
	}
	for _, need := range m.Require {
		group := ""
		if need.Indirect {
			group = "indirect"
		}
		add(group, need.Mod.Path, need.Mod.Version, need.Syntax)
	}
	for _, o := range m.Replace {
		add("replace", o.Old.Path, strings.TrimSpace(o.Old.Version+" => "+o.New.Path+" "+o.New.Version), o.Syntax)
	}
}

var (
	gemHeading = lazyregexp.New(`^[A-Z ]+$`)
	gemVersion = lazyregexp.New(`^(\S+) \((.*)\)$`)
)

// readGemfileLock reads the gems of all sources. What they depend on stands deeper, and those gems stand here as well.
func readGemfileLock(r *reading) {
	const headingIndent, rubyIndent, gemIndent = 0, 3, 4
	heading, group := "", ""
	for l := range textLines(r.data) {
		switch {
		case l.text == "":
		case l.indent == headingIndent:
			if heading, group = l.text, ""; heading == "PATH" {
				group = "local"
			}
			if !gemHeading.MatchString(heading) {
				r.fail(l.number, "%q is no heading", l.text)
			}
		case heading == "RUBY VERSION" && l.indent == rubyIndent:
			if version, ok := strings.CutPrefix(l.text, "ruby "); ok {
				r.Add("", code.Dependency{Name: "ruby", Version: version, Line: l.number})
			}
		case l.indent == gemIndent:
			gem := gemVersion.FindStringSubmatch(l.text)
			switch heading {
			case "GEM", "GIT", "PLUGIN SOURCE", "PATH":
				if gem == nil {
					r.fail(l.number, "%q is no gem with a version", l.text)
					return
				}
				r.Add(group, code.Dependency{Name: gem[1], Version: gem[2], Line: l.number})
			}
		}
	}
}
