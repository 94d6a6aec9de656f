package checkpoint

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// verdict says what a value was.
type verdict int

const (
	invalid   verdict = iota
	chosen            // one value of the list
	several           // a list of values, as in the template
	ambiguous         // one value, and another in the words after it
)

// choice is a value picked from a list, and the explanation that followed it.
type choice struct {
	value, rest string
	verdict     verdict
}

// choose reads one upper-case word of a list, in any case, with decoration around it
// and an explanation behind punctuation after it.
func choose(text string, values ...string) choice {
	text = strings.NewReplacer("*", "", "`", "").Replace(text)
	if parts := alternatives(text, values); parts > 1 {
		return choice{verdict: several}
	}
	core := strings.TrimFunc(text, notWord)
	if v := normalWord(core); slices.Contains(values, v) {
		return choice{value: v, verdict: chosen}
	}
	core = strings.TrimLeftFunc(text, notWord)
	for _, v := range values {
		if len(core) <= len(v) || normalWord(core[:len(v)]) != v {
			continue
		}
		rest := strings.TrimLeft(core[len(v):], " \t]")
		r := []rune(rest)
		if len(r) == 0 || !strings.ContainsRune("(-–—:;,.!", r[0]) {
			continue
		}
		for _, word := range strings.FieldsFunc(rest, notWord) {
			if word != v && slices.Contains(values, word) {
				return choice{verdict: ambiguous}
			}
		}
		return choice{value: v, rest: explanation(rest), verdict: chosen}
	}
	return choice{}
}

// alternatives counts the parts of a list such as "A | B" or "a/b"; 0 when a part is not a value.
func alternatives(text string, values []string) int {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == '/' || r == ',' })
	n := 0
	for _, p := range parts {
		core := strings.TrimFunc(p, notWord)
		if core == "" {
			continue
		}
		if !slices.Contains(values, normalWord(core)) {
			return 0
		}
		n++
	}
	return n
}

func explanation(rest string) string {
	rest = strings.Trim(strings.TrimLeft(rest, "-–—:;,.! \t"), blanks)
	if inner, ok := strings.CutPrefix(rest, "("); ok && strings.IndexByte(inner, ')') == len(inner)-1 {
		return strings.Trim(inner[:len(inner)-1], blanks)
	}
	return rest
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }

func normalWord(s string) string {
	s = strings.ToUpper(strings.Trim(s, "_"))
	if s == "IN PROGRESS" || s == "IN-PROGRESS" {
		return string(InProgress)
	}
	return s
}

// noneish reports whether a text says that there is nothing to say.
func noneish(s string) bool {
	if strings.ContainsRune(s, '\n') {
		return false
	}
	s = strings.Trim(unbullet(s), "*_`.()[] \t")
	switch strings.ToLower(s) {
	case "", "none", "n/a", "-", "--", "—", "–":
		return true
	}
	return false
}

// percent reads a progress value; template is true for the placeholder.
func percent(text string) (n int, template, ok bool) {
	t := strings.NewReplacer("*", "", "_", "", "`", "", "[", "", "]", "", "~", "", "≈", "", "–", "-").Replace(text)
	t = strings.Trim(t, blanks)
	if t == "0-100%" || t == "0-100" {
		return 0, true, false
	}
	end := 0
	for end < len(t) && t[end] >= '0' && t[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(t[:end])
	rest := strings.Trim(t[end:], blanks)
	if err != nil || n > 100 || (rest != "" && rest != "/100" && rest[0] != '%') {
		return 0, false, false
	}
	return n, false, true
}

// agentID reads the id of a header: three or more digits after "AGT-", brackets around it allowed.
// template is true for a placeholder such as AGT-XXX.
func agentID(raw string) (id string, template, ok bool) {
	core := strings.Trim(raw, "[]<>{}()\"' \t")
	number, found := strings.CutPrefix(core, "AGT-")
	if found && len(number) >= 3 && strings.Trim(number, "0123456789") == "" {
		return core, false, true
	}
	marks := strings.Trim(number, "0123456789")
	letters := func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '#' && r != '?' }
	if found && marks != "" && (strings.Trim(marks, "XxNn#?") == "" || strings.IndexFunc(number, letters) < 0) {
		return core, true, false
	}
	if raw != core && core != "" && !found && !strings.ContainsAny(core, "0123456789") {
		return core, true, false
	}
	return core, false, false
}
