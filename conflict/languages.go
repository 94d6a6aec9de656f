package conflict

import (
	"delegate/conflict/code"
	"delegate/conflict/internal/languages"
)

// Languages are those whose code this build reads. Files in others are compared as text.
func Languages() (read []code.Language) {
	for _, l := range languages.All() {
		if l.Parse != nil {
			read = append(read, l.Name)
		}
	}
	return read
}
