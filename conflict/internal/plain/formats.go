package plain

import (
	"delegate/internal/text/lazyregexp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// readers read one line of a sort of file.
var readers = map[sort]func(*reading){
	source: (*reading).ofCode, yaml: (*reading).ofYAML, json: (*reading).ofJSON, settings: (*reading).ofSettings,
	docker: (*reading).ofDocker, makefile: (*reading).ofMake, sql: (*reading).ofSQL, css: (*reading).ofCSS,
	markup: (*reading).ofMarkup, terraform: (*reading).ofTerraform, protobuf: (*reading).ofProtobuf,
	graphql: (*reading).ofGraphQL, shell: (*reading).ofShell, cargo: (*reading).ofCargo,
}

var (
	yamlKey = lazyregexp.New(`^["']?([\w./$-]+)["']?:(?:\s+(.*))?$`)
	jsonKey = lazyregexp.New(`^"([^"\\]+)"\s*:\s*(.*?),?$`)
	// entryPoint is how a package of Python names the function that a command starts.
	entryPoint = lazyregexp.New(`\b([A-Za-z_]\w*(?:\.\w+)+):([A-Za-z_]\w*)\b`)
	settingKey = lazyregexp.New(`^(?:export\s+)?["']?([\w.-]+)["']?\s*[=:]\s*(.*)$`)
	published  = lazyregexp.New(`^["']?(?:[\d.]+:)?(\d{2,5}):\d{2,5}(?:/\w+)?["']?$`)
)

func (r *reading) ofYAML() {
	r.ofTemplates()
	match := yamlKey.FindStringSubmatch(r.text)
	if match == nil {
		if r.below("ports:") {
			r.publishes(r.text)
		}
		r.mentionList(r.text)
		r.ofStructure("", r.text)
		r.ofCommands()
		return
	}
	r.ofStructure(match[1], strings.TrimSpace(strings.Split(match[2], " #")[0]))
	r.ofCommands()
	r.key(match[1], match[2])
	if match[1] == "nodePort" || match[1] == "published" {
		r.add(Entry{Role: Port, Name: unquoted(match[2]), Within: r.folder()})
	}
	if match[1] == "ports" && strings.HasPrefix(match[2], "[") {
		r.publishes(strings.Split(strings.Trim(match[2], "[]"), ",")...)
	}
	r.mentionList(match[2])
}

// publishes notes the ports of the machine that containers are reached by.
func (r *reading) publishes(ports ...string) {
	for _, port := range ports {
		if match := published.FindStringSubmatch(strings.TrimSpace(port)); match != nil {
			r.add(Entry{Role: Port, Name: match[1], Within: r.folder()})
		}
	}
}

// below reports whether the innermost line around with a name of its own is this one.
func (r *reading) below(text string) bool {
	for i := len(r.stack) - 1; i >= 0; i-- {
		if r.stack[i].text != "-" {
			return r.stack[i].text == text
		}
	}
	return false
}

// mentionList notes the words of a value, or of each element of a list in brackets.
func (r *reading) mentionList(value string) {
	value, _, _ = strings.Cut(withoutEcho(value), " #")
	if inner, ok := strings.CutPrefix(value, "["); ok {
		for element := range strings.SplitSeq(strings.TrimSuffix(inner, "]"), ",") {
			r.mention(element, false)
		}
		return
	}
	r.mention(value, false)
}

// key notes a key, and the path of keys that leads to it.
func (r *reading) key(name, value string) {
	r.add(Entry{Role: Key, Name: name})
	if name == "operationId" {
		stack := r.stack
		r.stack = nil // anywhere in the document
		r.add(Entry{Role: Operation, Name: unquoted(value)})
		r.stack = stack
	}
	if wholeNumber.MatchString(value) {
		r.add(Entry{Role: Number, Name: value, Owner: name})
	}
	path := name
	names := []string{name}
	for i := len(r.stack) - 1; i >= 0; i-- {
		match := outerKey.FindStringSubmatch(r.stack[i].text)
		if match == nil {
			break
		}
		path = match[1] + "." + path
		names = append(names, path)
	}
	r.define(names...)
	r.givesTranslation(path)
	r.file.Used = append(r.file.Used, Word{Text: name, Line: r.line, Whole: true, AsKey: true})
}

var wholeNumber = lazyregexp.New(`^\d+$`)

var outerKey = lazyregexp.New(`^["'\[]?([\w.-]+)["'\]]?:?\s*[{:]?$`)

func (r *reading) ofSettings() {
	for _, match := range entryPoint.FindAllStringSubmatch(r.text, -1) {
		r.use(match[1]+"."+match[2], true)
	}
	r.refer(Host, "", eachMatch(hostUse, r.text)...)
	if match := settingKey.FindStringSubmatch(r.text); match != nil {
		r.key(match[1], match[2])
		r.mentionList(match[2])
	}
}

var (
	stageLine  = lazyregexp.New(`(?i)^FROM\s+(\S+)(?:\s+AS\s+(\S+))?`)
	stageFrom  = lazyregexp.New(`(?i)^(?:(?:COPY|ADD)\s.*?|RUN\s.*?--mount=\S*?|)(?:--|\b)from=([^\s,]+)`)
	envLine    = lazyregexp.New(`^(?:ENV|ARG)\s+(\w+)`)
	targetLine = lazyregexp.New(`^([\w./-]+(?:\s+[\w./-]+)*)\s*:(?:[^=:]|$)(.*)`)
	macroLine  = lazyregexp.New(`^(?:export\s+)?(\w+)\s*[:?+]?=`)
)

func (r *reading) ofDocker() {
	switch {
	case stageLine.MatchString(r.text):
		match := stageLine.FindStringSubmatch(r.text)
		r.use(match[1], true)
		if match[2] != "" {
			r.stack = nil
			r.add(Entry{Role: Stage, Name: match[2]})
			r.define(match[2])
			r.give(Stage, r.name, match[2])
		}
		r.refer(Stage, r.name, match[1])
		return
	case envLine.MatchString(r.text):
		name := envLine.FindStringSubmatch(r.text)[1]
		r.define(name)
		if strings.HasPrefix(r.text, "ARG") {
			r.give(BuildArgument, "", name)
		}
	}
	if match := stageFrom.FindStringSubmatch(r.text); match != nil {
		r.use(match[1], true)
		r.refer(Stage, r.name, match[1])
	}
	r.mention(withoutEcho(r.text), true)
	r.ofCommands()
}

func (r *reading) ofMake() {
	switch match := targetLine.FindStringSubmatch(r.text); {
	case macroLine.MatchString(r.text):
		r.define(macroLine.FindStringSubmatch(r.text)[1])
	case match != nil && !strings.HasPrefix(r.text, "."):
		for name := range strings.FieldsSeq(match[1]) {
			r.stack = nil
			r.add(Entry{Role: Target, Name: name})
			r.define(name)
			r.give(Target, "", name)
		}
		r.refer(Target, "", strings.Fields(match[2])...)
		r.mention(match[2], true)
		return
	}
	for _, match := range inlineVar.FindAllStringSubmatch(r.text, -1) {
		r.define(match[1])
	}
	r.mention(withoutEcho(r.text), true)
	r.ofCommands()
}

var (
	createdLine = lazyregexp.New("(?i)^CREATE\\s+(?:OR\\s+REPLACE\\s+)?(?:UNIQUE\\s+)?" +
		"(TABLE|VIEW|INDEX|TYPE|FUNCTION)\\s+" +
		"(?:IF\\s+NOT\\s+EXISTS\\s+)?[\"`]?([\\w.]+)")
	ifMissing = lazyregexp.New(`(?i)IF\s+NOT\s+EXISTS|OR\s+REPLACE|^CREATE\s+TEMP`)
	column    = lazyregexp.New("(?i)^[\"`]?(\\w+)[\"`]?\\s+(?:\\w*(?:INT|CHAR|TEXT|BOOL|DATE|TIME|SERIAL|NUMERIC|" +
		"DECIMAL|REAL|DOUBLE|FLOAT|UUID|JSON|BLOB|BYTEA|ENUM)\\w*)\\b")
)

const alterTable = "(?i)ALTER\\s+TABLE\\s+(?:IF\\s+EXISTS\\s+)?"

// losses are the ways to take away a column or table, in SQL and in the migrations of Rails, Alembic and Knex. The
// first group is the table of a column.
var losses = []*lazyregexp.Regexp{
	lazyregexp.New(alterTable + "[\"`]?(\\w+)[\"`]?\\s+RENAME\\s+(?:COLUMN\\s+)?[\"`]?(\\w+)[\"`]?\\s+TO\\b"),
	lazyregexp.New(alterTable + "[\"`]?(\\w+)[\"`]?\\s+DROP\\s+(?:COLUMN\\s+)(?:IF\\s+EXISTS\\s+)?[\"`]?(\\w+)"),
	lazyregexp.New("(?i)(?:DROP|ALTER)\\s+(?:TABLE|(?:MATERIALIZED\\s+)?VIEW)\\s+()(?:IF\\s+EXISTS\\s+)?" +
		"[\"`]?(\\w+)[\"`]?\\s*(?:RENAME\\s+TO\\b|;|$)"),
	lazyregexp.New(`\b(?:rename_column|remove_column|drop_column)\(?\s*[:"'](\w+)["']?\s*,\s*[:"'](\w+)`),
	lazyregexp.New(`\b(?:rename_table|drop_table)\(?\s*()[:"'](\w+)`),
}

// Loss is a table or column that a migration takes away by its old name.
type Loss struct {
	// Table is the one that the column is of, "" where the line does not say it or a table itself goes.
	Table, Name string
	Line        int
}

// Losses are what the lines of a migration take away.
func Losses(data []byte) []Loss {
	var all []Loss
	needed := []string{"table", "view", "_column"} // by all patterns, which are slow
	if !containsAny(strings.ToLower(string(data)), needed...) {
		return nil
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if !containsAny(strings.ToLower(line), needed...) {
			continue
		}
		for _, pattern := range losses {
			for _, match := range pattern.FindAllStringSubmatch(line, -1) {
				all = append(all, Loss{Table: match[1], Name: match[2], Line: number})
			}
		}
	}
	return slices.DeleteFunc(all, func(l Loss) bool {
		again := regexp.MustCompile(`(?i)\b(?:CREATE\s.*|RENAME\s+TO\s+)\b` + regexp.QuoteMeta(l.Name) + `\b`)
		return l.Table == "" && again.Match(data)
	})
}

// newColumns are the ways to add a column to a table that is there: in SQL, and in migrations of Rails and Alembic.
var newColumns = []*lazyregexp.Regexp{
	lazyregexp.New("(?i)ALTER\\s+TABLE\\s+(?:ONLY\\s+)?[\"`]?([\\w.]+)[\"`]?\\s+" +
		"ADD\\s+(?:COLUMN\\s+)?[\"`]?(\\w+)[\"`]?\\s+\\w"),
	lazyregexp.New(`\badd_column\(?\s*[:"'](\w+)["']?\s*,\s*[:"'](\w+)`),
	lazyregexp.New(`\badd_column\(\s*["'](\w+)["']\s*,\s*sa\.Column\(\s*["'](\w+)`),
}

// ofColumns notes the columns that a migration adds to a table.
func (r *reading) ofColumns() {
	if !containsAny(r.text, "ADD ", "add ", "Add ", "add_column") || ifMissing.MatchString(r.text) || r.down ||
		strings.Contains(path.Base(r.name), ".down.") {
		return
	}
	for _, pattern := range newColumns {
		match := pattern.FindStringSubmatch(r.text)
		if match == nil || slices.Contains(constraintWords, strings.ToUpper(match[2])) {
			continue
		}
		r.add(Entry{Role: Column, Name: strings.ToLower(match[1] + "." + match[2]), Within: r.folder()})
		return
	}
}

// constraintWords may follow ADD where no column comes.
var constraintWords = []string{"CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "INDEX", "KEY", "FULLTEXT",
	"SPATIAL", "PARTITION", "EXCLUDE", "IF", "VALUE"}

func (r *reading) ofSQL() {
	r.ofColumns()
	switch {
	case createdLine.MatchString(r.text):
		match := createdLine.FindStringSubmatch(r.text)
		if !ifMissing.MatchString(r.text) {
			r.add(Entry{Role: Table, Name: strings.ToLower(match[2]), Within: r.folder()})
		}
		r.define(match[2])
	case column.MatchString(r.text) && len(r.stack) > 0:
		r.define(column.FindStringSubmatch(r.text)[1])
	}
	if !strings.Contains(strings.ToUpper(r.text), "RENAME") && !strings.Contains(strings.ToUpper(r.text), "DROP") {
		r.mention(r.text, true)
	}
}

var (
	selector = lazyregexp.New(`[.#]([A-Za-z_][\w-]*)`)
	ownStyle = lazyregexp.New(`[{;]\s*(--[\w-]+)\s*:`)
	property = lazyregexp.New(`^((?:--|[$@])[\w-]+)\s*:`)
)

func (r *reading) ofCSS() {
	r.define(eachMatch(ownStyle, r.text)...)
	if match := property.FindStringSubmatch(r.text); match != nil {
		r.define(match[1])
		r.add(Entry{Role: Key, Name: match[1]})
	}
	if head, _, opens := strings.Cut(r.text, "{"); opens || strings.HasSuffix(r.text, ",") {
		for _, match := range selector.FindAllStringSubmatch(head, -1) {
			r.define(match[1])
			r.file.Used = append(r.file.Used, Word{Text: match[1], Line: r.line, Whole: true, AsKey: true})
		}
	}
	for _, match := range customProperty.FindAllStringSubmatch(r.text, -1) {
		r.use(match[1], true)
	}
}

var (
	customProperty = lazyregexp.New(`var\((--[\w-]+)`)
	markID         = lazyregexp.New(`\sid="([\w-]+)"`)
	attribute      = lazyregexp.New(`[\w:-]+=(?:"([^"]*)"|'([^']*)')`)
)

// ofMarkup notes the words of attributes: classes, identifiers, paths.
func (r *reading) ofMarkup() {
	r.ofSections()
	r.ofTemplates()
	for _, match := range markID.FindAllStringSubmatch(r.text, -1) {
		if Distinctive(match[1]) {
			r.define(match[1])
		}
	}
	for _, match := range attribute.FindAllStringSubmatch(r.text, -1) {
		r.mention(match[1]+match[2], true)
	}
}

var (
	blockLine    = lazyregexp.New(`^(resource|data|module|variable|output|provider)\s+"([\w-]+)"(?:\s+"([\w-]+)")?`)
	argumentLine = lazyregexp.New(`^([\w-]+)\s*=`)
)

func (r *reading) ofTerraform() {
	if match := blockLine.FindStringSubmatch(r.text); match != nil {
		name := strings.TrimSuffix(match[1]+" "+match[2]+" "+match[3], " ")
		if match[1] != "provider" {
			r.add(Entry{Role: Block, Name: name, Within: r.folder()})
		}
		r.define(match[2], match[3])
		r.give(Block, path.Dir(r.name), blockName(match[1], match[2], match[3]))
		return
	}
	if argumentLine.MatchString(r.text) && r.below("locals {") {
		name := argumentLine.FindStringSubmatch(r.text)[1]
		r.define(name)
		r.give(Block, path.Dir(r.name), "local."+name)
	}
	_, value, _ := strings.Cut(r.text, "=")
	r.ofBlocks(value)
	r.mention(value, true)
}

var protoNumber = lazyregexp.New(`^(?:(?:repeated|optional|required)\s+)?(?:[\w.<>, ]+\s+)?(\w+)\s*=\s*(\d+)\s*(?:\[.*)?;`)

var (
	protoGiven = lazyregexp.New(`^(?:message|enum)\s+(\w+)`)
	protoField = lazyregexp.New(`^(?:(?:repeated|optional|required)\s+)?(?:map<\s*\w+\s*,\s*)?([A-Z]\w*)>?\s+\w+\s*=`)
	protoCall  = lazyregexp.New(`\(\s*(?:stream\s+)?([A-Z]\w*)\s*\)`)
)

// ofMessages notes the messages that a line defines or needs, by their bare names.
func (r *reading) ofMessages() {
	if match := protoGiven.FindStringSubmatch(r.text); match != nil {
		r.give(Message, path.Dir(r.name), match[1])
	}
	if match := protoField.FindStringSubmatch(r.text); match != nil {
		r.refer(Message, path.Dir(r.name), match[1])
	}
	if strings.HasPrefix(r.text, "rpc ") {
		for _, match := range protoCall.FindAllStringSubmatch(r.text, -1) {
			r.refer(Message, path.Dir(r.name), match[1])
		}
	}
}

func (r *reading) ofProtobuf() {
	r.ofMessages()
	r.keptNumbers()
	if match := protoNumber.FindStringSubmatch(r.text); match != nil && !strings.HasPrefix(r.text, "option ") {
		r.add(Entry{Role: FieldNumber, Name: match[2], Owner: match[1]})
		r.defineField(match[1])
	}
	if match := procedure.FindStringSubmatch(r.text); match != nil && Distinctive(match[1]) {
		r.file.Defined = append(r.file.Defined,
			Word{Text: match[1], Line: r.line, Whole: true, AsKey: true, Of: Procedure})
	}
	r.mention(r.text, true)
}

var (
	typeLine  = lazyregexp.New(`^(?:type|input|interface|enum|union|scalar)\s+(\w+)`)
	fieldLine = lazyregexp.New(`^(\w+)\s*(?:\(.*\))?\s*:\s*\[?\w`)
)

func (r *reading) ofGraphQL() {
	if match := typeLine.FindStringSubmatch(r.text); match != nil {
		r.add(Entry{Role: Table, Name: "type " + match[1], Within: r.folder()})
		r.define(match[1])
	} else if match := fieldLine.FindStringSubmatch(r.text); match != nil && len(r.stack) > 0 {
		r.add(Entry{Role: Key, Name: match[1]})
		r.defineField(match[1])
	}
	r.mention(variableOfQuery.ReplaceAllString(r.text, ""), true)
}

var variableOfQuery = lazyregexp.New(`\$\w+`)

// echoed is what a command only prints, without the command, up to where another one begins.
var echoed = lazyregexp.New(`\b(?:echo|printf)\s+((?:"[^"]*"|'[^']*'|[^"'|;&>])*)`)

// withoutEcho is a line of commands without what they tell people, but for the variables in it.
func withoutEcho(text string) string {
	if !containsAny(text, "echo", "printf") {
		return text
	}
	return echoed.ReplaceAllStringFunc(text, func(call string) string {
		return strings.Join(shellVariable.FindAllString(call, -1), " ")
	})
}

var shellVariable = lazyregexp.New(`\$\{?\w+`)

var assignment = lazyregexp.New(`^(?:export\s+|readonly\s+)?([A-Z_][A-Z0-9_]+)=`)

func (r *reading) ofShell() {
	if match := assignment.FindStringSubmatch(r.text); match != nil {
		r.define(match[1])
	}
	r.mention(withoutEcho(r.text), true)
	r.ofFunctions()
	r.takesFlags()
	r.ofCommands()
}
