package plain

import (
	"cmp"
	"delegate/internal/text/lazyregexp"
	"path"
	"slices"
	"strings"
)

// Named is a name in one role, where a file gives it to something or refers to it by that role.
type Named struct {
	Role Role
	Name string
	// Within is where the name counts: a file, a folder, or "" for the whole repository.
	Within string
	Line   int
}

// The roles of names that other places refer to by what they are.
const (
	Sibling  Role = "name"
	Anchor   Role = "anchor"
	Script   Role = "script"
	Function Role = "shell function"
	Resource Role = "resource"
	Message  Role = "message"
)

// Short is a name without what it is in.
func (n Named) Short() string { return n.Name[strings.LastIndexByte(n.Name, '\n')+1:] }

// Means reports whether a reference is to what has the name: one of its role that counts where the reference stands.
func (n Named) Means(def Named) bool {
	return n.Role == def.Role && n.Name == def.Name && (n.Within == "" || def.Within == "" || n.Within == def.Within)
}

// give notes that the line gives a name, refer that it refers to one.
func (r *reading) give(role Role, within string, names ...string) {
	for _, name := range names {
		if name != "" {
			r.file.Given = append(r.file.Given, Named{Role: role, Name: name, Within: within, Line: r.line})
		}
	}
}

func (r *reading) refer(role Role, within string, names ...string) {
	for _, name := range names {
		if name != "" && !strings.ContainsAny(name, "{}") {
			r.file.Referred = append(r.file.Referred, Named{Role: role, Name: name, Within: within, Line: r.line})
		}
	}
}

var (
	makeCall   = lazyregexp.New(`(?:^|[\s;&|(\[@"'])(?:make|\$\(MAKE\))((?:\s+[\w./=:-]+)+)`)
	scriptCall = lazyregexp.New(`\b(?:(?:npm|pnpm|yarn|bun)\s+run(?:-script)?|yarn|pnpm)\s+([A-Za-z][\w:.-]*)`)
	shellWord  = lazyregexp.New(`(?:^|[;&|({!` + "`" + `]\s*|\b(?:then|do|else|if|while|until)\s+)([A-Za-z_][\w-]*)(?:[\s;)]|$)`)
	shellGiven = lazyregexp.New(`^(?:function\s+([A-Za-z_][\w-]*)|([A-Za-z_][\w-]*)\s*\(\))`)
)

// ofCommands notes what the commands of a line call: targets of make, scripts of a package.
func (r *reading) ofCommands() {
	r.ofTools()
	for _, match := range makeCall.FindAllStringSubmatch(r.text, -1) {
		for word := range strings.FieldsSeq(match[1]) {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				r.refer(Target, "", word)
			}
		}
	}
	for _, match := range scriptCall.FindAllStringSubmatch(r.text, -1) {
		r.refer(Script, "", match[1])
	}
}

// ofFunctions notes the functions that a line of a shell script defines and those that it may call.
func (r *reading) ofFunctions() {
	if match := shellGiven.FindStringSubmatch(r.text); match != nil {
		r.give(Function, "", match[1]+match[2])
		return
	}
	for _, match := range shellWord.FindAllStringSubmatch(r.text, -1) {
		r.refer(Function, "", match[1])
	}
}

var terraformUse = lazyregexp.New(`\b(?:(var|local|module)\.([\w-]+)|((?:data\.)?[a-z][a-z0-9]*_\w+)\.([A-Za-z_][\w-]*))`)

// ofBlocks notes what expressions of Terraform refer to, in the folder that makes a module.
func (r *reading) ofBlocks(expression string) {
	for _, match := range terraformUse.FindAllStringSubmatch(expression, -1) {
		r.refer(Block, path.Dir(r.name), match[1]+match[3]+"."+match[2]+match[4])
	}
}

// blockName is how expressions call what a block makes.
func blockName(kind, first, second string) string {
	switch kind {
	case "variable":
		return "var." + first
	case "module":
		return "module." + first
	case "data":
		return "data." + first + "." + second
	case "resource":
		return first + "." + second
	}
	return ""
}

// order are keys by which a thing of a list or mapping names others of the same.
var order = []string{"needs", "depends_on", "dependson", "extends", "requires", "dependencies", "deps", "after",
	"before", "runafter", "links", "volumes_from"}

var (
	anchored = lazyregexp.New(`(?:^|\s)&([\w.-]+)(?:\s|$)`)
	aliased  = lazyregexp.New(`(?:^|[\s\[,])\*([\w.-]+)`)
)

// ofStructure notes what a line of YAML names and refers to by the place in which it stands.
func (r *reading) ofStructure(key, value string) {
	for _, match := range anchored.FindAllStringSubmatch(value, -1) {
		r.give(Anchor, r.name, match[1])
	}
	for _, match := range aliased.FindAllStringSubmatch(value, -1) {
		r.refer(Anchor, r.name, match[1])
	}
	keys := r.keys()
	if key != "" {
		r.give(Sibling, r.name, strings.Join(append(slices.Clone(keys), key), "\n"))
		keys = append(keys, key)
	}
	if key == "name" || key == "job" || key == "stage" || key == "id" {
		if n := len(r.stack); n > 0 && r.stack[n-1].text == "-" {
			if name := unquoted(value); Distinctive(name) {
				stack := r.stack
				r.stack = stack[:n-1]
				r.add(Entry{Role: Item, Name: name})
				r.stack = stack
			}
			r.give(Sibling, r.name, strings.Join(append(keys[:len(keys)-1:len(keys)-1], unquoted(value)), "\n"))
		}
	}
	r.ofOrder(keys, value)
	r.ofKinds(keys, value)
	r.ofNamedParts(keys, value)
	r.ofPointer()
}

var pointed = lazyregexp.New(`["']?\$ref["']?\s*:\s*["']?([^"'#\s]*)#/([^"'\s,}]+)`)

// ofPointer notes what a schema or the description of an API refers to by its path in a document.
func (r *reading) ofPointer() {
	if !strings.Contains(r.text, "$ref") {
		return
	}
	for _, match := range pointed.FindAllStringSubmatch(r.text, -1) {
		file := match[1]
		if file != "" {
			file = path.Join(path.Dir(r.name), file)
		}
		r.refer(Sibling, cmp.Or(file, r.name), strings.ReplaceAll(match[2], "/", "\n"))
	}
}

// ofOrder notes the names of siblings: needs of a job, what a service depends on.
func (r *reading) ofOrder(keys []string, value string) {
	for i := len(keys) - 1; i >= 0 && i >= len(keys)-2; i-- {
		if !slices.Contains(order, strings.ToLower(keys[i])) {
			continue
		}
		names := elements(value)
		if i == len(keys)-2 {
			if last := keys[i+1]; value == "" {
				names = []string{last}
			} else if last != "job" && last != "service" {
				names = nil // what is asked of the name above
			}
		}
		// What has the key is a member of a mapping, or an element of a list.
		for _, above := range [][]string{keys[:max(i-1, 0)], keys[:i]} {
			for _, name := range names {
				r.refer(Sibling, r.name, strings.Join(append(slices.Clone(above), name), "\n"))
			}
		}
	}
}

// keys are the keys that lead to the line, from the outermost.
func (r *reading) keys() (all []string) {
	for _, h := range r.stack {
		if match := yamlKey.FindStringSubmatch(h.text); match != nil {
			all = append(all, match[1])
		}
	}
	return all
}

// kindWords are the keys that name a thing of a cluster, beside those that its kind begins.
var kindWords = map[string]string{"claimname": "persistentvolumeclaim", "imagepullsecrets": "secret"}

var refEnding = lazyregexp.New(`(?:key)?ref$`)

// ofKinds notes the manifests of a cluster: the kind and name of each document, and by what key one names another.
func (r *reading) ofKinds(keys []string, value string) {
	name := unquoted(value)
	if name == "" || strings.ContainsAny(name, " {") || len(keys) < 2 {
		return
	}
	switch last := strings.ToLower(keys[len(keys)-1]); {
	case len(keys) == 2 && keys[0] == "metadata" && last == "name":
		r.give(Resource, "", r.kind+" "+name)
	case last == "name" && len(keys) > 2:
		above := refEnding.ReplaceAllString(strings.ToLower(keys[len(keys)-2]), "")
		if known := kindWords[above]; known != "" {
			above = known
		}
		r.refer(Resource, "", above+" "+name)
	case last == "target" && keys[len(keys)-2] == "build":
		r.refer(Stage, "", name)
	case strings.HasSuffix(last, "name"):
		kind := kindWords[last]
		if kind == "" {
			kind = strings.TrimSuffix(last, "name")
		}
		r.refer(Resource, "", kind+" "+name)
	}
}

// elements are the names of a value: itself, or each of a list in brackets.
func elements(value string) (all []string) {
	for element := range strings.SplitSeq(strings.Trim(value, "[] "), ",") {
		if name := unquoted(element); name != "" && !strings.ContainsAny(name, " :") {
			all = append(all, name)
		}
	}
	return all
}

func unquoted(value string) string { return strings.Trim(strings.TrimSpace(value), `"'`) }
