package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"

	"delegate/conflict"

	"github.com/spf13/cobra"
)

// built is what is known of this program: JSON of `delegate version`.
type built struct {
	Version   string   `json:"version"`
	Commit    string   `json:"commit"`
	Date      string   `json:"date"`
	Changed   bool     `json:"changed"`
	Go        string   `json:"go"`
	System    string   `json:"system"`
	Languages []string `json:"languages"`
}

// versionCommand is `delegate version`: which program this is, and what it reads.
func (a *app) versionCommand() *cobra.Command {
	c := a.jsonFlag(command("version", "print the version, the commit, and the supported languages",
		cobra.NoArgs, func(context.Context, []string) error {
			info, _ := debug.ReadBuildInfo() // without it nothing is known of the commit
			b := buildOf(info)
			return a.answer(b, func() { a.printBuilt(b) })
		}))
	c.Long = "Prints the version, the commit and date that this program was built from, the Go version and the\n" +
		"system, and the supported languages: all if it was built with a C compiler, otherwise only Go."
	return c
}

// buildOf reads what the compiler wrote down of the checkout; of a program that was built from none that is nothing.
func buildOf(info *debug.BuildInfo) built {
	b := built{Version: version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	for _, l := range conflict.Languages() {
		b.Languages = append(b.Languages, string(l))
	}
	if info == nil {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

func (a *app) printBuilt(b built) {
	a.printf("%s %s\n", "delegate version", b.Version)
	if b.Commit == "" {
		a.printf("commit:  unknown\n")
	} else {
		note := ""
		if b.Changed {
			note = ", with changes that are in no commit"
		}
		a.printf("commit:  %s of %s%s\n", b.Commit, b.Date, note)
	}
	a.printf("built:   by %s for %s\nreads:   %s%s\n", b.Go, b.System, strings.Join(b.Languages, ", "), alone(b))
}

// alone says what becomes of the other languages where only Go is read.
func alone(b built) string {
	if len(b.Languages) > 1 {
		return ""
	}
	return " (other languages as text: it was built without a C compiler)"
}
