package plain

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	numbered = regexp.MustCompile(`^(?:#define\s+)?(?:(?:pub|public|private|protected|internal|static|final|export|const|` +
		`let|var|val|readonly|constexpr)\s+)*(?:[\w.<>]+\s+)?([A-Za-z_]\w*)\s*(?::\s*[\w.<>]+\s*)?(?:=>?|:|\(|\s)\s*` +
		`["']?(0x[0-9a-fA-F]+|\d+|[A-Z]{1,8}[-_]?\d{2,})["']?\s*\)?\s*[,;]?\s*(?://.*|#.*|/\*.*)?$`)
	errorCode = regexp.MustCompile(`^[A-Z]{1,8}[-_]?\d{2,}$`)
	caseOf    = regexp.MustCompile(`^case\s+(0x[0-9a-fA-F]+|\d+|"[^"]+"|'[^']+')\s*:`)

	routed = regexp.MustCompile(`([\w.]+)\.(?i:(get|post|put|delete|patch|head|options|any|all|handle|handlefunc|route))\(` +
		`\s*["'` + "`" + `]([^"'` + "`" + `]*/[^"'` + "`" + `]*)["'` + "`" + `]`)
	mapped  = regexp.MustCompile(`^@(Get|Post|Put|Delete|Patch|Request)Mapping\(\s*(?:value\s*=\s*|path\s*=\s*)?"(/[^"]*)"`)
	facade  = regexp.MustCompile(`\bRoute::(get|post|put|delete|patch|any)\(\s*['"](/?[^'"]+)['"]`)
	rails   = regexp.MustCompile(`^(get|post|put|delete|patch)\s+['"](/[^'"]+)['"]`)
	django  = regexp.MustCompile(`^(?:re_)?path\(\s*r?['"]([^'"]+)['"]`)
	flagged = regexp.MustCompile(`([\w.()]*?)\.?\b(?:add_argument|add_option|option|(?:String|Bool|Int|Int64|Uint|Float64|` +
		`Duration|StringSlice|StringArray|Count)(?:Var)?P?)\(\s*(?:&[\w.]+\s*,\s*)?(?:["']-\w["']\s*,\s*)?["'](-{0,2}[A-Za-z][\w-]*)["' ,]`)
	listened = regexp.MustCompile(`(?i)(?:listen\w*\(\s*|addr\w*\s*[:=]+\s*|port\s*[:=]+\s*)["']?(?:[\w.]*:)?(\d{4,5})["']?\b`)
	revision = regexp.MustCompile(`^down_revision(?:\s*:[^=]*)?\s*=\s*["'](\w+)["']`)
	depends  = regexp.MustCompile(`\(\s*["'](\w+)["']\s*,\s*["'](\d{4}_\w+)["']\s*\)`)
	variable = regexp.MustCompile(`(?i:environ(?:\.get\(|\[)|getenv\(|lookupenv\(|env::var\(|env!\(|\bENV(?:\.fetch\(|\[)|` +
		`GetEnvironmentVariable\()\s*["'](\w+)["']|(?:process|import\.meta)\.env\.(\w+)`)

	listens = regexp.MustCompile(`isten|ddr|ort|PORT|ADDR`)
	serial  = regexp.MustCompile(`^(?:V|v|m|migration_?)?(\d{1,14})(?:[_.-]|__)[A-Za-z]`)
)

// roots are the receivers of a registration that stand for the whole program, by what developers call them.
var roots = map[string]bool{"app": true, "mux": true, "http": true, "server": true, "srv": true, "s.mux": true,
	"this.app": true, "self.app": true, "api": true}

// clients are receivers that ask for a path and do not register it.
var clients = regexp.MustCompile(`(?i)(?:client|request|requests|axios|fetch|agent|supertest|session|page|cy|resty)\w*$`)

// ofName notes what a file is allotted by its name: the number of a migration.
func (r *reading) ofName() {
	folder := strings.ToLower(path.Base(path.Dir(r.name)))
	if !strings.Contains(folder, "migrat") && folder != "versions" && !strings.Contains(folder, "changelog") {
		return
	}
	base := path.Base(r.name)
	if strings.HasSuffix(base, ".down.sql") {
		return
	}
	if match := serial.FindStringSubmatch(base); match != nil {
		r.add(Migration, strings.TrimLeft(match[1], "0"), base, "/"+path.Dir(r.name))
	}
}

func (r *reading) ofCode() {
	if strings.ContainsAny(r.text, "0123456789") {
		r.ofNumbers()
	}
	if strings.ContainsAny(r.text, "\"'`") {
		r.ofRegistrations()
	}
	if !strings.Contains(r.text, "env") && !strings.Contains(r.text, "ENV") && !strings.Contains(r.text, "Env") {
		return
	}
	for _, match := range variable.FindAllStringSubmatch(r.text, -1) {
		name := match[1] + match[2]
		r.file.Defined = append(r.file.Defined, Word{Text: name, Line: r.line, Whole: true})
		r.use(name, true)
	}
}

func (r *reading) ofNumbers() {
	if match := numbered.FindStringSubmatch(r.text); match != nil && match[1] != "return" && match[1] != "case" {
		role, within, value := Number, "", strings.ToLower(match[2])
		if errorCode.MatchString(match[2]) {
			role, within, value = ErrorCode, "/", match[2]
		}
		r.add(role, value, match[1], within)
	}
	if match := caseOf.FindStringSubmatch(r.text); match != nil {
		r.add(Number, "case "+match[1], r.text, "")
	}
	if !listens.MatchString(r.text) || isTest(r.name) {
		return
	}
	if match := listened.FindStringSubmatch(r.text); match != nil {
		r.add(Port, match[1], "", "/")
	}
}

func (r *reading) ofRegistrations() {
	folder := "/" + path.Dir(r.name)
	if strings.HasPrefix(r.text, "down_revision") {
		if match := revision.FindStringSubmatch(r.text); match != nil {
			r.add(Parent, match[1], path.Base(r.name), folder)
		}
	}
	if match := depends.FindStringSubmatch(r.text); strings.Contains(folder, "migrations") && match != nil {
		r.add(Parent, match[1]+"."+match[2], path.Base(r.name), folder)
	}
	if isTest(r.name) {
		return
	}
	if strings.Contains(r.text, "/") || strings.HasPrefix(r.text, "path(") {
		r.ofRoutes()
	}
	if !strings.Contains(r.text, "(") {
		return
	}
	if match := flagged.FindStringSubmatch(r.text); match != nil {
		within := ""
		if match[1] == "flag" {
			within = folder // the one set of flags of a program
		}
		r.stack = append(r.stack, header{text: match[1]}) // of each parser
		r.add(Flag, strings.ToLower(strings.TrimLeft(match[2], "-")), "", within)
		r.stack = r.stack[:len(r.stack)-1]
	}
}

func (r *reading) ofRoutes() {
	if match := routed.FindStringSubmatch(r.text); match != nil && !clients.MatchString(match[1]) {
		receiver := strings.TrimPrefix(match[1], "@")
		within := ""
		if roots[receiver] {
			within = "/"
		}
		r.add(Route, route(match[2], match[3]), "", within)
	}
	if match := mapped.FindStringSubmatch(r.text); match != nil {
		r.add(Route, route(match[1], match[2]), "", "")
	}
	if match := facade.FindStringSubmatch(r.text); match != nil {
		r.add(Route, route(match[1], match[2]), "", "")
	}
	if match := rails.FindStringSubmatch(r.text); match != nil && strings.HasSuffix(r.name, ".rb") {
		r.add(Route, route(match[1], match[2]), "", "")
	}
	if match := django.FindStringSubmatch(r.text); match != nil {
		r.add(Route, match[1], "", "")
	}
}

// route is how a message calls a registration: by the method, where it has one, and the path.
func route(method, path string) string {
	switch method = strings.ToUpper(method); method {
	case "HANDLE", "HANDLEFUNC", "ROUTE", "ANY", "ALL", "REQUEST":
		return path
	}
	return method + " " + path
}

var (
	statement = regexp.MustCompile(`(?i)^\s*(?:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|CREATE|ALTER|WITH)\s`)
	classes   = regexp.MustCompile(`class(?:Name)?=\{?$`)
	brought   = regexp.MustCompile(`^\s*(?:import|from|require|use|using|include|#include|package)\b|` +
		`^\s*export\b[^=(]*\bfrom\s*$|require(?:_relative)?[\s(]|import\(`)
)

// asked is what stands before the path of a file that need not be there.
var asked = regexp.MustCompile(`(?i)(?:is_?file|is_?dir|file_?exists|exists_?(?:sync)?\??|file\?|access_?(?:sync)?)\s*\(?[^()]*$`)

// ofStrings notes what the strings of code say, also of those over several lines.
func (r *reading) ofStrings(text string) {
	if r.sort != source {
		return
	}
	r.line = 1
	begin := 0 // of the line
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			r.line++
			begin = i + 1
		case c == '/' && strings.HasPrefix(text[i:], "//") || c == '#' && strings.TrimSpace(text[begin:i]) == "":
			i = endOfLine(text, i) - 1
		case strings.HasPrefix(text[i:], `"""`), strings.HasPrefix(text[i:], "'''"):
			end := strings.Index(text[i+3:], text[i:i+3])
			if end < 0 {
				return
			}
			r.literal(text[i+3:i+3+end], text[begin:i])
			r.line += strings.Count(text[i:i+end+6], "\n")
			i += end + 5
		case c == '"' || c == '\'' || c == '`':
			end := closing(text, i)
			if end < 0 {
				continue // a lifetime, an apostrophe
			}
			r.literal(text[i+1:end], text[begin:i])
			r.line += strings.Count(text[i:end], "\n")
			i = end
		}
	}
}

func endOfLine(text string, from int) int {
	if n := strings.IndexByte(text[from:], '\n'); n >= 0 {
		return from + n
	}
	return len(text)
}

// closing is where the string that begins at a quote ends, -1 if its line ends first.
func closing(text string, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch {
		case text[i] == text[from]:
			return i
		case text[i] == '\\' && text[from] != '`':
			i++
		case text[i] == '\n' && text[from] != '`':
			return -1
		}
	}
	return -1
}

// literal notes one string, with what stands before it in its line.
func (r *reading) literal(text, before string) {
	line := r.line
	defer func() { r.line, r.query = line, false }()
	lines := strings.Count(text, "\n")
	wanted := r.wants()
	for i := range lines {
		wanted = wanted || r.wanted(r.line+i+1)
	}
	if asked.MatchString(before) {
		r.asked = append(r.asked, text)
	}
	if !wanted || brought.MatchString(before) || slices.Contains(r.asked, text) {
		return // imports are read by the grammars
	}
	query := len(text) > 10 && statement.MatchString(text)
	switch {
	case query, strings.Contains(text, "{\n"), strings.Contains(before, "class") && classes.MatchString(before):
		for part := range strings.Lines(text) {
			if r.query = query; r.wants() {
				r.mention(part, true)
			}
			r.line++
		}
	case lines == 0 && !strings.ContainsAny(text, " \t\n") && len(text) < 200:
		r.mention(text, false)
		if strings.Contains(text, ":") && Distinctive(text) { // the name of an event
			r.use(text, true)
		}
		if !isTest(r.name) && Distinctive(text) {
			r.file.Defined = append(r.file.Defined, Word{Text: text, Line: r.line, Whole: true})
		}
	}
}

var (
	plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(?:[-_.:/][A-Za-z0-9]+)*$`)
	joined    = regexp.MustCompile(`[-_.:/]|[a-z][A-Z]|[A-Za-z]\d`)
)

// Distinctive tells words that hardly mean two things: those that are put together of several.
func Distinctive(word string) bool {
	return len(word) > 4 && plainWord.MatchString(word) && (joined.MatchString(word) ||
		len(word) > 5 && strings.ToUpper(word) == word)
}
