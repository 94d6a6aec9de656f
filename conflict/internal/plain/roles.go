package plain

import (
	"path"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Further roles of names that other places refer to by what they are. What a name is of stands before it.
const (
	Section    Role = "template block"
	Handler    Role = "handler"
	Input      Role = "input"
	ChartValue Role = "chart value"
	NamedPort  Role = "named port"
	Marker     Role = "marker"
	Extra      Role = "extra"
	Host       Role = "host"
	Animation  Role = "animation"
	Argument   Role = "argument"
	Mixin      Role = "mixin"
)

// Procedure is what a word is of that names a procedure of a service.
const Procedure = "rpc"

var (
	sectionGiven = lazyregexp.New(`\{%-?\s*block\s+(\w+)`)
	extended     = lazyregexp.New(`\{%-?\s*extends\s+["']([^"']+)["']`)
)

// seeAround keeps what lines say of those after them, wanted or not.
func (r *reading) seeAround() {
	switch r.sort {
	case source:
		r.seeCode()
	case markup:
		if match := extended.FindStringSubmatch(r.text); match != nil {
			r.outer = path.Base(match[1])
		}
	case yaml:
		if called, ok := strings.CutPrefix(r.text, "uses:"); ok {
			r.outer = strings.TrimPrefix(unquoted(called), "./")
		}
	}
}

// ofSections notes the blocks of a template, which those that extend it fill in by their names.
func (r *reading) ofSections() {
	for _, match := range sectionGiven.FindAllStringSubmatch(r.text, -1) {
		if r.outer == "" {
			r.give(Section, "", path.Base(r.name)+" "+match[1])
		} else {
			r.refer(Section, "", r.outer+" "+match[1])
		}
	}
}

// ofNamedParts notes what a line of YAML names or refers to by the keys that lead to it: inputs of what a job calls,
// handlers of a playbook, ports of a container, services as hosts, values of a chart.
func (r *reading) ofNamedParts(keys []string, value string) {
	n := len(keys)
	if n == 0 {
		return
	}
	last, above, name := keys[n-1], "", unquoted(value)
	if n > 1 {
		above = keys[n-2]
	}
	switch base := path.Base(r.name); {
	case n == 4 && keys[1] == "workflow_call" && above == "inputs":
		r.give(Input, "", r.name+" "+last)
	case n == 2 && above == "inputs" && (base == "action.yml" || base == "action.yaml"):
		r.give(Input, "", path.Dir(r.name)+" "+last)
	case n == 4 && keys[0] == "jobs" && above == "outputs":
		r.give(Output, r.name, keys[1]+".outputs."+last)
	case n == 2 && above == "volumes" && strings.Contains(base, "compose"):
		r.give(Volume, r.name, last)
	case n == 3 && last == "volumes" && keys[0] == "services":
		r.refer(Volume, r.name, eachMatch(mountedVolume, name)...)
	case above == "with":
		r.refer(Input, "", r.outer+" "+last)
	case base == "values.yaml":
		r.give(ChartValue, path.Dir(r.name), strings.Join(keys, "."))
	case n == 2 && above == "services" && strings.Contains(base, "compose"):
		r.give(Host, "", last)
	case last == "name" && (strings.Contains(r.name, "handlers/") || above == "handlers"), last == "listen":
		r.give(Handler, "", name)
	case last == "notify":
		r.refer(Handler, "", name)
	case last == "name" && above == "ports" && r.kind != "service":
		r.give(NamedPort, "", name)
	case last == "targetPort" && !wholeNumber.MatchString(name):
		r.refer(NamedPort, "", name)
	}
}

var (
	chartUse   = lazyregexp.New(`\.Values\.([\w.]+)([^}]*)`)
	entryPoint = lazyregexp.New(`\b([A-Za-z_]\w*(?:\.\w+)+):([A-Za-z_]\w*)\b`)
	hostUse    = lazyregexp.New(`://(?:[^@/\s"']*@)?([a-z][\w-]*)(?:[:/"'\s]|$)`)
	extraUse   = lazyregexp.New(`(?:^|[\s"'])\.\[([\w,-]+)\]`)
	scriptUse  = lazyregexp.New(`(?:^|[\s"'=])((?:[\w.-]*/)*[\w-]+\.(?:sh|bash|py|rb|pl|[cm]?js|ts)|(?:[\w.-]*/)+[\w-]+)` +
		`((?:\s+[^\s;&|<>"']+)+)`)
	mountedVolume = lazyregexp.New(`^([A-Za-z][\w-]*):/`)
	animation     = lazyregexp.New(`\banimation(?:-name)?\s*:\s*([^;{}]+)`)
	keyframes     = lazyregexp.New(`^@(?:-\w+-)?keyframes\s+([\w-]+)`)
	mixin         = lazyregexp.New(`(?:^|[{;]\s*)@(mixin|include)\s+([A-Za-z_][\w-]*)\s*(?:[({;]|$)`)
	styleName     = lazyregexp.New(`[A-Za-z][\w-]+`)
	ownStyle      = lazyregexp.New(`[{;]\s*(--[\w-]+)\s*:`)
	marker        = lazyregexp.New(`^["']?(\w+)\s*(?:\([^)]*\)\s*)?:`)
	markerUse     = lazyregexp.New(`\bpytest\.mark\.(\w+)`)
	reserved      = lazyregexp.New(`^reserved\s+([\d\s,]+);`)
	procedure     = lazyregexp.New(`^rpc\s+(\w+)`)
	caseFlag      = lazyregexp.New(`^\(?((?:-{1,2}[\w-]+(?:=\*)?\s*\|\s*)*-{1,2}[\w-]+(?:=\*)?)\)`)
	caseWord      = lazyregexp.New(`^\(?["']?([A-Za-z][\w-]*)["']?\)`)
	inlineVar     = lazyregexp.New(`(?:^@?|[;&|]\s*)([A-Z_][A-Z0-9_]*)=[^=]`)
)

// ofAddresses notes what a line refers to outside of its file: a service by its host, a function by its module.
func (r *reading) ofAddresses(text string) {
	if !strings.Contains(text, ":") {
		return
	}
	for _, match := range hostUse.FindAllStringSubmatch(text, -1) {
		r.refer(Host, "", match[1])
	}
	for _, match := range entryPoint.FindAllStringSubmatch(text, -1) {
		r.use(match[1]+"."+match[2], true)
	}
}

// ofArguments notes the flags that a command gives to a script, and the extras that one installs.
func (r *reading) ofArguments() {
	for _, match := range extraUse.FindAllStringSubmatch(r.text, -1) {
		r.refer(Extra, "", strings.Split(match[1], ",")...)
	}
	if !strings.Contains(r.text, " -") {
		return
	}
	for _, match := range scriptUse.FindAllStringSubmatch(r.text, -1) {
		for word := range strings.FieldsSeq(match[2]) {
			if flag, _, _ := strings.Cut(word, "="); strings.HasPrefix(flag, "-") {
				r.refer(Argument, "", path.Base(match[1])+" "+flag)
			}
		}
	}
}

// takesFlags notes the flags by whose labels a line of a script of a shell goes.
func (r *reading) takesFlags() {
	if match := caseFlag.FindStringSubmatch(r.text); match != nil {
		for flag := range strings.SplitSeq(match[1], "|") {
			flag = strings.TrimSuffix(strings.TrimSpace(flag), "=*")
			r.give(Argument, "", path.Base(r.name)+" "+flag)
			r.add(Entry{Role: Flag, Name: flag})
		}
		return
	}
	if n := len(r.stack); n > 0 && strings.HasPrefix(r.stack[n-1].text, "case ") {
		if match := caseWord.FindStringSubmatch(r.text); match != nil {
			r.add(Entry{Role: Operation, Name: match[1]})
		}
	}
}

// ofChart notes the values of its chart that a line of a template needs.
func (r *reading) ofChart() {
	chart, _, inChart := strings.Cut(r.name, "/templates/")
	if !inChart || !strings.Contains(r.text, ".Values.") {
		return
	}
	for _, match := range chartUse.FindAllStringSubmatch(r.text, -1) {
		if !strings.Contains(match[2], "default") {
			r.refer(ChartValue, chart, match[1])
		}
	}
}

// ofStyles notes the animations of a line of a style sheet, and what it sets beside others.
func (r *reading) ofStyles() {
	if match := keyframes.FindStringSubmatch(r.text); match != nil {
		r.give(Animation, "", match[1])
	}
	if match := mixin.FindStringSubmatch(r.text); match != nil {
		if name := match[2]; match[1] == "include" {
			r.refer(Mixin, "", name)
		} else {
			r.give(Mixin, "", name)
		}
	}
	for _, match := range animation.FindAllStringSubmatch(r.text, -1) {
		r.refer(Animation, "", styleName.FindAllString(match[1], -1)...)
	}
	for _, match := range ownStyle.FindAllStringSubmatch(r.text, -1) {
		r.define(match[1])
	}
}

// ofPython notes what a setting gives to Python: markers of tests, extras of a package.
func (r *reading) ofPython(key string) {
	switch {
	case r.below("[project.optional-dependencies]"), r.below("[options.extras_require]"):
		r.give(Extra, "", key)
	case r.below("markers ="), r.below("markers = ["), r.below("markers=["):
		if match := marker.FindStringSubmatch(r.text); match != nil {
			r.give(Marker, "", match[1])
		}
	}
}

// keptNumbers notes the numbers that a message of protobuf keeps from being given out.
func (r *reading) keptNumbers() {
	if match := reserved.FindStringSubmatch(r.text); match != nil {
		for number := range strings.SplitSeq(match[1], ",") {
			r.add(Entry{Role: FieldNumber, Name: strings.TrimSpace(number), Owner: "reserved"})
		}
	}
	if match := procedure.FindStringSubmatch(r.text); match != nil && Distinctive(match[1]) {
		r.file.Defined = append(r.file.Defined,
			Word{Text: match[1], Line: r.line, Whole: true, AsKey: true, Of: Procedure})
	}
}

// PassesOn reports whether a script that lost a flag may know it all the same: it has the word, or hands on what it is
// given.
func PassesOn(text, flag string) bool {
	return Mentions(text, flag) || slices.ContainsFunc(strings.Split(text, "\n"), handsOn.MatchString)
}

var handsOn = lazyregexp.New(`\bexec\b.*\$[@*]|parse_known_args|sys\.argv|\bgetopts?\b`)
