package manifest

import (
	"errors"
	"strings"

	"golang.org/x/mod/modfile"

	"delegate/conflict/code"
)

func readGoMod(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: Go}
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
		f.Add("", code.Dependency{Name: "go", Version: m.Go.Version, Line: m.Go.Syntax.Start.Line})
	}
	if m.Toolchain != nil {
		f.Add("", code.Dependency{Name: "toolchain", Version: m.Toolchain.Name, Line: m.Toolchain.Syntax.Start.Line})
	}
	for _, r := range m.Require {
		group := ""
		if r.Indirect {
			group = "indirect"
		}
		f.Add(group, code.Dependency{Name: r.Mod.Path, Version: r.Mod.Version, Line: r.Syntax.Start.Line})
	}
	for _, r := range m.Replace {
		version := strings.TrimSpace(r.Old.Version + " => " + r.New.Path + " " + r.New.Version)
		f.Add("replace", code.Dependency{Name: r.Old.Path, Version: version, Line: r.Syntax.Start.Line})
	}
	return f, nil
}
