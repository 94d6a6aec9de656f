package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"delegate/internal/text/lazyregexp"
)

// longestName is how many characters a name has, without the number that tells two of one title apart.
const longestName = 24

// nameForm is the form of a name; idForm is that of ids, which a name never has.
var (
	nameForm = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	idForm   = lazyregexp.New(`^((agt|del)-?)?\d+(-\d+)?$`)
	wholeID  = lazyregexp.New(`[\w/-]*\bAGT-\d{3,}\b[\w/-]*`)
)

func validName(name string) bool {
	return len(name) >= 2 && nameForm.MatchString(name) && !idForm.MatchString(name)
}

// readName reads a name. A person's own field of that title, from before there were names, is none.
func readName(text string) (string, error) {
	if !validName(text) {
		return "", nil
	}
	return text, nil
}

// slug is the name that a subtask's title gives: its whole words as far as they have room, without
// a little word at the end. "" if that leaves nothing to type.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLower(r) && !unicode.IsDigit(r)
	})
	name := ""
	for i, word := range words {
		longer := strings.TrimPrefix(name+"-"+word, "-")
		if i == 0 {
			longer = longer[:min(len(longer), longestName)]
		}
		if len(longer) > longestName {
			break
		}
		name = longer
	}
	little := []string{"to", "a", "an", "the", "of", "and", "for", "with", "in", "on", "from", "by"}
	for {
		at := strings.LastIndex(name, "-")
		if at < 0 || !slices.Contains(little, name[at+1:]) {
			break
		}
		name = name[:at]
	}
	if !validName(name) {
		return ""
	}
	return name
}

// NameError means that a new agent cannot have a name. Reason says why and what to write instead.
type NameError struct{ Name, Reason string }

// Error returns the quoted name and the reason.
func (e *NameError) Error() string { return fmt.Sprintf("name %q: %s", e.Name, e.Reason) }

// CheckName returns a *NameError if a new agent cannot have the name: because of its form, or because another agent has
// it, or because named reports that something else, such as a branch, has it. Otherwise it returns nil.
func (s State) CheckName(name string, named func(string) bool) error {
	if !validName(name) {
		return &NameError{name, "write it in small letters, digits and single hyphens, and not like an id"}
	}
	for _, a := range s.Agents {
		if a.Name == name {
			return &NameError{name, "another agent of the session has it; choose another name"}
		}
	}
	if named(name) {
		return &NameError{name, "a branch or worktree of that name is there"}
	}
	return nil
}

// nobody has none of the names.
func nobody(string) bool { return false }

// nameAgents gives each agent without a name one of its own that nothing else has, in the order of the agents.
func nameAgents(agents []Agent, named func(string) bool) {
	taken := map[string]bool{}
	for _, a := range agents {
		taken[a.Name] = true
	}
	for i := range agents {
		if agents[i].Name == "" {
			agents[i].Name = freeName(agents[i], func(name string) bool { return taken[name] || named(name) })
			taken[agents[i].Name] = true
		}
	}
}

func freeName(a Agent, taken func(string) bool) string {
	first := cmp.Or(slug(a.Subtask), "task-"+strings.TrimLeft(strings.TrimPrefix(a.ID, "AGT-"), "0"))
	if program := slug(a.Profile); a.BestOf != "" && program != "" {
		first += "-" + program // what tells those apart that have the same task
	}
	name := first
	for n := 2; taken(name); n++ {
		name = first + "-" + strconv.Itoa(n)
	}
	return name
}

// Find returns the agent that a person names by its id ("AGT-001", "agt-1" or "1"), by its name, or by a prefix that
// only its name has. The error is an *UnknownAgentError or an *AmbiguousAgentError.
func (s State) Find(word string) (Agent, error) {
	if number, err := strconv.Atoi(strings.TrimPrefix(strings.ToUpper(word), "AGT-")); err == nil {
		return s.Agent(fmt.Sprintf("AGT-%03d", number))
	}
	var begun []Agent
	for _, a := range s.Agents {
		if strings.EqualFold(a.Name, word) {
			return a, nil
		}
		if word != "" && strings.HasPrefix(a.Name, strings.ToLower(word)) {
			begun = append(begun, a)
		}
	}
	switch len(begun) {
	case 0:
		return Agent{}, s.unknown(word)
	case 1:
		return begun[0], nil
	}
	return Agent{}, &AmbiguousAgentError{Agent: word, Names: State{Agents: begun}.names()}
}

func (s State) names() []string {
	all := make([]string, len(s.Agents))
	for i, a := range s.Agents {
		all[i] = a.Name
	}
	return all
}

func (s State) unknown(word string) error {
	return &UnknownAgentError{Agent: word, Known: s.names()}
}

// NameOf returns the name of the agent with the id, or the id itself if there is no such agent.
func (s State) NameOf(id string) string {
	if a, err := s.Agent(id); err == nil {
		return a.Name
	}
	return id
}

// NamesOf returns NameOf for each id, in order.
func (s State) NamesOf(ids []string) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = s.NameOf(id)
	}
	return all
}

// WithNames replaces each agent id in a text by the agent's name, for people. It does not replace an id that is part of
// a path or branch name.
func (s State) WithNames(text string) string {
	return wholeID.ReplaceAllStringFunc(text, s.NameOf)
}
