package manifest

import (
	"errors"
	"strings"

	"golang.org/x/mod/modfile"
)

func readGoMod(data []byte) (File, error) {
	f := File{Ecosystem: Go}
	asWritten := func(_, version string) (string, error) { return version, nil }
	m, err := modfile.Parse("go.mod", data, asWritten)
	if err != nil {
		line := 1
		if wrong := (modfile.ErrorList)(nil); errors.As(err, &wrong) && len(wrong) > 0 {
			line, err = max(line, wrong[0].Pos.Line), wrong[0].Err
		}
		return f, faultAt(line, "%v", err)
	}
	if m.Module != nil {
		f.Name = m.Module.Mod.Path
	}
	if m.Go != nil {
		f.add(m.Go.Syntax.Start.Line, "go", m.Go.Version)
	}
	if m.Toolchain != nil {
		f.add(m.Toolchain.Syntax.Start.Line, "toolchain", m.Toolchain.Name)
	}
	for _, r := range m.Require {
		group := ""
		if r.Indirect {
			group = "indirect"
		}
		f.addTo(group, Dependency{Name: r.Mod.Path, Version: r.Mod.Version, Line: r.Syntax.Start.Line})
	}
	for _, r := range m.Replace {
		version := strings.TrimSpace(r.Old.Version + " => " + r.New.Path + " " + r.New.Version)
		f.addTo("replace", Dependency{Name: r.Old.Path, Version: version, Line: r.Syntax.Start.Line})
	}
	return f, nil
}
