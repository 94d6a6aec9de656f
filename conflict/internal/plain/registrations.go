package plain

import (
	"delegate/internal/text/lazyregexp"
	"path"
	"slices"
	"strings"
)

var (
	routed = lazyregexp.New(`([\w.]+)\.(?i:(get|post|put|delete|patch|head|options|any|all|handle|handlefunc|route))\(` +
		`\s*["'` + "`" + `]([^"'` + "`" + `]*/[^"'` + "`" + `]*)["'` + "`" + `]`)
	mapped = lazyregexp.New(`^[@\[](?:Http)?(Get|Post|Put|Delete|Patch|Request)(?:Mapping)?\(` +
		`\s*(?:(?:value|path)\s*=\s*)?["']([^"']*)["']`)
	mappedClass = lazyregexp.New(`^[@\[](?:RequestMapping|Controller|Route|Path)\(\s*(?:\w+\s*=\s*)?["']([^"']*)["']`)
	facade      = lazyregexp.New(`\bRoute::(get|post|put|delete|patch|any)\(\s*['"](/?[^'"]+)['"]`)
	rails       = lazyregexp.New(`^(get|post|put|delete|patch)\s+['"](/[^'"]+)['"]`)
	django      = lazyregexp.New(`^(?:re_)?path\(\s*r?['"]([^'"]+)['"]`)

	flagged = lazyregexp.New(`([\w.()]*)\.?\b(?:add_argument|add_option|option|(?:String|Bool|Int|Int64|Uint|Float64|` +
		`Duration|StringSlice|StringArray|Count)(?:Var)?(P?))\(\s*(?:&[\w.]+\s*,\s*)?(["'].*)`)
	built    = lazyregexp.New(`\.(?:short|long)\(\s*["']([A-Za-z][\w-]*)["']\s*\)`)
	flagName = lazyregexp.New(`^\s*["'](-{0,2}[A-Za-z][\w-]*)[^"']*["']\s*,?`)

	// created tells a router or application that the file makes by itself.
	created = lazyregexp.New(`^(?:export\s+)?(?:const\s+|let\s+|var\s+)?(\w+)\s*(?::[^=]*)?:?=\s*(?:await\s+|new\s+)?` +
		`([\w.]+(?:\([^()]*\)\.\w+)?)\((.*)`)
	prefixed = lazyregexp.New(`(?:^|,\s*)(?:prefix|url_prefix|basePath)\s*[=:]\s*["']([^"']+)["']|^["'](/[^"']*)["']\s*\)`)
	taken    = lazyregexp.New(`\b(\w+)\s+\*?\w*\.?(?:Engine|ServeMux|Echo|App|Mux)\b`)
	// handed are parameters of functions that are given a router.
	handed = lazyregexp.New(`^func\b.*[(,]\s*(\w+)\s+\*?(?:\w+\.)?(?:I?Router|IRoutes|RouterGroup)\s*[,)]|` +
		`(?:\bfunction\b[^(]*|\bdef\s+\w+|=\s*(?:async\s*)?|\bdefault\s+)\((?:[^)]*,\s*)?(router)\s*[,):]`)
	mounts  = lazyregexp.New(`\b(?:include_router|register_blueprint|mount|use|Mount)\(\s*[\w.]+`)
	mounted = lazyregexp.New(`\b(?:include_router|register_blueprint|mount|use|route|Mount|Route|Group|register)\(` +
		`(?:\s*["'\x60]/\w|.*prefix\s*[=:])`)

	// commanded is a command that a parser of arguments gets.
	commanded = lazyregexp.New(`\b([\w.]+)\.(?:add_parser|command)\(\s*["']([\w:-]+)[ "']`)
	measured  = lazyregexp.New(`\b(?:[Nn]ew_?)?(?:Counter|Gauge|Histogram|Summary)(?:Vec|Opts|Func)?` + namedFirst)
)

const namedFirst = `\s*[({](?:.*\b(?:Name|name)\s*[:=]\s*|\s*)["']([\w.:/-]+)["']`

// roots are the receivers of a registration that stand for the whole program, by what developers call them.
var roots = map[string]bool{"app": true, "mux": true, "http": true, "server": true, "srv": true, "s.mux": true,
	"this.app": true, "self.app": true, "api": true}

// clients are receivers that ask for a path and do not register it.
var clients = lazyregexp.New(`(?i)(?:client|request|requests|axios|fetch|agent|supertest|session|page|cy|resty)\w*$`)

// router is a variable on which a file registers routes.
type router struct {
	given  bool // to a function
	prefix string
	on     string // the router that it is a part of
	origin Origin
}

// Origin tells where what routes are registered on comes from.
type Origin int

// The origins: the whole program's, made by the file as an application of its own, made as a part
// that something mounts, or a parameter.
const (
	Shared Origin = iota
	Own
	Part
	Handed
)

func (r *reading) ofRegistrations() {
	text := r.text
	if n := len(r.stack); n > 0 && strings.HasSuffix(r.stack[n-1].text, "(") && strings.ContainsAny(text[:1], "\"'") {
		text = r.stack[n-1].text + text // the first argument stands below
		defer func(stack []header) { r.stack = stack }(r.stack)
		r.stack = r.stack[:n-1]
	}
	if strings.HasPrefix(text, "down_revision") {
		if match := revision.FindStringSubmatch(text); match != nil {
			r.add(Entry{Role: Parent, Name: match[1], Owner: path.Base(r.name), Within: r.folder()})
		}
	}
	if match := depends.FindStringSubmatch(text); strings.Contains(r.folder(), "migrations") && match != nil {
		r.add(Entry{Role: Parent, Name: match[1] + "." + match[2], Owner: path.Base(r.name), Within: r.folder()})
	}
	if isTest(r.name) {
		return
	}
	r.ofRoutes(text)
	if strings.Contains(text, "(") {
		r.ofFlags(text)
	}
	if containsAny(text, "add_parser(", ".command(") {
		if match := commanded.FindStringSubmatch(text); match != nil {
			r.add(Entry{Role: Registration, Name: match[2], receiver: match[1] + ".command"})
		}
	}
	if containsAny(text, "ounter", "auge", "istogram", "ummary") {
		if match := measured.FindStringSubmatch(text); match != nil {
			r.add(Entry{Role: Metric, Name: match[1], Within: "/"})
			return
		}
	}
	if !containsAny(text, "egister", "EGISTER") {
		return
	}
	if match := registered.FindStringSubmatch(text); match != nil {
		r.add(Entry{Role: Registration, Name: match[3], Within: r.registry(match[1], match[2]),
			receiver: match[1] + "." + match[2]})
	}
}

// ofFlags notes the long and short names of a flag.
func (r *reading) ofFlags(text string) {
	for _, match := range built.FindAllStringSubmatch(text, -1) {
		r.add(Entry{Role: Flag, Name: match[1]})
	}
	match := flagged.FindStringSubmatch(text)
	if match == nil {
		return
	}
	receiver := strings.TrimSuffix(match[1], ".")
	within, program := "", ""
	if receiver == "flag" {
		within, program = "/", r.folder() // the one set of flags of a program
	}
	for rest, n := match[3], 0; n < 3; n++ {
		name := flagName.FindStringSubmatch(rest)
		if name == nil || n > 0 && !strings.HasPrefix(name[1], "-") && (match[2] == "" || n > 1 || len(name[1]) > 1) {
			return
		}
		if strings.HasPrefix(text, "@") {
			r.decorated = append(r.decorated, len(r.file.Entries))
		}
		r.add(Entry{Role: Flag, Name: strings.TrimLeft(name[1], "-"), Within: within, Program: program,
			receiver: receiver})
		rest = rest[len(name[0]):]
	}
}

func (r *reading) ofRoutes(text string) {
	if match := routed.FindStringSubmatch(text); match != nil && !clients.MatchString(match[1]) {
		r.addRoute(strings.TrimPrefix(match[1], "@"), match[2], match[3])
	}
	if match := mapped.FindStringSubmatch(text); match != nil && r.owner("") != "" {
		within := "/"
		if strings.ContainsAny(r.prefix, "[$") { // it is put together from what stands elsewhere
			within = ""
		}
		at := path.Join("/", r.prefix, match[2])
		r.add(Entry{Role: Route, Name: route(match[1], at), Within: within})
	}
	if match := facade.FindStringSubmatch(text); match != nil {
		r.add(Entry{Role: Route, Name: route(match[1], match[2])})
	}
	if match := rails.FindStringSubmatch(text); match != nil && strings.HasSuffix(r.name, ".rb") {
		r.add(Entry{Role: Route, Name: route(match[1], match[2])})
	}
	if match := django.FindStringSubmatch(text); match != nil {
		r.add(Entry{Role: Route, Name: match[1]})
	}
}

// addRoute notes a route on a router, with the prefixes that the file gives it.
func (r *reading) addRoute(receiver, method, at string) {
	e := Entry{Role: Route, receiver: receiver}
	if r.command {
		e.Program = r.folder()
	}
	on, known := r.routers[receiver]
	for n := 0; known && n < 5; n++ {
		verb, rest, both := strings.Cut(at, " ") // as patterns of Go have it
		if !both {
			verb, rest = "", at
		}
		at = strings.TrimLeft(verb+" "+path.Join("/", on.prefix, rest)+slashed(at), " ")
		e.receiver, e.Origin = "", on.origin
		if receiver = on.on; receiver == "" {
			break
		}
		on, known = r.routers[receiver]
	}
	if known || roots[receiver] {
		e.Within, e.receiver = "/", ""
		if path.Ext(r.name) == ".go" && strings.Contains(receiver, ".") {
			e.Within = r.folder() // of each type with such a field
		}
	}
	e.Name = route(method, wildcard.ReplaceAllString(at, "{}"))
	if e.Origin != Shared {
		e.receiver = receiver
	}
	r.add(e)
	if known && on.given && e.Within == "/" {
		e.Within = r.folder() // a type of the folder may have it as a field
		r.add(e)
	}
}

// wildcard is a part of a path that stands for any, by whatever name.
var wildcard = lazyregexp.New(`\{\w+\}|<(?:\w+:)?\w+>`)

// slashed is the slash that a path ends with and that joining it takes away.
func slashed(at string) string {
	if len(at) > 1 && strings.HasSuffix(at, "/") {
		return "/"
	}
	return ""
}

// seeRouter notes a variable of the file on which routes can be registered.
func (r *reading) seeRouter() {
	if !strings.Contains(r.text, "(") {
		return
	}
	if containsAny(r.text, "Engine", "Echo", "App", "Mux") {
		if match := taken.FindStringSubmatch(r.text); match != nil {
			r.routers[match[1]] = router{given: strings.HasPrefix(r.text, "func ")}
		}
	}
	if strings.Contains(r.text, "outer") {
		if match := handed.FindStringSubmatch(r.text); match != nil {
			r.routers[match[1]+match[2]] = router{origin: Handed}
		}
	}
	if !strings.Contains(r.text, "=") || !containsAny(r.text, makers...) {
		return
	}
	match := created.FindStringSubmatch(r.text)
	if match == nil {
		return
	}
	made, arguments := match[2], match[3]
	made = made[strings.LastIndexByte(made, '.')+1:]
	on, _, _ := strings.Cut(match[2], ".")
	prefix := ""
	if found := prefixed.FindStringSubmatch(arguments); found != nil {
		prefix = found[1] + found[2]
	}
	switch {
	case slices.Contains(makers[:4], made):
		r.routers[match[1]] = router{prefix: prefix, on: on}
	case slices.Contains(makers[4:7], made):
		r.routers[match[1]] = router{prefix: prefix, origin: Part}
	case slices.Contains(makers[7:], made):
		r.routers[match[1]] = router{origin: Own}
	}
}

// makers are what makes a part of a router, a router that something mounts, and an application. All lines of all files
// are searched for them before a pattern is tried.
var makers = []string{"Group", "group", "PathPrefix", "Subrouter", "Router", "APIRouter", "Blueprint", "NewServeMux",
	"NewRouter", "New", "Default", "Flask", "FastAPI", "Sanic", "Starlette", "express", "fastify", "Hono", "Koa",
	"Application"}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// Mounting is what code does with routers.
type Mounting struct {
	// Mounts is set where it mounts some, Below where it does so below a path, so that their routes are not those of
	// the program.
	Mounts, Below bool
	// Made counts the applications that it makes.
	Made int
}

// Mounted reads what a file does with routers.
func Mounted(name, text string) (m Mounting) {
	if sortOf(name) != source || isTest(name) {
		return m
	}
	m.Mounts, m.Below = mounts.MatchString(text), mounted.MatchString(text)
	if !containsAny(text, makers[7:]...) {
		return m
	}
	for line := range strings.Lines(text) {
		match := created.FindStringSubmatch(strings.TrimSpace(line))
		if match != nil && slices.Contains(makers[7:], match[2][strings.LastIndexByte(match[2], '.')+1:]) {
			m.Made++
		}
	}
	return m
}

// route is how a message calls a registration: by the method, where it has one, and the path.
func route(method, path string) string {
	switch method = strings.ToUpper(method); method {
	case "HANDLE", "HANDLEFUNC", "ROUTE", "ANY", "ALL", "REQUEST":
		return path
	}
	return method + " " + path
}
