package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Running is the known program that a command line runs; false if it runs none of them. A program
// from a package of npm counts by the package's name as well, whatever its script is called.
func Running(args []string) (Program, bool) {
	name := NameOf(args)
	for _, p := range all() {
		if name == p.Name || slices.Contains(p.Aliases, name) {
			return p, true
		}
		for _, alias := range p.Aliases {
			ofPackage := func(arg string) bool { return strings.HasPrefix(packageOf(arg)+"/", alias+"/") }
			if slices.ContainsFunc(args[:min(len(args), mostBefore)], ofPackage) {
				return p, true
			}
		}
	}
	return Program{}, false
}

// AsksPerson says whether a tool of that name is one with which a program asks the person.
func AsksPerson(tool string) bool {
	return slices.ContainsFunc(All(), func(p Program) bool { return slices.Contains(p.Tools.Ask, tool) })
}

// OnlyReads says whether a tool of that name is one with which a program changes no file.
func OnlyReads(tool string) bool {
	return slices.ContainsFunc(All(), func(p Program) bool {
		return slices.Contains(slices.Concat(p.Tools.Read, p.Tools.Look, p.Tools.Ask), tool)
	})
}

// mostBefore is how many words of a command line its script may be among: what runs it, options, the script.
const mostBefore = 4

// packageOf is what follows the packages' folder in a script's path, without the package's owner.
func packageOf(script string) string {
	_, rest, _ := strings.Cut(filepath.ToSlash(script), "/node_modules/")
	if strings.HasPrefix(rest, "@") {
		_, rest, _ = strings.Cut(rest, "/")
	}
	return rest
}

// Marked is the known program that marked this process's environment, and the variable; false if none did.
func Marked() (p Program, variable string, found bool) {
	for _, p := range All() {
		for _, name := range p.Marks {
			if value := os.Getenv(name); value != "" && value != "0" && value != "false" {
				return p, name, true
			}
		}
	}
	return Program{}, "", false
}

// NameOf is the name of the program that a command line runs: for a script, that of the script
// and not of what reads it. It is "" if the line itself is the script.
func NameOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	name := PlainName(args[0])
	if !ReadsScripts(name) {
		return name
	}
	for i, arg := range args[1:] {
		switch {
		case arg == "-m" && strings.HasPrefix(name, "python") && i+2 < len(args):
			return PlainName(args[i+2])
		case arg == "-c" || arg == "-e" || arg == "-p":
			return ""
		case !strings.HasPrefix(arg, "-"):
			return PlainName(arg)
		}
	}
	return ""
}

// PlainName is the last part of a path without what says how the file is run.
func PlainName(path string) string {
	name := strings.TrimPrefix(filepath.Base(path), "-") // a login shell
	switch ext := filepath.Ext(name); ext {
	case ".exe", ".js", ".mjs", ".cjs", ".py", ".sh":
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// ReadsScripts reports whether the program of that name is one that runs scripts.
func ReadsScripts(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "node", "nodejs", "bun", "deno", "ruby", "perl":
		return true
	}
	return strings.HasPrefix(name, "python")
}
