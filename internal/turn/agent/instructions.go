package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"delegate/internal/turn/program"
	"delegate/scope"
)

// Given is what the project and the person wrote for an agent program that its model is told, by name:
// files from the root of the repository, or ~/… of the person.
type Given struct {
	Instructions []string `json:"instructions"`
	Skills       []string `json:"skills"`
	Agents       []string `json:"agents"` // sub-agents, of which it is told what they are for
	Servers      []string `json:"servers"`
}

// Whole is the same with lists in the place of what there is none of.
func (g Given) Whole() Given {
	for _, list := range []*[]string{&g.Instructions, &g.Skills, &g.Agents, &g.Servers} {
		*list = append([]string{}, *list...)
	}
	return g
}

// String is everything in one line, "" for nothing.
func (g Given) String() string {
	parts := []string{}
	for _, kind := range []struct {
		one, more string
		names     []string
	}{{"", "", g.Instructions}, {"skill ", "skills ", g.Skills}, {"sub-agent ", "sub-agents ", g.Agents},
		{"server ", "servers ", g.Servers}} {
		switch {
		case len(kind.names) == 1:
			parts = append(parts, kind.one+kind.names[0])
		case len(kind.names) > 1:
			parts = append(parts, kind.more+strings.Join(kind.names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// Instructions are what a program's model is told beside its prompt, read in full.
type Instructions struct {
	Given   Given
	texts   []text
	skills  []skill
	agents  []skill
	servers map[string]any
	known   []string // the servers of the person's, whether it is given them or not
}

// text is one file with instructions.
type text struct {
	name string
	data string
}

// The bounds of what is read, in bytes and files.
const (
	mostText   = 256 << 10
	mostSkill  = 8 << 20
	mostNested = 20_000 // folders of the repository that are looked at
	mostImport = 5      // texts that take in texts
)

// Origin is where a program's sources lie: the files of a commit, and the person's home.
type Origin struct {
	Project fs.FS
	Person  fs.FS
}

// Gather reads what the program's model is to know. Of the repository's folders those count that the
// allowed areas lie in, or that lie in them. A server that is wanted and that nobody names is an error.
func (p Profile) Gather(from Origin, allowed []scope.Area) (Instructions, error) {
	in := Instructions{servers: map[string]any{}}
	for _, side := range []struct {
		files fs.FS
		program.Sources
		mark string
	}{{from.Person, p.Person, "~/"}, {from.Project, p.Project, ""}} {
		if side.files == nil {
			continue
		}
		r := sourceReader{files: side.files, imports: side.Imports, mark: side.mark}
		names := side.Files
		if side.mark == "" {
			names = nested(side.files, side.Files, allowed)
		}
		for _, name := range names {
			r.text(name, 0)
		}
		for _, folder := range side.Rules {
			r.folder(folder)
		}
		in.texts = append(in.texts, r.texts...)
		in.skills = append(in.skills, skillsOf(side.files, side.Skills)...)
		in.agents = append(in.agents, agentsOf(side.files, side.Agents)...)
		if err := in.addServers(p, side.files, side.Sources); err != nil {
			return in, err
		}
	}
	in.skills, in.agents = lastOfEach(in.skills), lastOfEach(in.agents)
	for _, t := range in.texts {
		in.Given.Instructions = append(in.Given.Instructions, t.name)
	}
	for _, s := range in.skills {
		in.Given.Skills = append(in.Given.Skills, s.name)
	}
	for _, s := range in.agents {
		in.Given.Agents = append(in.Given.Agents, s.name)
	}
	in.Given.Servers = slices.Sorted(maps.Keys(in.servers))
	for _, name := range p.MCP {
		if _, found := in.servers[name]; !found {
			return in, &UnknownServerError{Profile: p.Name, Server: name, Known: slices.Compact(slices.Sorted(
				slices.Values(in.known)))}
		}
	}
	return in, nil
}

// UnknownServerError names an MCP server that a profile is to have and that no file names.
type UnknownServerError struct {
	Profile, Server string
	Known           []string
}

func (e *UnknownServerError) Error() string {
	known := "there are none"
	if len(e.Known) > 0 {
		known = "there are: " + strings.Join(e.Known, ", ")
	}
	return fmt.Sprintf("agent profile %q: no file of its program names the MCP server %q of its key mcp (%s)",
		e.Profile,
		e.Server, known)
}

// sourceReader reads the texts of one side, each once.
type sourceReader struct {
	files   fs.FS
	imports bool
	mark    string
	texts   []text
	seen    []string
}

// text reads a file and what it takes in. One that is not there, or no text, is passed over.
func (r *sourceReader) text(name string, depth int) {
	if slices.Contains(r.seen, name) {
		return
	}
	data, err := readSource(r.files, name, mostText)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return
	}
	r.seen = append(r.seen, name)
	r.texts = append(r.texts, text{r.mark + name, string(data)})
	if !r.imports || depth == mostImport {
		return
	}
	for _, imported := range importsOf(string(data)) {
		at, below := strings.CutPrefix(imported, "~/")
		if !below {
			at = path.Join(path.Dir(name), imported)
		}
		if below == (r.mark != "") || !below {
			r.text(at, depth+1)
		}
	}
}

// folder reads all Markdown files below a folder.
func (r *sourceReader) folder(folder string) {
	_ = fs.WalkDir(r.files, folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".md" {
			r.text(name, mostImport)
		}
		return nil // what cannot be read is not there
	})
}

// importsOf are the paths that a text takes in: words that begin with @, outside of code.
func importsOf(text string) (paths []string) {
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		for i, part := range strings.Split(line, "`") {
			for word := range strings.FieldsSeq(part) {
				if at, found := strings.CutPrefix(word, "@"); found && i%2 == 0 && path.Ext(at) != "" {
					paths = append(paths, strings.TrimRight(at, ".,;:)"))
				}
			}
		}
	}
	return paths
}

// readSource reads a file of at most so many bytes. In a commit a symbolic link is a file with its target;
// on the disk it has been followed.
func readSource(files fs.FS, name string, most int64) ([]byte, error) {
	for range 5 {
		info, err := fs.Stat(files, name)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir() || info.Size() > most:
			return nil, fs.ErrInvalid
		}
		data, err := fs.ReadFile(files, name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return data, err
		}
		name = path.Join(path.Dir(name), string(data)) // one that leads out of the repository is no valid name
	}
	return nil, fs.ErrInvalid
}

// nested are the paths of files with one of the names: at the root, and in folders that the areas
// concern, from the outside in.
func nested(files fs.FS, names []string, allowed []scope.Area) (paths []string) {
	looked := 0
	var walk func(folder string)
	walk = func(folder string) {
		for _, name := range names {
			if at := path.Join(folder, name); isThere(files, at) {
				paths = append(paths, at)
			}
		}
		entries, err := fs.ReadDir(files, folder)
		if err != nil {
			return
		}
		for _, e := range entries {
			below := path.Join(folder, e.Name())
			if looked++; looked > mostNested || !e.IsDir() || !concerns(allowed, below) {
				continue
			}
			walk(below)
		}
	}
	walk(".")
	return paths
}

func isThere(files fs.FS, name string) bool {
	_, err := fs.Stat(files, name)
	return err == nil
}

// concerns reports whether one of the areas lies in the folder, or the folder in it.
func concerns(allowed []scope.Area, folder string) bool {
	return slices.ContainsFunc(allowed, func(a scope.Area) bool {
		return scope.Within(a.Path, folder) || scope.Within(folder, a.Path)
	})
}

// addServers takes in the servers of one side that the profile is to have.
func (in *Instructions) addServers(p Profile, files fs.FS, of program.Sources) error {
	for _, name := range of.Servers {
		data, err := readSource(files, name, mostSkill)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read MCP servers of %q: %w", name, err)
		}
		servers := map[string]any{}
		if p.Servers.Names != nil {
			for _, name := range p.Servers.Names(data) {
				servers[strings.Trim(name, `"'`)] = true
			}
		} else {
			whole := map[string]json.RawMessage{}
			_ = json.Unmarshal(data, &whole) // of one with comments nothing can be said, as of one without servers
			_ = json.Unmarshal(whole[p.Servers.Key], &servers)
		}
		for server, how := range servers {
			in.known = append(in.known, server)
			if slices.Contains(p.MCP, server) {
				in.servers[server] = how
			}
		}
	}
	return nil
}

// markdown is everything as one text. Skills and sub-agents are named with the file below folder that has them.
func (in Instructions) markdown(folder string) string {
	var b strings.Builder
	b.WriteString("# What the project and the person ask of every agent\n\n" +
		"Where your subtask says otherwise, it holds.\n")
	for _, t := range in.texts {
		of := ""
		if dir := path.Dir(t.name); !strings.HasPrefix(t.name, "~") && dir != "." && !strings.HasPrefix(dir, ".") {
			of = " (for what lies below " + dir + ")"
		}
		fmt.Fprintf(&b, "\n## %s%s\n\n%s\n", t.name, of, strings.TrimSpace(t.data))
	}
	index := func(title string, all []skill) {
		if len(all) == 0 {
			return
		}
		b.WriteString(title)
		for _, s := range all {
			fmt.Fprintf(&b, "- %s: %s (%s)\n", s.name, s.about, path.Join(folder, s.main()))
		}
	}
	index("\n# Skills\n\nEach file says how one kind of work is done here. "+
		"Read it in full before you do such work.\n\n",
		in.skills)
	index("\n# Sub-agents\n\nYou cannot start any. Where one is meant for what you do, read its file and do it as it "+
		"says.\n\n", in.agents)
	return quotedBlocks(Cut(b.String(), ContextCap))
}

// reads reports whether it is known where the project and the person write down what the program is to know.
func (p Profile) reads() bool { return len(p.Project.Skills)+len(p.Person.Skills) > 0 }

// given are the servers that are given, by name.
func (in Instructions) given() map[string]any {
	if in.servers == nil {
		return map[string]any{}
	}
	return in.servers
}

// refused are the servers that the person's files name and that are not given.
func (in Instructions) refused() (names []string) {
	for _, name := range in.known {
		if _, given := in.servers[name]; !given && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// allowed are the names of the servers that are given. It is never empty, which some programs take for all.
func (in Instructions) allowed() []string {
	return slices.Concat([]string{"none"}, slices.Sorted(maps.Keys(in.servers)))[min(1, len(in.servers)):]
}

// PersonFiles are the files of the person's home, where the program looks for them.
func (p Profile) PersonFiles(home string) fs.FS { return personFS{p.Program, home} }

type personFS struct {
	program program.Program
	home    string
}

// Open implements fs.FS.
func (f personFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.Open(f.program.At(f.home, name))
}
