package agent

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// skill is a folder of files, or a single one, whose main file says what it is for.
type skill struct {
	name, about string
	kind        string // folder that all of its kind are put into
	file        string // the main file, from the skill's own folder
	files       map[string][]byte
}

// main is the path of the main file below the folder that holds all.
func (s skill) main() string { return path.Join(s.kind, s.folder(), s.file) }

// folder is the name of its folder; a single file has none.
func (s skill) folder() string {
	if s.kind == "agents" {
		return ""
	}
	return s.name
}

// skillsOf reads the folders in the folders that have a SKILL.md.
func skillsOf(files fs.FS, folders []string) (all []skill) {
	for _, folder := range folders {
		entries, err := fs.ReadDir(files, folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			s := skill{name: e.Name(), kind: "skills", file: "SKILL.md"}
			at := path.Join(folder, e.Name())
			if s.files = below(files, at); s.files[s.file] != nil {
				s.about = described(s.files[s.file])
				all = append(all, s)
			}
		}
	}
	return all
}

// agentsOf reads the Markdown files in the folders.
func agentsOf(files fs.FS, folders []string) (all []skill) {
	for _, folder := range folders {
		entries, err := fs.ReadDir(files, folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name, found := strings.CutSuffix(e.Name(), ".md")
			if !found {
				continue
			}
			if data, err := readSource(files, path.Join(folder, e.Name()), mostText); err == nil {
				all = append(all, skill{name: name, kind: "agents", file: e.Name(), about: described(data),
					files: map[string][]byte{e.Name(): data}})
			}
		}
	}
	return all
}

// below are the files below a folder, by their path in it, as far as the bounds go.
func below(files fs.FS, folder string) map[string][]byte {
	all, left := map[string][]byte{}, int64(mostSkill)
	_ = fs.WalkDir(files, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what cannot be read is not there
		}
		if data, err := readSource(files, name, left); err == nil {
			left -= int64(len(data)) + 1
			all[strings.TrimPrefix(name, folder+"/")] = data
		}
		return nil
	})
	return all
}

// described is the description in the front matter of a Markdown file, in one line.
func described(data []byte) string {
	text, found := strings.CutPrefix(string(data), "---\n")
	head, _, closed := strings.Cut(text, "\n---")
	if !found || !closed {
		return "no description"
	}
	var about []string
	for line := range strings.Lines(head) {
		if first, found := strings.CutPrefix(line, "description:"); found {
			about = []string{strings.Trim(strings.TrimSpace(first), `"'>|-`)}
		} else if about != nil && (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")) {
			about = append(about, strings.TrimSpace(line))
		} else if about != nil {
			break
		}
	}
	return Cut(strings.TrimSpace(strings.Join(about, " ")), 1000)
}

// lastOfEach keeps of those with one name the last: the project's goes before the person's.
func lastOfEach(all []skill) (kept []skill) {
	for i, s := range all {
		if !slices.ContainsFunc(all[i+1:], func(later skill) bool { return later.name == s.name }) {
			kept = append(kept, s)
		}
	}
	return kept
}

// writeSkills puts skills and sub-agents into a folder of the turn's, which the program can read and not write.
func (in Instructions) writeSkills(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make folder of skills: %w", err)
	}
	for _, s := range slices.Concat(in.skills, in.agents) {
		for name, data := range s.files {
			at := filepath.Join(folder, filepath.FromSlash(path.Join(s.kind, s.folder(), name)))
			if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
				return fmt.Errorf("write skill %q: %w", s.name, err)
			}
			mode := fs.FileMode(0o600)
			if bytes.HasPrefix(data, []byte("#!")) {
				mode = 0o700
			}
			if err := os.WriteFile(at, data, mode); err != nil {
				return fmt.Errorf("write skill %q: %w", s.name, err)
			}
		}
	}
	return nil
}
