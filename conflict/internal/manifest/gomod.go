package manifest

import (
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
	add := func(name, version string, at *modfile.Line) {
		r.Add(code.Dependency{Name: name, Version: version, Line: at.Start.Line})
	}
	if m.Module != nil {
		r.Name = m.Module.Mod.Path
	}
	if m.Go != nil {
		add("go", m.Go.Version, m.Go.Syntax)
	}
	if m.Toolchain != nil {
		add("toolchain", m.Toolchain.Name, m.Toolchain.Syntax)
	}
	for _, need := range m.Require {
		r.Add(code.Dependency{Name: need.Mod.Path, Version: need.Mod.Version, Line: need.Syntax.Start.Line,
			Indirect: need.Indirect})
	}
	for _, o := range m.Replace {
		add(o.Old.Path, strings.TrimSpace(o.Old.Version+" => "+o.New.Path+" "+o.New.Version), o.Syntax)
	}
}
