package manifest

import (
	"strings"

	"delegate/conflict/code"
)

// gemSection says what stands in a section of Gemfile.lock whose heading is known to have gems.
func gemSection(heading string) (group string, hasGems bool) {
	switch heading {
	case "GEM", "GIT", "PLUGIN SOURCE":
		return "", true
	case "PATH":
		return "local", true
	}
	return "", false
}

// readGemfileLock reads the gems of all sources. What they depend on stands deeper, and those gems stand here as well.
func readGemfileLock(data []byte) (code.Manifest, error) {
	const headingIndent, rubyIndent, gemIndent = 0, 3, 4
	f := code.Manifest{Ecosystem: Ruby, Lock: true}
	heading := ""
	for l := range textLines(data) {
		group, hasGems := gemSection(heading)
		name, version, ok := strings.Cut(l.text, " ")
		switch {
		case l.text == "":
		case l.indent == headingIndent:
			if heading = l.text; strings.Trim(heading, "ABCDEFGHIJKLMNOPQRSTUVWXYZ ") != "" {
				return f, faultAt(l.number, "%q is no heading", l.text)
			}
		case heading == "RUBY VERSION" && l.indent == rubyIndent && name == "ruby":
			f.Add("", code.Dependency{Name: name, Version: version, Line: l.number})
		case hasGems && l.indent == gemIndent:
			if !ok || !strings.HasPrefix(version, "(") || !strings.HasSuffix(version, ")") {
				return f, faultAt(l.number, "%q is no gem with a version", l.text)
			}
			f.Add(group, code.Dependency{Name: name, Version: version[1 : len(version)-1], Line: l.number})
		}
	}
	return f, nil
}
