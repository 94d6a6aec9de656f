package review

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// allowed is the comment by which people, and other scanners, let a line pass.
const allowed = "gitleaks:allow"

// secrets says where added lines hold what looks like a secret, and which files mostly hold some by their name. What a
// changed file held before is not this change's.
func secrets(w *work) ([]Remark, error) {
	if !w.Rules.Secrets {
		return nil, nil
	}
	all := forms()
	var suspects []suspect
	err := w.each(func(v version) {
		for _, b := range v.added() {
			for _, s := range search(all, b) {
				if !bytes.Contains(v.old, []byte(s.secret)) {
					s.remark.Path = v.Path
					suspects = append(suspects, s)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	moved, err := w.held(suspects)
	if err != nil {
		return nil, err
	}
	remarks := w.settings()
	for _, s := range suspects {
		if moved[s.secret] && s.remark.Severity == Critical {
			s.remark.Severity, s.remark.Text = Warning, s.remark.Text+"; another file of the base branch held it before"
		}
		remarks = append(remarks, s.remark)
	}
	return remarks, nil
}

// settings are the new files named .env, or .env.NAME, but for those that show only how to write one.
func (w *work) settings() (all []Remark) {
	for _, f := range w.Changes {
		name := path.Base(f.Path)
		shows := slices.Contains([]string{".example", ".sample", ".template", ".dist"}, path.Ext(name))
		if f.OldMode == 0 && !shows && (name == ".env" || strings.HasPrefix(name, ".env.")) {
			all = append(all, Remark{Severity: Warning, Path: f.Path,
				Text: "a new file of settings that mostly hold secrets"})
		}
	}
	return all
}

// suspect is a remark about a text, which no remark holds.
type suspect struct {
	remark Remark
	secret string
}

// held finds which of the texts stood in a changed file before.
func (w *work) held(suspects []suspect) (map[string]bool, error) {
	held := map[string]bool{}
	if len(suspects) == 0 {
		return held, nil
	}
	for _, f := range w.Changes {
		if !isText(f) || f.OldMode == 0 || !fs.ValidPath(f.BasePath()) {
			continue
		}
		old, err := w.before(f)
		if err != nil {
			return nil, err
		}
		for _, s := range suspects {
			if bytes.Contains(old, []byte(s.secret)) {
				held[s.secret] = true
			}
		}
	}
	return held, nil
}

// search finds the secrets of added lines, at most one a line.
func search(all []form, b block) []suspect {
	var found []suspect
	line := b.line - 1
	for rest := b.text; len(rest) > 0; {
		var text []byte
		text, rest = cutLines(rest, 1)
		line++
		lower := bytes.ToLower(text)
		for _, f := range all {
			if s, ok := f.in(text, lower, rest); ok {
				s.remark.Line = line
				found = append(found, s)
				break
			}
		}
	}
	return found
}

// longestBelow is how far into the next lines a secret is looked for that begins in one.
const longestBelow = 100

// in looks for the form in a line, which is also given in lower case, with the text below it.
func (f form) in(line, lower, below []byte) (suspect, bool) {
	if !slices.ContainsFunc(f.hints, func(hint string) bool { return bytes.Contains(lower, []byte(hint)) }) {
		return suspect{}, false
	}
	text := line
	if f.below {
		text = slices.Concat(line, below[:min(len(below), longestBelow)])
	}
	for _, at := range f.text.Compiled().FindAllSubmatchIndex(text, -1) {
		begin, end := at[len(at)-2], at[len(at)-1] // of the group, or of the whole if there is none
		secret := string(text[begin:end])
		if begin >= len(line) || !f.real(secret) {
			continue
		}
		r := Remark{Severity: f.severity, Text: "adds what looks like " + f.what + shown(f, secret)}
		if bytes.Contains(line, []byte(allowed)) {
			r.Severity, r.Text = Suggestion, r.Text+", which a "+allowed+" comment lets pass"
		}
		return suspect{r, secret}, true
	}
	return suspect{}, false
}

// shown is as much of a secret as helps to find it again: the beginning that all of its form share, and its length.
func shown(f form, secret string) string {
	if f.entropy == 0 {
		return ""
	}
	beginning := ""
	if f.severity == Critical && !strings.ContainsAny(secret, "/+") {
		beginning = secret[:4] + "…, "
	}
	return fmt.Sprintf(" (%s%d characters)", beginning, utf8.RuneCountInString(secret))
}
