package conflict

import (
	"delegate/internal/text/lazyregexp"
	"slices"
	"strings"

	"delegate/change"
)

// target is the name of the change set of the branch that merges land on.
const target = "target"

// isAgent tells agents from branches and the target, which no command can send back.
func isAgent(name string) bool { return strings.HasPrefix(name, "AGT-") }

// adviceFor says how to get out of a conflict over the files.
func (p Pair) adviceFor(files []change.File) string {
	switch {
	case slices.ContainsFunc(files, isSubmodule):
		return "Decide which commit the submodule has to be at. " + p.adviceToOrder()
	case slices.ContainsFunc(files, func(f change.File) bool { return f.Binary }):
		return "A binary file cannot be merged: decide which version to keep. " + p.adviceToOrder()
	}
	return p.adviceToOrder()
}

// adviceToOrder says how to bring one side after the other.
func (p Pair) adviceToOrder() string {
	a, b := p.A.Name, p.B.Name
	switch {
	case isAgent(a) && isAgent(b):
		return "Merge one first, then send the other back to adapt: \"delegate sync merge " + a +
			"\", then \"delegate adapt " + b + "\"."
	case isAgent(a) && b == target:
		return sendBack(a)
	case isAgent(b) && a == target:
		return sendBack(b)
	}
	return "Merge one first, then rebase the other onto the result."
}

func sendBack(agent string) string {
	return "Send " + agent + " back to adapt to the target: \"delegate adapt " + agent + "\"."
}

// OfAgent rewrites a finding of a pair with the change set "target" as one with the agent whose work will be merged
// into the target before the other side: that agent takes the place of the target in the texts and places.
func (f Finding) OfAgent(agent string) Finding {
	pair := Pair{}
	f.Agents, f.Places = slices.Clone(f.Agents), slices.Clone(f.Places)
	pair.A.Name = agent
	for i, name := range f.Agents {
		if name == target {
			f.Agents[i] = agent
		} else {
			pair.B.Name = name
		}
	}
	for i := range f.Places {
		if f.Places[i].Agent == target {
			f.Places[i].Agent = agent
		}
	}
	f.Message = OnBranch(f.Message, agent)
	if edit, found := strings.CutSuffix(f.Advice, sendBack(pair.B.Name)); found {
		f.Advice = edit + pair.adviceToOrder()
	}
	return f
}

// adviceToRead says how to look at two changes that git merges.
func (p Pair) adviceToRead() string {
	var commands []string
	for _, name := range []string{p.A.Name, p.B.Name} {
		if isAgent(name) {
			commands = append(commands, "\"delegate diff "+name+"\"")
		}
	}
	if len(commands) == 0 {
		return "Read both changes together before you merge."
	}
	return "Read both changes together before you merge: " + strings.Join(commands, ", ") + "."
}

// targetWord is how findings call the branch that work is merged into.
var targetWord = lazyregexp.New(`(^|[\s(])(?:[Tt]he )?target([\s,.:;)]|'s|$)`)

// OnBranch replaces "the target" in the text of a finding by the name of the branch.
func OnBranch(text, branch string) string {
	return targetWord.ReplaceAllString(text, "${1}"+strings.ReplaceAll(branch, "$", "$$")+"${2}")
}
