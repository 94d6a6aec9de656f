package plain

import (
	"delegate/internal/text/lazyregexp"
	"path"
	"slices"
	"strings"
)

var (
	numbered = lazyregexp.New(`^(?:#define\s+)?(?:(?:pub|public|private|protected|internal|static|final|export|const|` +
		`let|var|val|readonly|constexpr)\s+)*(?:[\w.<>]+\s+)?([A-Za-z_]\w*)\s*(?::\s*[\w.<>]+\s*)?(?:=>?|:|\(|\s)\s*` +
		`["']?(0x[0-9a-fA-F]+|\d+|[A-Z]{1,8}[-_]?\d{2,})["']?\s*\)?\s*[,;]?\s*(?://.*|#.*|/\*.*)?$`)
	numberedGo = lazyregexp.New(`^(?:const\s+)?([A-Za-z_]\w*)\s+[\w.]+\s*=\s*(0x[0-9a-fA-F]+|\d+)\s*(?://.*)?$`)
	tagged     = lazyregexp.New("^[A-Za-z_]\\w*(?:,\\s*\\w+)*\\s+[^`]+`[^`]*\\bjson:\"([\\w.-]+)[\",]")
	errorCode  = lazyregexp.New(`^[A-Z]{1,8}[-_]?\d{2,}$`)
	caseOf     = lazyregexp.New(`^case\s+(0x[0-9a-fA-F]+|\d+|"[^"]+"|'[^']+')\s*:`)

	listened = lazyregexp.New(`(?i)(?:listen\w*\(\s*|addr\w*\s*[:=]+\s*|port\s*[:=]+\s*|` +
		`^#define\s+\w*port\s+)["']?(?:[\w.]*:)?(\d{4,5})["']?\b`)
	revision = lazyregexp.New(`^down_revision(?:\s*:[^=]*)?\s*=\s*["'](\w+)["']`)
	depends  = lazyregexp.New(`\(\s*["'](\w+)["']\s*,\s*["'](\d{4}_\w+)["']\s*\)`)
	variable = lazyregexp.New(`(?i:environ(?:\.get\(|\[)|getenv\(|lookupenv\(|env::var\(|env!\(|\bENV(?:\.fetch\(|\[)|` +
		`GetEnvironmentVariable\()\s*["'](\w+)["']|(?:process|import\.meta)\.env\.(\w+)`)

	serial = lazyregexp.New(`^(?:V|v|m|migration_?)?(\d{1,14})(?:[_.-]|__)[A-Za-z]`)
)

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
		r.add(Entry{Role: Migration, Name: strings.TrimLeft(match[1], "0"), Owner: base, Within: r.folder()})
	}
}

// seeCode keeps what lines mean for those after them, wanted or not.
func (r *reading) seeCode() {
	r.belong()
	r.seeRouter()
	r.seeImport()
	r.down = r.down || strings.Contains(r.text, "down") && downFunction.MatchString(r.text)
	if r.text[0] == '@' || r.text[0] == '[' {
		if match := mappedClass.FindStringSubmatch(r.text); match != nil && r.owner("") == "" {
			r.prefix = match[1]
		}
	} else if r.prefix != "" && len(r.stack) == 0 && !strings.ContainsAny(r.text[:1], ")}") &&
		!classLine.MatchString(r.text) {
		r.prefix = ""
	}
}

var downFunction = lazyregexp.New(`^(?:def\s+(?:self\.)?down(?:grade)?\b|exports\.down\b|export\s+(?:async\s+)?function\s+down\b)`)

func (r *reading) ofCode() {
	if strings.ContainsAny(r.text, "0123456789") {
		r.ofNumbers()
	}
	if strings.ContainsAny(r.text, "\"'`") {
		r.ofRegistrations()
		r.ofUses()
	}
	if strings.Contains(r.text, `json:"`) && path.Ext(r.name) == ".go" {
		if match := tagged.FindStringSubmatch(r.text); match != nil && match[1] != "-" {
			r.add(Entry{Role: Key, Name: match[1]})
		}
	}
	r.ofColumns()
	r.ofSymbols()
	r.ofMembers()
	if !isTest(r.name) {
		r.ofTables()
	}
	if !strings.Contains(r.text, "env") && !strings.Contains(r.text, "ENV") && !strings.Contains(r.text, "Env") {
		return
	}
	for _, at := range variable.FindAllStringSubmatchIndex(r.text, -1) {
		group, rest := max(at[2], at[4]), r.text[at[1]:]
		if name := r.text[group:max(at[3], at[5])]; len(name) > 2 {
			r.file.Defined = append(r.file.Defined, Word{Text: name, Line: r.line, Whole: true})
			r.file.Used = append(r.file.Used, Word{Text: name, Line: r.line, Whole: true,
				Defaulted: otherwise.MatchString(rest) || at[2] >= 0 && strings.HasPrefix(rest, ",")})
		}
	}
}

// otherwise is how code goes on behind a variable of the environment to say what stands for one that is not set.
var otherwise = lazyregexp.New(`^[)\]]?\s*(?:\|\||\?\?|\?:|or\b|\{\s*["'\d]|\.\s*unwrap_or)`)

// ofMembers notes the paths of members that a line of code goes down, as it does in a configuration that was read:
// settings.mail.sender, conf["mail"]["sender"].
func (r *reading) ofMembers() {
	if strings.Count(r.text, ".")+strings.Count(r.text, "[") < 2 {
		return
	}
	for _, chain := range members.FindAllString(r.text, -1) {
		names := memberName.FindAllString(chain, -1)
		for i := range len(names) - 2 {
			r.file.Used = append(r.file.Used,
				Word{Text: strings.Join(names[i+1:], "."), Line: r.line, Whole: true, Member: true})
		}
	}
}

var (
	members    = lazyregexp.New(`[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*|\[["':][A-Za-z_][\w-]*["']?\]){2,}`)
	memberName = lazyregexp.New(`[A-Za-z_][\w-]*`)
)

func (r *reading) ofNumbers() {
	match := numbered.FindStringSubmatch(r.text)
	if path.Ext(r.name) == ".go" { // where the name stands before its type
		if own := numberedGo.FindStringSubmatch(r.text); own != nil {
			match = own
		}
	}
	if match != nil && match[1] != "return" && match[1] != "case" {
		if errorCode.MatchString(match[2]) {
			r.add(Entry{Role: ErrorCode, Name: match[2], Owner: r.owner(match[1]), Within: "/"})
		} else {
			r.add(Entry{Role: Number, Name: strings.ToLower(match[2]), Owner: match[1]})
		}
	}
	if match := coded.FindStringSubmatch(r.text); match != nil && len(r.stack) > 0 {
		r.add(Entry{Role: Number, Name: match[3], Owner: match[1] + match[2]})
	}
	if match := caseOf.FindStringSubmatch(r.text); match != nil {
		r.add(Entry{Role: Number, Name: "case " + match[1], Owner: r.text})
	}
	if !containsAny(r.text, "isten", "ddr", "ort", "PORT", "ADDR") || isTest(r.name) {
		return
	}
	if match := listened.FindStringSubmatch(r.text); match != nil {
		r.add(Entry{Role: Port, Name: match[1], Within: r.folder()})
	}
}

var (
	literalKey = lazyregexp.New(`^(?:["']([\w.:/ -]+)["']\s*(?::|=>)|:(\w+)\s*=>|(\w+)=[^=])`)
	opened     = lazyregexp.New(`[{(\[]$`)
	scripted   = lazyregexp.New(`\.(?:py|[mc]?[jt]sx?|rb|php|exs?|dart|swift|scala)$`)
)

// ofTables notes the keys of a literal and the arguments by name of a call, each in a line of its own.
func (r *reading) ofTables() {
	if len(r.stack) == 0 || !scripted.MatchString(r.name) || !opened.MatchString(r.stack[len(r.stack)-1].text) {
		return
	}
	match := literalKey.FindStringSubmatch(r.text)
	if match == nil || match[3] != "" && (path.Ext(r.name) != ".py" || !strings.HasSuffix(r.text, ",")) {
		return
	}
	r.add(Entry{Role: Key, Name: match[1] + match[2] + match[3]})
}

// coded are members of an enumeration with a number of their own, and numbers by a key of a literal.
var coded = lazyregexp.New(`^(?:([A-Z]\w*)\(|["']([\w.-]+)["']\s*(?::|=>)\s*)(\d+)\s*[,)]`)

// owner is what has a code: the constant, or the class whose member it is.
func (r *reading) owner(name string) string {
	for i := len(r.stack) - 1; i >= 0; i-- {
		if match := classLine.FindStringSubmatch(r.stack[i].text); match != nil {
			return match[1] + "." + name
		}
	}
	return name
}

var classLine = lazyregexp.New(`\b(?:class|struct|object|module)\s+(\w+)`)

var (
	statement = lazyregexp.New(`(?i)^\s*(?:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|CREATE|ALTER|WITH)\s`)
	graphQL   = lazyregexp.New(`^\s*(?:query|mutation|subscription|fragment)\b[^{]*\{`)
	printing  = lazyregexp.New(`(?i)\b(?:\w*log\w*|\w*print\w*|console|warn\w*|errors?|info\w*|debug\w*|panic|fatal)` +
		`(?:\.\w+)?!?\(\s*$`)
	classes = lazyregexp.New(`class(?:Name)?=\{?$`)
	brought = lazyregexp.New(`^\s*(?:import|from|require|use|using|include|#include|package)\b|` +
		`^\s*export\b[^=(]*\bfrom\s*$|require(?:_relative)?[\s(]|import\(`)
)

// asked is what stands before the path of a file that need not be there.
var asked = lazyregexp.New(`(?i)(?:is_?file|is_?dir|file_?exists|exists_?(?:sync)?\??|file\?|access_?(?:sync)?)\s*\(?[^()]*$`)

// mayAsk reports whether asked has to be tried, which takes long: one of these is in all that it fits.
func mayAsk(before string) bool {
	before = strings.ToLower(before)
	return slices.ContainsFunc([]string{"file", "dir", "exi", "acce"}, func(part string) bool {
		return strings.Contains(before, part)
	})
}

// ofStrings notes what the strings of code say, also of those over several lines.
func (r *reading) ofStrings(text string) {
	if r.sort != source {
		return
	}
	r.line, r.code = 1, text
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
	if len(before) > LongestLine {
		return // which all patterns would be held against once more for each string of it
	}
	line := r.line
	defer func() { r.line, r.query = line, false }()
	lines := strings.Count(text, "\n")
	wanted := r.wants()
	for i := range lines {
		wanted = wanted || r.wanted(r.line+i+1)
	}
	if wanted && strings.Contains(text, "://") {
		r.refer(Host, "", eachMatch(hostUse, text)...)
	}
	if mayAsk(before) && asked.MatchString(before) {
		r.asked = append(r.asked, text)
	}
	if !wanted || brought.MatchString(before) || slices.Contains(r.asked, text) {
		return // imports are read by the grammars
	}
	query := len(text) > 10 && statement.MatchString(text)
	switch {
	case query, strings.Contains(text, "{\n"), graphQL.MatchString(text),
		strings.Contains(before, "class") && classes.MatchString(before):
		for part := range strings.Lines(text) {
			if r.query = query; r.wants() {
				r.mention(part, true)
			}
			r.line++
		}
	case strings.Contains(text, "=") && marked.MatchString(text):
		r.ofMarked(text)
	case lines == 0 && printing.MatchString(before), lines == 0 && r.isOwnKey(text, before):
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
	plainWord = lazyregexp.New(`^[A-Za-z][A-Za-z0-9]*(?:[-_.:/][A-Za-z0-9]+)*$`)
	compound  = lazyregexp.New(`[-_.:/]|[a-z][A-Z]|[A-Za-z]\d`)
)

// Distinctive tells words that hardly mean two things: those that are put together of several.
func Distinctive(word string) bool {
	return len(word) > 4 && plainWord.MatchString(word) && (compound.MatchString(word) ||
		len(word) > 5 && strings.ToUpper(word) == word)
}
