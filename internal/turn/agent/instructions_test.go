package agent_test

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"delegate/internal/turn/agent"
	"delegate/internal/turn/program"
	"delegate/scope"
)

// marked are files in every place that one side of a program is read from; each holds a mark of its own.
func marked(side string, from program.Sources) (files fstest.MapFS, marks []string) {
	files = fstest.MapFS{}
	put := func(name, before, after string) {
		mark := "MARK-" + side + "-" + strings.ReplaceAll(name, "/", "-") + "."
		marks = append(marks, mark)
		files[name] = &fstest.MapFile{Data: []byte(before + mark + after)}
	}
	for _, name := range from.Files {
		put(name, "", "\n")
	}
	for _, folder := range from.Rules {
		put(folder+"/deep/rule.md", "", "\n")
	}
	for _, folder := range from.Skills {
		name := side + strings.ReplaceAll(folder, "/", "")
		put(folder+"/"+name+"/SKILL.md", "---\nname: x\ndescription: ", "\n---\nSteps.\n")
		files[folder+"/"+name+"/run.sh"] = &fstest.MapFile{Data: []byte("#!/bin/sh\n")}
	}
	for _, folder := range from.Agents {
		put(folder+"/"+side+".md", "---\ndescription: ", "\n---\nYou review.\n")
	}
	return files, marks
}

// TestInstructionsReachTheProgram holds for each program that what the project and the person wrote for it is
// in a file that its command line or its home leads it to, skills and sub-agents with files that are there.
func TestInstructionsReachTheProgram(t *testing.T) {
	for _, known := range program.All() {
		if len(known.Project.Skills) == 0 {
			continue // nothing of it is known
		}
		t.Run(known.Name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			p := agent.Profile{Program: known}
			project, marks := marked("project", known.Project)
			person, more := marked("person", known.Person)
			if err := os.CopyFS(home, person); err != nil {
				t.Fatal(err)
			}
			in, err := p.Gather(agent.Origin{Project: project, Person: p.PersonFiles(home)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			root := t.TempDir()
			place := agent.Place{Home: root + "/home", Turn: root + "/turn-1", Instructions: in}
			if err := p.WriteConfig(place); err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(p.Files, func(f program.ConfigFile) bool {
				return strings.Contains(f.Text+f.Content, "{instructions}")
			})
			file := strings.NewReplacer("{turn}", place.Turn, "{home}", place.Home).Replace(p.Files[at].Path)
			written, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, mark := range append(marks, more...) {
				if !strings.Contains(string(written), mark) {
					t.Errorf("%s is not in %q", mark, written)
				}
			}
			for _, command := range [][]string{p.Command, p.Resume} {
				args := p.Invoke(command, agent.Values{Prompt: "do it", Place: place}).Args
				byHook := strings.Contains(p.Files[0].Content, "cat "+filepath.Base(file))
				if !strings.HasPrefix(file, place.Home) && !slices.Contains(args, file) && !byHook {
					t.Errorf("%q leads nobody to %s", args, file)
				}
			}
			skill := "project" + strings.ReplaceAll(known.Project.Skills[0], "/", "")
			folder := filepath.Join(place.Turn, "skills", "skills", skill)
			info, err := os.Stat(filepath.Join(folder, "run.sh"))
			if err != nil || info.Mode().Perm() != 0o700 || !strings.Contains(string(written), folder+"/SKILL.md") {
				t.Errorf("the skill's own file: %v, %v", info, err)
			}
		})
	}
}

// TestInstructionsComeFromTheirFolders holds which texts count: of folders that the agent works in, what they take
// in, what a link in a commit leads to, and not what lies elsewhere, is code or leads out.
func TestInstructionsComeFromTheirFolders(t *testing.T) {
	claude, _ := program.Named("claude")
	p := agent.Profile{Program: claude}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	project := fstest.MapFS{
		"CLAUDE.md": file("Root. See @docs/style.md, not `@docs/code.md`.\n" +
			"```\n@docs/code.md\n```\n@../outside.md @~/mine.md\n"),
		"docs/style.md":        file("Tabs. @CLAUDE.md @more.md"),
		"docs/more.md":         file("More."),
		"docs/code.md":         file("Not this."),
		"src/CLAUDE.md":        file("Of src."),
		"src/a/deep/CLAUDE.md": file("Deep."),
		"src/b/CLAUDE.md":      file("Of b."),
		".claude/CLAUDE.md":    {Data: []byte("../AGENTS.md"), Mode: os.ModeSymlink},
		"AGENTS.md":            file("By a link."),
		"mine.md":              file("Not mine."),
	}
	in, err := p.Gather(agent.Origin{Project: treeOf{project}}, []scope.Area{{Path: "src/a", Reach: scope.Below}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"CLAUDE.md", "docs/style.md", "docs/more.md", ".claude/CLAUDE.md", "src/CLAUDE.md",
		"src/a/deep/CLAUDE.md"}
	if !slices.Equal(in.Given.Instructions, want) {
		t.Errorf("given %q, want %q", in.Given.Instructions, want)
	}
}

// TestOwnSkillGoesBeforeThePersons holds that of two skills with one name the project's is given.
func TestOwnSkillGoesBeforeThePersons(t *testing.T) {
	claude, _ := program.Named("claude")
	skill := func(about string) fstest.MapFS {
		text := "---\ndescription: >\n  " + about + "\n  it\n---\n"
		return fstest.MapFS{".claude/skills/lint/SKILL.md": {Data: []byte(text)}}
	}
	p := agent.Profile{Program: claude}
	in, err := p.Gather(agent.Origin{Project: skill("ours, all of"), Person: skill("mine")}, nil)
	if err != nil || !slices.Equal(in.Given.Skills, []string{"lint"}) {
		t.Fatalf("%q, %v", in.Given.Skills, err)
	}
	root := t.TempDir()
	if err := p.WriteConfig(agent.Place{Turn: root, Home: root + "/home", Instructions: in}); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(root + "/instructions.md")
	if err != nil || !strings.Contains(string(written), "- lint: ours, all of it (") {
		t.Errorf("told %q, %v", written, err)
	}
}

// TestServersAreThosePermitted holds that of the MCP servers in all files exactly those of the key mcp are given,
// and that one that nobody names is an error.
func TestServersAreThosePermitted(t *testing.T) {
	for _, known := range program.All() {
		if len(known.Person.Servers) == 0 {
			continue
		}
		t.Run(known.Name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			text := `{"` + known.Servers.Key + `": {"wanted": {"command": "w"}, "other": {"command": "o"}}}`
			if known.Servers.Names != nil {
				text = "[mcp_servers.wanted]\ncommand = 'w'\n\n[ mcp_servers.other.env ]\nX = '1'\n"
			}
			name := known.Person.Servers[0]
			if err := os.CopyFS(home, fstest.MapFS{name: {Data: []byte(text)}}); err != nil {
				t.Fatal(err)
			}
			p := agent.Profile{Program: known, MCP: []string{"wanted"}}
			root := t.TempDir()
			place := agent.Place{Turn: root + "/turn-1", Home: root + "/home"}
			var err error
			if place.Instructions, err = p.Gather(agent.Origin{Person: p.PersonFiles(home)}, nil); err != nil {
				t.Fatal(err)
			}
			if err := p.WriteConfig(place); err != nil {
				t.Fatal(err)
			}
			args := strings.Join(p.Invoke(p.Command, agent.Values{Place: place}).Args, " ")
			if known.Servers.Refuse != nil {
				if !strings.Contains(args, "mcp_servers.other.enabled=false") || strings.Contains(args, "wanted") {
					t.Errorf("started with %s", args)
				}
			} else if all := written(t, root); !strings.Contains(all, `"wanted"`) || strings.Contains(all, `"other"`) {
				t.Errorf("given %s", all)
			}
			p.MCP = []string{"wanted", "imagined"}
			var unknown *agent.UnknownServerError
			_, err = p.Gather(agent.Origin{Person: p.PersonFiles(home)}, nil)
			if !errors.As(err, &unknown) || unknown.Server != "imagined" ||
				!slices.Equal(unknown.Known, []string{"other", "wanted"}) {
				t.Errorf("a server that nobody names: %v", err)
			}
		})
	}
}

// TestSettingsOfAnAgentDoNotLast holds that what an agent wrote into the settings and instructions of its program is
// gone in its next turn.
func TestSettingsOfAnAgentDoNotLast(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, known := range program.All() {
		root, p := t.TempDir(), agent.Profile{Program: known}
		place := agent.Place{Turn: root + "/turn-1", Home: root + "/home"}
		for range 2 {
			if err := p.WriteConfig(place); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(written(t, root), "MINE") {
				t.Errorf("%s goes on with what its agent wrote", known.Name)
			}
			for _, f := range p.Files {
				at := strings.NewReplacer("{turn}", place.Turn, "{home}", place.Home).Replace(f.Path)
				if err := os.WriteFile(at, []byte(`{"MINE": true}`), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// written is the text of all files below a folder.
func written(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// treeOf does not follow links, as a commit's files do not.
type treeOf struct{ fstest.MapFS }

func (f treeOf) Stat(name string) (os.FileInfo, error) { return f.MapFS.Lstat(name) }

func (f treeOf) ReadFile(name string) ([]byte, error) {
	if entry, found := f.MapFS[path.Clean(name)]; found {
		return entry.Data, nil
	}
	return nil, os.ErrNotExist
}
