//go:build bench && !windows

package agents_test

import (
	"strings"

	builtin "delegate/internal/turn/program"
)

// markedFiles are files in all places that a program's model is told of, in the repository and in the person's home,
// each with the mark of its name.
func markedFiles(name string) map[string]string {
	p, _ := builtin.Named(name)
	files := map[string]string{}
	for side, from := range map[string]builtin.Sources{"repo/": p.Project, "home/": p.Person} {
		put := func(name, before, after string) { files[name] = before + markOf(name) + after }
		for _, name := range from.Files {
			put(side+name, "Say thanks. ", "\n")
		}
		for _, folder := range from.Rules {
			put(side+folder+"/rule.md", "Say please. ", "\n")
		}
		for _, folder := range from.Skills {
			name := strings.NewReplacer("/", "", ".", "").Replace(side + folder)
			put(side+folder+"/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: ", "\n---\nKnit.\n")
		}
		for _, folder := range from.Agents {
			name := strings.Trim(side, "/")
			put(side+folder+"/"+name+".md", "---\nname: "+name+"\ndescription: ", "\n---\nYou knit.\n")
		}
	}
	return files
}

func markOf(name string) string {
	return "MARK-" + strings.NewReplacer("/", "_", ".", "_").Replace(name) + "."
}

// knows holds that the model was told what the project and the person wrote for its program, in each place.
func (t *trial) knows(v shown) {
	for name := range markedFiles(t.agent.name) {
		t.expect(t.model.marked("silent", markOf(name)), "the model was not told of %s", name)
	}
	t.expect(len(v.Given.Skills) > 1 && len(v.Given.Instructions) > 0,
		"delegate show says of what it was given: %s", v.Given)
}
