package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"delegate/internal/lazyregexp"
	"delegate/internal/spelling"
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

// NameError refuses a name that was asked for.
type NameError struct{ Name, Reason string }

func (e *NameError) Error() string { return fmt.Sprintf("name %q: %s", e.Name, e.Reason) }

// CheckName is a *NameError for a name that no new agent can have; named says which names something else has.
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

// Find returns the agent that a person named: by its id, as `AGT-001`, `agt-1` or `1`, by its name,
// or by a beginning of its name that no other has.
// Errors: *UnknownAgentError, *AmbiguousAgentError.
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
	return &UnknownAgentError{Agent: word, Known: spelling.ByDistance(word, s.names())}
}

// NameOf is the name of the agent with an id; the id itself if there is no such agent.
func (s State) NameOf(id string) string {
	if a, err := s.Agent(id); err == nil {
		return a.Name
	}
	return id
}

// NamesOf are the names of the agents with the ids, in their order.
func (s State) NamesOf(ids []string) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = s.NameOf(id)
	}
	return all
}

// WithNames returns a text for people: each id of an agent in it is replaced by the agent's name.
// An id that is part of a path or of a branch stays.
func (s State) WithNames(text string) string {
	return wholeID.ReplaceAllStringFunc(text, s.NameOf)
}
