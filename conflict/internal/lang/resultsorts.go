package lang

import (
	"regexp"
	"slices"
	"strings"

	"delegate/internal/lazyregexp"
)

// The further sorts of what functions give.
const (
	sortSet       = "a set"
	sortMap       = "a Map"
	sortBytes     = "bytes"
	sortGenerator = "values one after the other"
)

// members are what values of a sort have that code needs of one: names, and ways to take parts of it.
type members struct{ names, ways []string }

// The ways in which code takes parts of a value without naming a member.
const (
	byNumber = `VALUE\[-?\d`
	byKey    = `VALUE\[["']`
	byLength = `\blen\(\s*VALUE\s*\)`
	byNext   = `\bnext\(\s*VALUE\s*[,)]`
	bySlice  = `VALUE\[-?\d*:`
)

var sortsOfPython = map[string]members{
	sortMapping: {strings.Fields("items keys values get setdefault update pop popitem copy clear"),
		[]string{byKey, byLength}},
	sortList: {strings.Fields("append extend insert sort reverse pop index count copy clear remove"),
		[]string{byNumber, bySlice, byLength}},
	sortSet: {strings.Fields("add discard union difference intersection update pop issubset issuperset copy clear " +
		"remove"), []string{byLength}},
	sortText: {strings.Fields("encode format title upper lower split strip lstrip rstrip startswith endswith replace " +
		"join splitlines find index count zfill isdigit casefold"), []string{byNumber, bySlice, byLength}},
	sortBytes: {strings.Fields("decode hex title upper lower split strip lstrip rstrip startswith endswith replace " +
		"join splitlines find index count zfill isdigit"), []string{byNumber, bySlice, byLength}},
	sortGenerator: {strings.Fields("send throw close"), []string{byNext}},
}

var sortsOfJavaScript = map[string]members{
	sortList: {strings.Fields("length map filter forEach push pop shift unshift slice splice concat join indexOf " +
		"includes find findIndex some every reduce sort reverse at entries keys values flatMap flat"),
		[]string{byNumber}},
	sortSet: {strings.Fields("size has add delete clear forEach entries keys values"), nil},
	sortMap: {strings.Fields("size has get set delete clear forEach entries keys values"), nil},
	sortText: {strings.Fields("length split trim toUpperCase toLowerCase slice concat indexOf includes at replace " +
		"replaceAll startsWith endsWith padStart padEnd match charAt substring"), []string{byNumber}},
	sortGenerator: {strings.Fields("next return throw map filter forEach some every find reduce"), nil},
}

var sortsOfRuby = map[string]members{
	sortList: {strings.Fields("push pop shift unshift last join concat flatten compact sort_by! each_slice"),
		[]string{byNumber}},
	sortMapping: {strings.Fields("keys values fetch key? each_pair transform_values dig merge each_key each_value"),
		[]string{byKey, `VALUE\[:`}},
	sortSet: {strings.Fields("add delete subset? superset? disjoint?"), nil},
	sortText: {strings.Fields("upcase downcase split strip gsub sub start_with? end_with? chars lines tr"),
		[]string{byNumber}},
}

// sortsOf are the sorts of the values of a language, by the ending of the names of its files; nil where types are
// written, or calls mean what a type says.
func sortsOf(ending string) map[string]members {
	switch ending {
	case ".py":
		return sortsOfPython
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts":
		return sortsOfJavaScript
	case ".rb":
		return sortsOfRuby
	}
	return nil
}

var (
	returned = lazyregexp.New(`^\s*return\s+(.+)$|=>\s*([^\s{].*)$`)
	yielded  = lazyregexp.New(`^\s*(?:\w+\s*=\s*)?yield\b`)
	valueSet = lazyregexp.New(`^.*?[^=!<>]=\s*([^=>\s].*)$`)
	bareName = lazyregexp.New(`^[A-Za-z_$][\w$]*$`)
	madeAs   = lazyregexp.New(`^(?:new\s+)?(list|sorted|dict|set|frozenset|str|repr|bytes|tuple|Set|Map|` +
		`Array\.from|Object\.keys|Object\.values|Object\.entries|Object\.fromEntries)(?:<[^()]*>)?\(`)
	endsAs = lazyregexp.New(`\.(encode|decode|join|map|filter|split|flatMap|to_a|to_set|to_h|to_s|isoformat|strftime)` +
		`(?:\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)|\s*\{.*\})?$`)
	remark    = lazyregexp.New(`\s+(?:#|//)\s.*$`)
	pairFirst = lazyregexp.New(`^(?:\*\*|\.\.\.|["']?[\w.$\[\]]+["']?\s*(?::|=>)|["'][^"']*["']\s*(?::|=>))`)
)

// HasSorts reports whether ResultSorts knows sorts of values in files of an ending.
func HasSorts(ending string) bool { return sortsOf(ending) != nil }

// ResultSorts are the sorts of what a function gives, or a constant is, by its lines before and after, where both show
// and differ. A function of which not all results are of one sort shows none.
func ResultSorts(ending string, old, new []string) (was, is string) {
	was, is = resultSort(ending, old), resultSort(ending, new)
	if was == "" && is == sortGenerator && slices.ContainsFunc(old, returned.MatchString) {
		was = sortList
	}
	if was == "" || is == "" || was == is {
		return "", ""
	}
	return was, is
}

func resultSort(ending string, lines []string) (sort string) {
	const longest = 400 // bytes of a line that people wrote
	var values []string
	for _, line := range lines {
		if len(line) > longest {
			return ""
		}
		if yielded.MatchString(line) && ending != ".rb" {
			return sortGenerator
		}
		if match := returned.FindStringSubmatch(line); match != nil {
			values = append(values, match[1]+match[2])
		}
	}
	switch {
	case ending == ".rb" && len(lines) > 2 && strings.TrimSpace(lines[len(lines)-1]) == "end" &&
		strings.HasPrefix(strings.TrimSpace(lines[0]), "def "):
		values = append(values, lines[len(lines)-2])
	case len(values) == 0 && len(lines) > 0:
		match := valueSet.FindStringSubmatch(lines[0])
		if match != nil && !strings.HasPrefix(strings.TrimSpace(lines[0]), "def ") {
			values = append(values, match[1])
		}
	}
	for _, value := range values {
		value = strings.TrimRight(strings.TrimSpace(value), ";")
		if bareName.MatchString(value) {
			value = OnlyValue(lines, value)
		}
		one := valueSort(ending, value)
		if one == "" || sort != "" && sort != one {
			return ""
		}
		sort = one
	}
	return sort
}

// OnlyValue is what lines set a variable to, "" if they do not, or more than once.
func OnlyValue(lines []string, name string) (only string) {
	for _, line := range lines {
		text := strings.TrimSpace(line)
		for _, before := range []string{"const ", "let ", "var "} {
			text = strings.TrimPrefix(text, before)
		}
		rest, found := strings.CutPrefix(text, name)
		if _, value, set := strings.Cut(rest, "= "); found && set && strings.ContainsAny(rest[:1], " :") {
			if only != "" {
				return ""
			}
			only = strings.TrimSpace(value)
		}
	}
	return only
}

// valueSort is the sort of a value as it is written, be it the first of its lines.
func valueSort(ending, value string) string {
	value = strings.TrimRight(remark.ReplaceAllString(value, ""), "; ")
	if match := endsAs.FindStringSubmatch(value); match != nil {
		return sortOfEnd(ending, match[1])
	}
	if match := madeAs.FindStringSubmatch(value); match != nil {
		if _, rest, closed := Closed(value[strings.IndexByte(value, '('):]); closed && rest != "" {
			return ""
		}
		return sortMade(match[1])
	}
	if value == "" || !strings.ContainsAny(value[:1], "[{\"'`") && !quoted.MatchString(value) {
		return ""
	}
	if strings.ContainsAny(value[:1], "[{") {
		inside, rest, closed := Closed(value)
		switch {
		case closed && rest != "":
			return ""
		case value[0] == '[':
			return sortList
		case !closed:
			inside = value[1:]
		}
		if ending == ".py" && strings.TrimSpace(inside) != "" && !pairFirst.MatchString(strings.TrimSpace(inside)) {
			return ""
		}
		return sortMapping
	}
	begin := strings.IndexAny(value, "\"'`")
	if end := strings.IndexByte(value[begin+1:], value[begin]); end < 0 || begin+end+2 != len(value) {
		return ""
	}
	if strings.ContainsAny(value[:begin], "bB") {
		return sortBytes
	}
	return sortText
}

func sortMade(by string) string {
	switch by {
	case "list", "tuple", "sorted", "Array.from", "Object.keys", "Object.values", "Object.entries":
		return sortList
	case "dict", "Object.fromEntries":
		return sortMapping
	case "set", "frozenset", "Set":
		return sortSet
	case "Map":
		return sortMap
	case "bytes":
		return sortBytes
	}
	return sortText
}

func sortOfEnd(ending, by string) string {
	python, script := ending == ".py", ending != ".py" && ending != ".rb"
	switch {
	case by == "encode" && python:
		return sortBytes
	case by == "decode" && python, by == "join", by == "to_s", by == "isoformat", by == "strftime":
		return sortText
	case by == "split", by == "to_a", (by == "map" || by == "filter" || by == "flatMap") && script:
		return sortList
	case by == "to_set":
		return sortSet
	case by == "to_h":
		return sortMapping
	}
	return ""
}

// NeedsSort is a pattern of code which needs that a value, given by its pattern, is of one sort, and cannot do with
// another.
func NeedsSort(ending, was, is, value string) *regexp.Regexp {
	sorts := sortsOf(ending)
	had, has := sorts[was], sorts[is]
	only := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	}
	var patterns []string
	if names := only(had.names, has.names); len(names) > 0 {
		for i, name := range names {
			names[i] = regexp.QuoteMeta(name)
		}
		patterns = append(patterns, `VALUE\??\.(?:`+strings.Join(names, "|")+`)(?:[^\w]|$)`)
	}
	patterns = append(patterns, only(had.ways, has.ways)...)
	if was == sortMapping && is == sortMap {
		patterns = append(patterns, byKey, `VALUE\.[a-zA-Z_$]\w*\s*[^\w\s(]`)
	}
	if len(patterns) == 0 {
		return regexp.MustCompile(`[^\s\S]`) // nothing has it
	}
	whole := strings.ReplaceAll(strings.Join(patterns, "|"), "VALUE", `(?:^|[^\w.])`+value)
	return regexp.MustCompile(strings.ReplaceAll(whole, `\s*(?:^|[^\w.])`, `\s*`))
}
