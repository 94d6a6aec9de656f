package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/fence/sandbox"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/registry"
	"delegate/scope"
)

// writableKey is the key that opens folders of the person to agents.
const writableKey = "sandbox.writable"

// SharedFolders are the folders of the person that the configuration opens, without those in one another: what lies in
// an open folder can be a link that an agent put there. What CheckShared refuses is not among them.
func (p *Project) SharedFolders() []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	var all []string
	for _, name := range p.Config.Sandbox.Writable {
		if at := inHome(home, name); p.whyClosed(at) == "" {
			all = append(all, at)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(at string) bool {
		return slices.ContainsFunc(all, func(outer string) bool {
			return strings.HasPrefix(at, outer+string(filepath.Separator))
		})
	})
}

// CheckShared is a *config.Error that names each folder of the configuration that cannot be opened, and why.
func (p *Project) CheckShared() error {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	var faults []config.Fault
	for _, name := range p.Config.Sandbox.Writable {
		if why := p.whyClosed(inHome(home, name)); why != "" {
			faults = append(faults, config.Fault{Key: writableKey, Reason: fmt.Sprintf("%q %s", name, why)})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return &config.Error{Path: filepath.Join(p.Main, config.FileName), Faults: faults}
}

// whyClosed says why a folder cannot be opened to agents, and what to type; "" where it can. None lies in the
// repository's git folder or around it: what is written there is checked by nobody.
func (p *Project) whyClosed(at string) string {
	real, err := filepath.EvalSymlinks(at)
	if errors.Is(err, fs.ErrNotExist) {
		return "is not there; make it (mkdir -p " + run.AsTyped([]string{at}) + "), or remove it"
	}
	if err != nil {
		return fmt.Sprintf("cannot be opened (%v); fix that, or remove it", err)
	}
	common := p.Repo.CommonDir
	if resolved, err := filepath.EvalSymlinks(common); err == nil {
		common = resolved
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return fmt.Sprintf("cannot be opened (%v); fix that, or remove it", err)
	case !info.IsDir():
		return "is not a folder; name the folder that contains it, or remove it"
	case sandbox.Contains(common, real):
		return "is in this repository's git folder, where nobody checks what agents write; remove it"
	case sandbox.Contains(real, common):
		return "holds this repository's git folder, where nobody checks what agents write; name the folders in it " +
			"that are meant, or remove it"
	case sandbox.Replaced(real) != "":
		return "is in " + sandbox.Replaced(real) + ", which the sandbox replaces with its own; remove it"
	}
	return ""
}

// mostOffered bounds how many refused writes a person is offered to allow at once.
const mostOffered = 3

// Allowable is what would allow the agent writes that it was refused: patterns for its scope, and folders for
// sandbox.writable, by the paths that people write. A write that neither would allow is in neither.
// Who also tried what no scope allows is offered nothing: see Beyond.
func (p *Project) Allowable(a registry.Agent) (globs, folders []string) {
	if len(p.Beyond(a)) > 0 {
		return nil, nil
	}
	for _, path := range a.Refused {
		if len(globs)+len(folders) == mostOffered {
			break
		}
		if at, outside := p.placeOf(path); outside {
			if folder := p.sharable(at); folder != "" && !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
			continue
		}
		widened, glob := a, scope.Literal(path)
		widened.Allowed = append(slices.Clone(a.Allowed), glob)
		limits, err := p.Scope(widened)
		if err == nil && limits.Check(path).Allowed && !p.Restricts(path) {
			globs = append(globs, glob)
		}
	}
	return globs, folders
}

// Beyond is what the agent tried and no scope allows anybody: to write into a git folder that is not its own, into the
// person's checkout or another agent's place, and to reach programs outside. It is a reason to look before anything is
// allowed to it.
func (p *Project) Beyond(a registry.Agent) (tried []string) {
	real := func(path string) string {
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			return resolved
		}
		return path
	}
	private, places := real(p.Private), []string{real(p.Main), real(p.Repo.CommonDir), real(p.WorktreeRoot())}
	for _, path := range a.Refused {
		at, outside := p.placeOf(path)
		inside := func(place string) bool { return sandbox.Contains(place, at) }
		switch {
		case !outside:
			if first, _, _ := strings.Cut(path, "/"); strings.EqualFold(first, ".git") {
				tried = append(tried, path)
			}
		case !inside(private) && slices.ContainsFunc(places, inside): // in the private folder lies its own git
			tried = append(tried, path)
		}
	}
	for _, call := range a.RefusedCalls {
		if strings.HasPrefix(call, sandbox.TriedSocket) || strings.HasPrefix(call, sandbox.TriedStart) {
			tried = append(tried, call)
		}
	}
	return tried
}

// sharable is the folder that would have to be opened for a write at the path, "" where that is none of those in which
// the person keeps files and may write, holds more than it, or is for nobody's agents.
func (p *Project) sharable(path string) string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	at := path
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		at = filepath.Dir(at)
	}
	within := func(outer string) bool { return sandbox.Contains(outer, at) }
	around := func(place string) bool { return within(place) || sandbox.Contains(at, place) }
	switch {
	case path == "", !slices.ContainsFunc(sandbox.Personal(home), within), sandbox.Contains(at, home),
		p.whyClosed(at) != "",
		sandbox.MayWrite(at) != nil, slices.ContainsFunc(p.SharedFolders(), within),
		slices.ContainsFunc(append(p.Hidden(), p.Main, p.WorktreeRoot()), around):
		return ""
	}
	if below, is := strings.CutPrefix(at, home+"/"); is {
		return "~/" + below
	}
	return at
}

// Restricts reports whether agents may not even read the path of the repository.
func (p *Project) Restricts(path string) bool {
	return slices.ContainsFunc(p.Config.Restricted, func(text string) bool {
		pattern, err := scope.ParsePattern(text)
		return err == nil && pattern.Match(path)
	})
}
