package manifest

import (
	"cmp"
	"strings"

	"delegate/conflict/code"
)

// all are the elements at a path of names, each of which may be there several times.
func (i *item) all(path ...string) []*item {
	if len(path) == 0 {
		return []*item{i}
	}
	var found []*item
	for _, inner := range i.items {
		if inner.name == path[0] {
			found = append(found, inner.all(path[1:]...)...)
		}
	}
	return found
}

// readPom reads Maven's project object model as far as it names packages.
func readPom(r *reading) {
	if r.root.name != "project" {
		r.fail(r.root.line, "<%s> where <project> must be", r.root.name)
		return
	}
	models := append([]*item{r.root}, r.root.all("profiles", "profile")...)
	parent := r.root.field("parent")
	known := properties{}
	for _, m := range models {
		for _, list := range m.all("properties") {
			for _, p := range list.items {
				if _, given := known[p.name]; !given {
					known[p.name] = strings.TrimSpace(p.text)
				}
			}
		}
	}
	if parent != nil {
		for _, name := range []string{"groupId", "version"} {
			known["project.parent."+name] = parent.textAt(name)
		}
	}
	known["project.artifactId"] = r.root.textAt("artifactId")
	for _, name := range []string{"groupId", "version"} {
		known["project."+name] = cmp.Or(r.root.textAt(name), parent.textAt(name))
	}
	r.Name = known.name(known["project.groupId"], known["project.artifactId"])
	if parent != nil {
		r.Add("parent", known.dependency(parent))
	}
	for _, m := range models {
		for _, e := range m.all("dependencyManagement", "dependencies", "dependency") {
			r.Add("managed", known.dependency(e))
		}
		for _, e := range m.all("dependencies", "dependency") {
			group := strings.TrimSpace(e.textAt("scope"))
			if group == "" || group == "compile" {
				group = ""
				if strings.TrimSpace(e.textAt("optional")) == "true" {
					group = "optional"
				}
			}
			r.Add(group, known.dependency(e))
		}
	}
}

// properties are what ${…} can stand for without another file: a model's own variables, the first of a name,
// and what it says of itself.
type properties map[string]string

// expand replaces ${…} as far as the variables are known. One replacement can bring in others,
// so their number and the length of the text are limited.
func (p properties) expand(text string) string {
	const most, longest = 32, 1024
	text = strings.TrimSpace(text)
	expanded, from := text, 0
	for range most {
		open := strings.Index(expanded[from:], "${")
		if open < 0 {
			return expanded
		}
		open += from
		name, rest, closed := strings.Cut(expanded[open+2:], "}")
		if !closed {
			return expanded
		}
		value, known := p[name]
		if !known {
			from = open + 2
			continue
		}
		if expanded = expanded[:open] + value + rest; len(expanded) > longest {
			return text
		}
		from = open
	}
	return text
}

// name is empty if a part of it is.
func (p properties) name(group, artifact string) string {
	group, artifact = p.expand(group), p.expand(artifact)
	if group == "" || artifact == "" {
		return ""
	}
	return group + ":" + artifact
}

func (p properties) dependency(e *item) code.Dependency {
	return code.Dependency{Name: p.name(e.textAt("groupId"), e.textAt("artifactId")),
		Version: p.expand(e.textAt("version")), Line: e.line}
}
