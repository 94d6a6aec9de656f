package agent

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"delegate/internal/turn/program"
)

// handed are the names of the person's variables that the program gets.
func (p Profile) handed() []string {
	names := slices.Clone(p.PassEnv)
	for _, c := range p.used() {
		names = append(append(names, c.Switch), c.PassEnv...)
	}
	return names
}

// used are the providers that the person's environment chooses.
func (p Profile) used() (used []program.Cloud) {
	for _, c := range p.Clouds {
		if value := os.Getenv(c.Switch); value != "" && value != "0" && value != "false" {
			used = append(used, c)
		}
	}
	return used
}

// logins are the files below the person's home that hold its login.
func (p Profile) logins() []string {
	names := slices.Clone(p.Credentials)
	for _, c := range p.used() {
		names = append(names, c.Credentials...)
	}
	return names
}

// CanChoose is an error if the profile has no way to tell its program the model, or the effort, that a subtask names.
func (p Profile) CanChoose(model, effort string) error {
	for _, asked := range []struct {
		what, value, word string
		args              []string
	}{
		{"model", model, "{model}", p.Model}, {"effort", effort, "{effort}", p.Effort}} {
		named := slices.ContainsFunc(p.Command, func(word string) bool {
			return word == "{choice}" && len(asked.args) > 0 || strings.Contains(word, asked.word)
		})
		if asked.value != "" && !named {
			return fmt.Errorf("agent profile %q: nothing tells its program the %s %q; put %s into its command, or "+
				"leave the field out", p.Name, asked.what, asked.value, asked.word)
		}
	}
	return nil
}

// choice are the arguments for model, effort and budget, as far as they are chosen.
func (p Profile) choice(place Place) (words []string) {
	if cmp.Or(place.Model, p.DefaultModel) != "" {
		words = append(words, p.Model...)
	}
	if cmp.Or(place.Effort, p.DefaultEffort) != "" {
		words = append(words, p.Effort...)
	}
	if place.Budget != "" {
		words = append(words, p.Budget...)
	}
	return words
}
