package plain

import (
	"path"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Roles of names that templates and code refer to by what they are.
const (
	Template    Role = "template"
	Section     Role = "template block"
	Translation Role = "translation"
)

var (
	sectionGiven   = lazyregexp.New(`\{%-?\s*block\s+(\w+)`)
	extended       = lazyregexp.New(`\{%-?\s*extends\s+["']([^"']+)["']`)
	templateGiven  = lazyregexp.New(`\{\{-?\s*(?:define|block)\s+"([^"]+)"`)
	templateUse    = lazyregexp.New(`\{\{-?.*?\b(?:template|include)\s+"([^"]+)"`)
	templateRun    = lazyregexp.New(`\.ExecuteTemplate\([^,]*,\s*"([^"]+)"`)
	translationUse = lazyregexp.New(`(?:^|[^\w.])(?:\$?tc?|(?:i18n|I18n|this|intl)\.\$?(?:tc?|translate))` +
		`[(\s]\s*["']([A-Za-z][\w-]*(?:\.[\w-]+)+)["']`)
	pluralEnding = lazyregexp.New(`_(?:zero|one|two|few|many|other|plural|male|female)$`)
)

// eachMatch returns the first groups of what matches.
func eachMatch(pattern *lazyregexp.Regexp, text string) (all []string) {
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

// ofTemplates notes the templates of Go that a line defines or takes in, and the values of a chart.
func (r *reading) ofTemplates() {
	if strings.Contains(r.text, "{{") {
		r.give(Template, "", eachMatch(templateGiven, r.text)...)
		r.refer(Template, "", eachMatch(templateUse, r.text)...)
		r.ofChart()
	}
}

// ofSections notes the blocks of a template, which those that extend it fill in by their names.
func (r *reading) ofSections() {
	for _, name := range eachMatch(sectionGiven, r.text) {
		if r.outer == "" {
			r.give(Section, "", path.Base(r.name)+" "+name)
		} else {
			r.refer(Section, "", r.outer+" "+name)
		}
	}
}

// ofUses notes the templates, features, events and translations that a line of code refers to by a string.
func (r *reading) ofUses() {
	if strings.Contains(r.text, "ExecuteTemplate") {
		r.refer(Template, "", eachMatch(templateRun, r.text)...)
	}
	if path.Ext(r.name) == ".rs" && strings.Contains(r.text, "feature") {
		r.refer(Feature, "", eachMatch(featureUse, r.text)...)
	}
	r.ofEvents()
	r.refer(Translation, "", eachMatch(translationUse, r.text)...)
}

// givesTranslation notes a text by the path of its keys, without the language that it is in.
func (r *reading) givesTranslation(keys string) {
	if !translated.MatchString(r.name) {
		return
	}
	base, _, _ := strings.Cut(path.Base(r.name), ".")
	keys = strings.TrimPrefix(keys, base+".")
	r.give(Translation, "", keys)
	if plural := pluralEnding.ReplaceAllString(keys, ""); plural != keys {
		r.give(Translation, "", plural)
		r.define(plural)
	}
}
