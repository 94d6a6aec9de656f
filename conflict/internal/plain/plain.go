// Package plain reads what files allot and mention outside of a grammar: keys, numbers, routes, flags, targets,
// and the words of strings and values.
//
// It goes by lines and their indentation, as people write configuration, tables of numbers and registrations. What it
// does not recognise it leaves out: a file gives nothing rather than something wrong. Prose, lock files and what
// programs write give nothing at all.
package plain

import (
	"delegate/internal/text/lazyregexp"
	"path"
	"slices"
	"strings"
)

// Role is what an allotted name or number is, in words for a message.
type Role string

// The roles.
const (
	Key         Role = "key"
	Number      Role = "number"
	FieldNumber Role = "field number"
	ErrorCode   Role = "error code"
	Route       Role = "route"
	Flag        Role = "flag"
	Target      Role = "target"
	Stage       Role = "stage"
	Port        Role = "port"
	Migration   Role = "migration"
	Parent      Role = "parent migration"
	Table       Role = "table"
	Block       Role = "block"
	Item        Role = "element"
	Metric      Role = "metric"
	// Registration is a name that a registry of the program's own is given.
	Registration Role = "registration"
	Column       Role = "column"
	Operation    Role = "operation"
)

// Entry is one name or number that a file allots, which may be there once.
type Entry struct {
	Role Role
	// Name is what is allotted.
	Name string
	// Owner is what a number is allotted to, "" for a name.
	Owner string
	// Chain are the lines around it, from the outermost; Parent is the last one's number, 0 at the top of the file.
	Chain  string
	Parent int
	// Within is where it may be there once beyond its own block: a folder, "/" for the whole repository, "" for no
	// more than the block.
	Within string
	// Origin is what a route is registered on, Program the folder of a Go file that is a program's own.
	Origin  Origin
	Program string
	// Variant is the environment or purpose that the file's name says it is for.
	Variant string
	Line    int
	// Text is the whole line.
	Text string
	// receiver is what the name is registered on.
	receiver string
}

// Same reports whether two entries, perhaps of two versions of a file, allot one thing in one place.
func (e Entry) Same(o Entry) bool { return e.Role == o.Role && e.Name == o.Name && e.Chain == o.Chain }

// Word is a word where a file defines or mentions it.
type Word struct {
	Text string
	Line int
	// Whole words are all of a string or value; others are a part of one.
	Whole bool
	// AsKey words name something in the file itself.
	AsKey bool
	// InQuery words are of a statement of SQL.
	InQuery bool
	// Member words are the path of a member that code goes down.
	Member bool
	// Of is the type of a schema whose field the word is.
	Of string
	// Defaulted words are variables of the environment that the code reads with a value for where they are not set.
	Defaulted bool
}

// File is what one version of a file allots and mentions.
type File struct {
	Entries []Entry
	// Defined are the names by which other files may mean something in this one, and the strings of code.
	Defined []Word
	Used    []Word
	// Given are names of one role, and Referred are those that are meant by their role.
	Given, Referred []Named
}

// sort is how a file is read.
type sort int

const (
	nothing sort = iota
	source       // code: strings, numbers, registrations
	yaml
	json
	settings // TOML, INI, properties and files of environment variables
	docker
	makefile
	sql
	css
	markup
	terraform
	protobuf
	graphql
	shell
	cargo // a manifest of Rust
)

// Reads reports whether Read looks into files of the name.
func Reads(name string) bool { return sortOf(name) != nothing }

// Alike reports whether two files are read in one way, so that one can give what the other gave.
func Alike(a, b string) bool { return sortOf(a) == sortOf(b) }

var sorts = map[string]sort{
	".yaml": yaml, ".yml": yaml, ".json": json, ".toml": settings, ".ini": settings, ".properties": settings,
	".env": settings, ".conf": settings, ".cfg": settings, ".mk": makefile, ".sql": sql, ".css": css, ".scss": css,
	".less": css, ".html": markup, ".htm": markup, ".erb": markup, ".vue": markup, ".svelte": markup, ".tmpl": markup,
	".tpl": markup, ".gohtml": markup,
	".tf": terraform, ".tfvars": terraform, ".proto": protobuf, ".graphql": graphql, ".gql": graphql, ".sh": shell,
	".bash": shell,
}

var codeEndings = []string{".go", ".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".java", ".kt",
	".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".hh", ".cs", ".rb", ".php", ".swift", ".scala", ".ex", ".exs", ".dart"}

func sortOf(name string) sort {
	base, ending := strings.ToLower(path.Base(name)), strings.ToLower(path.Ext(name))
	switch {
	case slices.Contains(codeEndings, ending) && !strings.Contains(base, ".min."):
		return source
	case lockFile.MatchString(base) || strings.Contains(base, ".min.") || base == "go.sum":
		return nothing
	case base == "cargo.toml":
		return cargo
	case base == "makefile" || base == "gnumakefile":
		return makefile
	case base == "dockerfile" || strings.HasPrefix(base, "dockerfile.") || ending == ".dockerfile":
		return docker
	case base == ".env" || strings.HasPrefix(base, ".env."):
		return settings
	case ending == "":
		return shell // if it says so itself
	}
	return sorts[ending]
}

var lockFile = lazyregexp.New(`(?:^|[-_.])lock(?:file|b)?(?:\.|$)`)

// Layered reports whether the keys of such a file may be there to stand in place of those of another one, as values for
// one environment do. Each workflow is by itself.
func Layered(name string) bool {
	return !strings.HasPrefix(name, ".github/") && !strings.HasPrefix(name, ".circleci/") &&
		!strings.HasPrefix(name, ".gitea/") && !strings.HasPrefix(name, ".forgejo/")
}

// OwnNames tells style sheets whose classes get other names in each build, and are known by the sheet alone.
func OwnNames(name string) bool {
	return sortOf(name) == css && strings.Contains(strings.ToLower(path.Base(name)), ".module.")
}

// IsProse tells files that people write for people, whose words bind nothing.
func IsProse(name string) bool {
	base, ending := strings.ToLower(path.Base(name)), strings.ToLower(path.Ext(name))
	switch ending {
	case ".md", ".markdown", ".rst", ".adoc", ".txt", ".org":
		return base != "requirements.txt" && base != "cmakelists.txt"
	}
	return strings.HasPrefix(base, "license") || strings.HasPrefix(base, "changelog") ||
		strings.HasPrefix(base, "readme")
}

// isTest tells files of tests and of what they read, whose strings define nothing.
func isTest(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "test") || strings.Contains(lower, "spec") || strings.Contains(lower, "fixture") ||
		strings.Contains(lower, "mock")
}

// reading is a file as far as it was read.
type reading struct {
	name  string
	sort  sort
	file  File
	stack []header
	text  string // the line without indentation
	line  int
	// scalar is the indentation of a key whose value goes on below it, -1 outside of one.
	scalar int
	query  bool   // what is mentioned is in a statement of SQL
	kind   string // of the document, in manifests of a cluster
	// routers are the variables on which routes are registered, prefix is what the class around gives to its routes.
	routers map[string]router
	prefix  string
	outer   string // the template that the file extends, or what the step at hand uses
	down    bool   // below a mark that the rest takes back what stands above it
	command bool   // a file of Go's package main
	// decorated are entries of decorators, which belong to what is defined below them.
	decorated []int
	// imported are the names of the file for what it takes from other files, with what those call themselves.
	imported map[string]string
	asked    []string          // paths that the code asks for before it uses them
	own      map[string]string // keys of literals of the file's own that it reads, with the names of those
	code     string            // the whole text
	wanted   func(line int) bool
}

// header is a line that others stand below.
type header struct {
	indent, line int
	text         string
}

// LongestLine is how long a line may be that people write.
const LongestLine = 1000

// Read tells what the file allots and mentions in the lines that are wanted, nil for all.
func Read(name string, data []byte, wanted func(line int) bool) File {
	r := reading{name: name, sort: sortOf(name), scalar: -1, wanted: wanted, routers: map[string]router{},
		imported: map[string]string{}}
	r.query = r.sort == sql
	if r.sort == nothing || isGenerated(data) || path.Ext(name) == "" && r.sort == shell && !isScript(data) {
		return File{}
	}
	r.ofName()
	for line := range strings.Lines(string(data)) {
		r.line++
		line = strings.TrimRight(line, " \t\r\n")
		r.text = strings.TrimLeft(line, " \t")
		if r.text == "" || len(line) > LongestLine {
			continue
		}
		indent := len(line) - len(r.text)
		if embedded, ok := strings.CutPrefix(r.text, "//go:embed "); ok && r.wants() {
			r.mention(embedded, true)
			r.ofEmbedded(embedded)
		}
		if r.isComment() || r.inScalar(indent) {
			r.down = r.down || takesBack.MatchString(r.text)
			if r.wants() {
				r.ofTemplates()
			}
			continue
		}
		r.see(indent)
	}
	r.ofStrings(string(data))
	if r.sort == yaml && strings.Contains(string(data), "{{") { // what is there once may be written twice
		r.file.Entries = slices.DeleteFunc(r.file.Entries, func(e Entry) bool { return e.Role == Key })
	}
	return r.file
}

var comments = map[sort][]string{
	source: {"//", "#!", "# ", "*", "/*"}, yaml: {"#", "{{"}, settings: {"#", ";"}, docker: {"#"}, makefile: {"#"},
	sql: {"--"}, css: {"/*", "*", "//"}, markup: {"<!--"}, terraform: {"#", "//"}, protobuf: {"//", "*", "/*"},
	graphql: {"#"}, shell: {"#"}, cargo: {"#"},
}

// takesBack is how files of migrations in SQL, and functions of those in code, say that what follows is for going back.
var takesBack = lazyregexp.New(`(?i)^--\s*(?:\+goose\s+down|migrate:down|\+migrate\s+down|!downs|rollback)`)

func (r *reading) isComment() bool {
	return slices.ContainsFunc(comments[r.sort], func(mark string) bool { return strings.HasPrefix(r.text, mark) })
}

// inScalar reports whether a line is part of a YAML value of several lines; its words are mentioned.
func (r *reading) inScalar(indent int) bool {
	if r.scalar < 0 || indent <= r.scalar {
		r.scalar = -1
		return false
	}
	if r.wants() {
		r.mention(withoutEcho(r.text), false)
		r.ofCommands()
	}
	return true
}

func (r *reading) wants() bool { return r.wanted == nil || r.wanted(r.line) }

// see reads one line that is not a comment.
func (r *reading) see(indent int) {
	switch kind, isKind := strings.CutPrefix(r.text, "kind: "); {
	case r.text == "{" && !(len(r.stack) > 0 && r.stack[len(r.stack)-1].indent < indent):
		return // what stands above opens the block
	case r.sort == yaml && r.text == "---":
		r.stack, r.kind = nil, ""
		return
	case isKind && r.sort == yaml && indent == 0:
		r.kind = strings.ToLower(unquoted(kind))
	}
	if (r.sort == settings || r.sort == cargo) && strings.HasPrefix(r.text, "[") {
		r.stack = nil
		section := sectionLine.FindStringSubmatch(r.text)
		if section != nil && r.wants() && sectioned(r.name) {
			r.add(Entry{Role: Key, Name: section[1]})
		}
		r.stack = []header{{indent: -1, line: r.line, text: r.text}}
		return
	}
	for len(r.stack) > 0 && r.stack[len(r.stack)-1].indent >= indent {
		r.stack = r.stack[:len(r.stack)-1]
	}
	if item, ok := strings.CutPrefix(r.text, "- "); ok && r.sort == yaml {
		r.stack = append(r.stack, header{indent: indent, line: r.line, text: "-"})
		r.text = strings.TrimLeft(item, " ")
		indent += 2
	}
	switch r.sort {
	case source:
		r.seeCode()
	case markup:
		for _, outer := range eachMatch(extended, r.text) {
			r.outer = path.Base(outer)
		}
	case yaml:
		if called, ok := strings.CutPrefix(r.text, "uses:"); ok {
			r.outer = strings.TrimPrefix(unquoted(called), "./")
		}
	}
	if r.wants() {
		readers[r.sort](r)
	}
	if r.text[0] != '}' && r.text[0] != ')' && r.text[0] != ']' {
		r.stack = append(r.stack, header{indent: indent, line: r.line, text: r.text})
	}
	if r.sort == yaml && blockScalar.MatchString(r.text) {
		r.scalar = indent
	}
}

var blockScalar = lazyregexp.New(`:\s*[|>][-+0-9]*$`)

// add notes an entry at the line.
func (r *reading) add(e Entry) {
	e.Line, e.Text, e.Variant = r.line, r.text, r.variant()
	for _, h := range r.stack {
		e.Chain += parenthesized.ReplaceAllString(h.text, "()") + "\n"
		e.Parent = h.line
	}
	e.Chain += e.receiver
	r.file.Entries = append(r.file.Entries, e)
}

var sectionLine = lazyregexp.New(`^\[([^\[\]]+)\]$`)

// sectioned tells files whose sections may be there once.
func sectioned(name string) bool {
	return slices.Contains([]string{".toml", ".ini", ".cfg"}, strings.ToLower(path.Ext(name)))
}

// parenthesized are parameters and conditions, which may change where what they belong to stays.
var parenthesized = lazyregexp.New(`\([^()]*\)`)

// belong puts what decorators allot into what is defined below them.
func (r *reading) belong() {
	if len(r.decorated) == 0 || strings.ContainsAny(r.text[:1], "@)\"'#") {
		return
	}
	for _, i := range r.decorated {
		r.file.Entries[i].Chain += parenthesized.ReplaceAllString(r.text, "()")
	}
	r.decorated = nil
}

func (r *reading) folder() string { return "/" + path.Dir(r.name) }

// variant is what stands between the name and the ending of a file: prod of compose.prod.yaml.
func (r *reading) variant() string {
	parts := strings.Split(path.Base(r.name), ".")
	if len(parts) < 3 || parts[0] == "" {
		return ""
	}
	return parts[len(parts)-2]
}

// isGenerated tells what programs wrote, which nobody allots anything in by hand.
func isGenerated(data []byte) bool {
	head := strings.ToLower(string(data[:min(len(data), 1000)]))
	return containsAny(head, "code generated", "do not edit", "@generated", "autogenerated", "automatically generated")
}

// isScript tells scripts of a shell by their first line.
func isScript(data []byte) bool {
	first, _, _ := strings.Cut(string(data[:min(len(data), 100)]), "\n")
	return shebang.MatchString(first)
}

var shebang = lazyregexp.New(`^#!.*\b(?:ba|da|k|z)?sh\b`)

// define notes a name of the line by which other files may mean it.
func (r *reading) define(names ...string) {
	for _, name := range names {
		if name = strings.TrimPrefix(name, "/"); len(name) > 2 {
			r.file.Defined = append(r.file.Defined, Word{Text: name, Line: r.line, Whole: true, AsKey: true})
		}
	}
}

var wordPattern = lazyregexp.New(`[A-Za-z_][A-Za-z0-9_-]*(?:[./][A-Za-z0-9_-]+)*`)

// mention notes the words of a value or string; one that is a word by itself is whole, and so is each of separate ones.
func (r *reading) mention(text string, separate bool) {
	text = strings.Trim(text, " \t\"'`,;")
	text = strings.TrimPrefix(text, "./")
	for _, at := range wordPattern.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		r.use(word, separate || at[0] == 0 && at[1] == len(text))
		for i, part := range strings.FieldsFunc(word, func(c rune) bool { return c == '.' || c == '/' }) {
			if part == word {
				break
			}
			r.use(part, r.query) // a column, behind its table
			if _, rest, more := strings.Cut(word, "."); i == 0 && more && strings.Contains(rest, ".") {
				r.use(rest, true)
			}
		}
	}
}

func (r *reading) use(word string, whole bool) {
	if len(word) > 2 {
		r.file.Used = append(r.file.Used, Word{Text: word, Line: r.line, Whole: whole, InQuery: r.query})
	}
}

// Defines reports whether a configuration has a path of keys, each in a line of its own. Of translations each language
// has what it can, and what one lacks is missing.
func Defines(name, text, word string) bool {
	if sort := sortOf(name); sort != yaml && sort != json && sort != settings || translated.MatchString(name) {
		return false
	}
	last := strings.LastIndexByte(word, '.')
	return last >= 0 && Mentions(text, word[last+1:]) &&
		slices.ContainsFunc(Read(name, []byte(text), nil).Defined, func(w Word) bool { return w.Text == word })
}

var translated = lazyregexp.New(`(?i)(?:^|/)(?:locales?|i18n|langs?|languages?|translations?|messages)/`)

// Mentions reports whether a text has the word, not as a part of a longer one.
func Mentions(text, word string) bool {
	inWord := func(c byte) bool {
		return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		if (at == 0 || !inWord(text[at-1])) && (end == len(text) || !inWord(text[end])) {
			return true
		}
		from = at + 1
	}
}
