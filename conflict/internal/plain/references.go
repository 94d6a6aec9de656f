package plain

import (
	"path"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Roles of names that commands, templates and code refer to by what they are.
const (
	Feature       Role = "feature"
	Template      Role = "template"
	Step          Role = "step"
	Output        Role = "output"
	Volume        Role = "volume"
	Label         Role = "label"
	BuildArgument Role = "build argument"
	Event         Role = "event"
	Translation   Role = "translation"
)

var (
	templateGiven  = lazyregexp.New(`\{\{-?\s*(?:define|block)\s+"([^"]+)"`)
	templateUse    = lazyregexp.New(`\{\{-?.*?\b(?:template|include)\s+"([^"]+)"`)
	templateRun    = lazyregexp.New(`\.ExecuteTemplate\([^,]*,\s*"([^"]+)"`)
	stepUse        = lazyregexp.New(`\bsteps\.([\w-]+)\.(?:outputs|outcome|conclusion)\b`)
	outputUse      = lazyregexp.New(`\bneeds\.([\w-]+\.outputs\.[\w-]+)`)
	buildArgument  = lazyregexp.New(`--build-arg[\s=]+["']?(\w+)`)
	featureUse     = lazyregexp.New(`\bfeature\s*=\s*"([\w-]+)"`)
	featuresAsked  = lazyregexp.New(`\bcargo\b.*\s(?:--features|-F)[\s=]+["']?([\w,-]+)`)
	featureList    = lazyregexp.New(`\bfeatures\s*=\s*\[([^\]]*)\]`)
	featureGiven   = lazyregexp.New(`^["']?([\w-]+)["']?\s*=\s*(.*)$`)
	eventGiven     = lazyregexp.New(`\.emit\(\s*["']([A-Za-z][\w:.-]*)["']`)
	eventUse       = lazyregexp.New(`\.(?:on|once|addListener|prependListener)\(\s*["']([A-Za-z][\w:.-]*)["']`)
	translationUse = lazyregexp.New(`(?:^|[^\w.])(?:\$?tc?|(?:i18n|I18n|this|intl)\.\$?(?:tc?|translate))` +
		`[(\s]\s*["']([A-Za-z][\w-]*(?:\.[\w-]+)+)["']`)
	pluralEnding = lazyregexp.New(`_(?:zero|one|two|few|many|other|plural|male|female)$`)
)

// libraryEvents are those that libraries let objects of theirs tell of, too.
var libraryEvents = []string{"error", "data", "end", "close", "finish", "open", "message", "connect", "connection",
	"disconnect", "listening", "exit", "change", "click", "input", "submit", "load", "ready", "drain", "request",
	"response", "abort", "timeout", "upgrade", "readable", "pause", "resume", "update", "start", "stop"}

// eachMatch are the first groups of what matches.
func eachMatch(pattern *lazyregexp.Regexp, text string) (all []string) {
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

// ofTemplates notes the templates of Go that a line defines or takes in.
func (r *reading) ofTemplates() {
	if strings.Contains(r.text, "{{") {
		r.give(Template, "", eachMatch(templateGiven, r.text)...)
		r.refer(Template, "", eachMatch(templateUse, r.text)...)
	}
}

// ofSteps notes the steps of a workflow and the arguments of a build that a command refers to, and the features that it
// asks for.
func (r *reading) ofSteps() {
	if strings.Contains(r.text, "steps.") {
		r.refer(Step, r.name, eachMatch(stepUse, r.text)...)
	}
	if strings.Contains(r.text, "needs.") {
		r.refer(Output, r.name, eachMatch(outputUse, r.text)...)
	}
	if strings.Contains(r.text, "--build-arg") {
		r.refer(BuildArgument, "", eachMatch(buildArgument, r.text)...)
	}
	if strings.Contains(r.text, "cargo") {
		for _, names := range eachMatch(featuresAsked, r.text) {
			r.refer(Feature, "", strings.Split(names, ",")...)
		}
	}
}

// ofUses notes what a line of code refers to by a string: templates, features, events, translations.
func (r *reading) ofUses() {
	if containsAny(r.text, "ExecuteTemplate") {
		r.refer(Template, "", eachMatch(templateRun, r.text)...)
	}
	if path.Ext(r.name) == ".rs" && strings.Contains(r.text, "feature") {
		r.refer(Feature, "", eachMatch(featureUse, r.text)...)
	}
	if containsAny(r.text, ".emit(", ".on(", ".once(", "Listener(") {
		ours := func(names []string) []string {
			return slices.DeleteFunc(names, func(name string) bool {
				return slices.Contains(libraryEvents, strings.ToLower(name))
			})
		}
		r.give(Event, "", ours(eachMatch(eventGiven, r.text))...)
		r.refer(Event, "", ours(eachMatch(eventUse, r.text))...)
	}
	r.refer(Translation, "", eachMatch(translationUse, r.text)...)
}

// ofCargo notes the features that a line of a manifest of Rust gives: by a name of their own, or by a dependency that
// is there only if it is asked for.
func (r *reading) ofCargo() {
	match := featureGiven.FindStringSubmatch(r.text)
	switch {
	case match == nil:
	case r.below("[features]"), strings.Contains(match[2], "optional"):
		r.give(Feature, "", match[1])
	case strings.Contains(match[2], "path"): // one of this repository
		for _, list := range eachMatch(featureList, match[2]) {
			r.refer(Feature, "", elements(list)...)
		}
	}
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
