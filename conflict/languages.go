package conflict

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/languages"
)

// Languages returns the languages that this build can parse. Files in other languages are compared as text.
func Languages() (read []code.Language) {
	for _, l := range languages.All() {
		if l.Parse != nil {
			read = append(read, l.Name)
		}
	}
	return read
}
