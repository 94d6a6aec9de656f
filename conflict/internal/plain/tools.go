package plain

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Roles of names that files of single tools refer to by what they are, each for one break: what has the name goes, and
// something new asks for it.
const (
	Host          Role = "host"           // an address of a service that Compose no longer runs
	Volume        Role = "volume"         // a mount of a volume that Compose no longer knows
	Step          Role = "step"           // an expression about a step that its workflow no longer has
	Output        Role = "output"         // an expression about an output that a job no longer has
	Input         Role = "input"          // a call that gives what a workflow or action no longer takes
	ChartValue    Role = "chart value"    // a template that prints a value which its chart no longer has
	Label         Role = "label"          // a service that selects a label which nothing has any more
	NamedPort     Role = "named port"     // a service that leads to a port which no container names any more
	Event         Role = "event"          // a listener for an event that nobody emits any more
	Feature       Role = "feature"        // code or a command for a feature that no crate has any more
	BuildArgument Role = "build argument" // a command that gives what no image takes any more
)

var (
	hostUse       = lazyregexp.New(`://(?:[^@/\s"']*@)?([a-z][\w-]*)(?:[:/"'\s]|$)`)
	mountedVolume = lazyregexp.New(`^([A-Za-z][\w-]*):/`)
	stepUse       = lazyregexp.New(`\bsteps\.([\w-]+)\.(?:outputs|outcome|conclusion)\b`)
	outputUse     = lazyregexp.New(`\bneeds\.([\w-]+\.outputs\.[\w-]+)`)
	chartUse      = lazyregexp.New(`\.Values\.([\w.]+)([^}]*)`)
	eventGiven    = lazyregexp.New(`\.emit\(\s*["']([A-Za-z][\w:.-]*)["']`)
	eventUse      = lazyregexp.New(`\.(?:on|once|addListener)\(\s*["']([A-Za-z][\w:.-]*)["']`)
	featureGiven  = lazyregexp.New(`^["']?([\w-]+)["']?\s*=\s*(.*)$`)
	featureUse    = lazyregexp.New(`\bfeature\s*=\s*"([\w-]+)"`)
	featureList   = lazyregexp.New(`\bfeatures\s*=\s*\[([^\]]*)\]`)
	featuresAsked = lazyregexp.New(`\bcargo\b.*\s(?:--features|-F)[\s=]+["']?([\w,-]+)`)
	buildArgument = lazyregexp.New(`--build-arg[\s=]+["']?(\w+)`)
	procedure     = lazyregexp.New(`^rpc\s+(\w+)`)
	schemaType    = lazyregexp.New(`^(?:message|type|input|interface)\s+(\w+)`)
)

// libraryEvents are those of which objects of libraries tell, too.
var libraryEvents = strings.Fields("error data end close finish open message connect connection disconnect listening " +
	"exit change click input submit load ready drain request response abort timeout upgrade update start stop")

// ofNamedParts notes what a line of YAML names or refers to by the keys that lead to it.
func (r *reading) ofNamedParts(keys []string, value string) {
	n, name, base := len(keys), unquoted(value), path.Base(r.name)
	if n < 2 {
		if n == 1 && base == "values.yaml" {
			r.give(ChartValue, path.Dir(r.name), keys[0])
		}
		return
	}
	above, last, composed := keys[n-2], keys[n-1], strings.Contains(base, "compose")
	switch {
	case base == "values.yaml":
		r.give(ChartValue, path.Dir(r.name), strings.Join(keys, "."))
	case n == 2 && above == "services" && composed:
		r.give(Host, "", last)
	case n == 2 && above == "volumes" && composed:
		r.give(Volume, r.name, last)
	case n == 3 && last == "volumes" && keys[0] == "services":
		r.refer(Volume, r.name, eachMatch(mountedVolume, name)...)
	case n == 4 && keys[1] == "workflow_call" && above == "inputs":
		r.give(Input, "", r.name+" "+last)
	case n == 2 && above == "inputs" && (base == "action.yml" || base == "action.yaml"):
		r.give(Input, "", path.Dir(r.name)+" "+last)
	case above == "with":
		r.refer(Input, "", r.outer+" "+last)
	case n == 4 && keys[0] == "jobs" && above == "outputs":
		r.give(Output, r.name, keys[1]+".outputs."+last)
	case last == "id" && above == "steps":
		r.give(Step, r.name, name)
	case n > 2 && above == "labels" && keys[n-3] == "metadata":
		r.give(Label, "", last+"="+name)
	case n == 3 && keys[1] == "selector" && r.kind == "service":
		r.refer(Label, "", last+"="+name)
	case last == "name" && above == "ports" && r.kind != "service":
		r.give(NamedPort, "", name)
	case last == "targetPort" && !wholeNumber.MatchString(name):
		r.refer(NamedPort, "", name)
	}
}

// ofChart notes the values of its chart that a line of a template prints, but those that it can do without.
func (r *reading) ofChart() {
	chart, _, inChart := strings.Cut("./"+r.name, "/templates/")
	for _, match := range chartUse.FindAllStringSubmatch(r.text, -1) {
		if inChart && !strings.Contains(match[2], "default") {
			r.refer(ChartValue, path.Clean(chart), match[1])
		}
	}
}

// ofTools notes what the commands and expressions of a line refer to.
func (r *reading) ofTools() {
	if strings.Contains(r.text, "://") {
		r.refer(Host, "", eachMatch(hostUse, r.text)...)
	}
	if containsAny(r.text, "steps.", "needs.") {
		r.refer(Step, r.name, eachMatch(stepUse, r.text)...)
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

// ofCargo notes the features that a line of a manifest of Rust gives, by a name of their own or as a dependency that is
// there only if it is asked for, and those that it asks for of another crate of the repository.
func (r *reading) ofCargo() {
	match := featureGiven.FindStringSubmatch(r.text)
	switch {
	case match == nil:
	case r.below("[features]"), strings.Contains(match[2], "optional"):
		r.give(Feature, "", match[1])
	case strings.Contains(match[2], "path"):
		for _, list := range eachMatch(featureList, match[2]) {
			r.refer(Feature, "", elements(list)...)
		}
	}
}

// ofEvents notes the events that a line of code emits and those that it listens for.
func (r *reading) ofEvents() {
	if !containsAny(r.text, ".emit(", ".on(", ".once(", ".addListener(") {
		return
	}
	isLibrary := func(name string) bool { return slices.Contains(libraryEvents, strings.ToLower(name)) }
	r.give(Event, "", slices.DeleteFunc(eachMatch(eventGiven, r.text), isLibrary)...)
	r.refer(Event, "", slices.DeleteFunc(eachMatch(eventUse, r.text), isLibrary)...)
}

// Procedure is the Word.Of of a word that names a procedure of a service.
const Procedure = "rpc"

// defineField notes a field, or another name, of the schema's type around it.
func (r *reading) defineField(name string) {
	of := ""
	for _, h := range r.stack {
		if match := schemaType.FindStringSubmatch(h.text); match != nil {
			of = match[1]
		}
	}
	r.file.Defined = append(r.file.Defined, Word{Text: name, Line: r.line, Whole: true, AsKey: true, Of: of})
}

// Member returns what matches a line of code that has a field or procedure of a schema as a member or as an argument by
// name, in the spelling of any language.
func Member(field string) *regexp.Regexp {
	spelt := strings.ReplaceAll(field, "_", "_?")
	return regexp.MustCompile(`(?i)\.(?:(?:get|set|has|clear)_?)?` + spelt + `\b|\b` + spelt + `\s*[=:]\s*[^=:]`)
}

// IsCode reports whether a file is code.
func IsCode(name string) bool { return sortOf(name) == source }
