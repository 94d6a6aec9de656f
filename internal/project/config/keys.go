package config

import (
	_ "embed"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Key is one key of the configuration as people are told of it.
type Key struct{ Group, Name, Type, Default, Meaning, Example string }

// keysTable is Markdown: the keys in tables under their groups, as docs/configuration.md has them.
//
//go:embed keys.md
var keysTable string

// link is one of Markdown, whose words are its first group.
var link = lazyregexp.New(`\[([^]]*)\]\([^)]*\)`)

// Keys are all keys with what is said of them in plain text, in the order of KeysTable.
func Keys() (all []Key) {
	group := ""
	for line := range strings.Lines(keysTable) {
		line = strings.TrimSpace(line)
		if name, found := strings.CutPrefix(line, "### "); found {
			group = name
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 5 || cells[0] == "key" {
			continue
		}
		for i, cell := range cells {
			cells[i] = strings.ReplaceAll(link.ReplaceAllString(cell, "$1"), "`", "")
		}
		all = append(all, Key{group, cells[0], cells[1], cells[2], cells[3], cells[4]})
	}
	return all
}

// Confirmers lists the programs that the key confirm may name.
func Confirmers() []string {
	return []string{"tsc", "pyright", "javac", "gcc", "mcs", "mypy", "cargo", "phpstan"}
}
