package plain

import (
	"bytes"
	stdjson "encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/text/lazyregexp"
)

var (
	addedColumn = lazyregexp.New("(?i)^ALTER\\s+TABLE\\s+(?:ONLY\\s+)?[\"`]?([\\w.]+)[\"`]?\\s+" +
		"ADD\\s+(?:COLUMN\\s+)?[\"`]?(\\w+)[\"`]?\\s+(.*)")
	columnLine = lazyregexp.New("^[\"`]?(\\w+)[\"`]?\\s+(.*)")
	notNull    = lazyregexp.New(`(?i)\bNOT\s+NULL\b`)
	filledIn   = lazyregexp.New(`(?i)\b(?:DEFAULT|PRIMARY\s+KEY|\w*SERIAL|IDENTITY|AUTO_?INCREMENT|GENERATED|AS\s*\()`)
	insertion  = lazyregexp.New("(?is)\\bINSERT\\s+(?:OR\\s+\\w+\\s+|IGNORE\\s+)?INTO\\s+[\"`]?([\\w.]+)[\"`]?\\s*" +
		"\\(([^()]*)\\)")
)

// Demand is a column of a table that each row has to give a value, or a key that a schema demands of data.
type Demand struct {
	// Table is that of the column, or the name of the schema's file.
	Table, Column string
	// Of are all keys that the schema knows, nil for a column.
	Of   []string
	Line int
}

// schema is the part of a schema of JSON that says what data has to have.
type schema struct {
	Required   []string
	Properties map[string]any
}

// demandsOfSchema are the keys that a schema of JSON demands at the top of data.
func demandsOfSchema(name string, data []byte) (all []Demand) {
	var s schema
	if !bytes.Contains(data, []byte(`"required"`)) || stdjson.Unmarshal(data, &s) != nil {
		return nil
	}
	of := slices.Sorted(maps.Keys(s.Properties))
	at := bytes.Index(data, []byte(`"required"`))
	for _, key := range s.Required {
		if behind := bytes.Index(data[at:], []byte(strconv.Quote(key))); behind >= 0 && slices.Contains(of, key) {
			line := 1 + bytes.Count(data[:at+behind], []byte("\n"))
			all = append(all, Demand{path.Base(name), key, of, line})
		}
	}
	return all
}

// lacks reports whether a text is data of the schema, by its keys, and does not have the one that is demanded.
func (d Demand) lacks(text string) bool {
	var data map[string]stdjson.RawMessage
	if stdjson.Unmarshal([]byte(text), &data) != nil || len(data) < 2 || data[d.Column] != nil {
		return false
	}
	for key := range data {
		if key != "$schema" && !slices.Contains(d.Of, key) {
			return false
		}
	}
	return true
}

// Demands are the columns of a file of SQL that each row has to give a value. What is below a mark for going back is
// left out.
func Demands(name string, data []byte) (all []Demand) {
	if sortOf(name) == json {
		return demandsOfSchema(name, data)
	}
	if sortOf(name) != sql || strings.HasSuffix(name, ".down.sql") {
		return nil
	}
	number, table := 0, ""
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSpace(line)
		if takesBack.MatchString(line) {
			break
		}
		in, column, rest := table, "", ""
		if match := createdLine.FindStringSubmatch(line); match != nil && strings.EqualFold(match[1], "TABLE") {
			table = match[2]
			continue
		} else if match := addedColumn.FindStringSubmatch(line); match != nil {
			in, column, rest = match[1], match[2], match[3]
		} else if match := columnLine.FindStringSubmatch(line); match != nil {
			column, rest = match[1], match[2]
		}
		if in != "" && notNull.MatchString(rest) && !filledIn.MatchString(rest) &&
			!slices.Contains(constraintWords, strings.ToUpper(column)) {
			all = append(all, Demand{Table: strings.ToLower(in), Column: strings.ToLower(column), Line: number})
		}
		if strings.HasPrefix(line, ")") || strings.HasSuffix(line, ";") {
			table = ""
		}
	}
	return all
}

// Lacking is the first line, of those that are wanted, on which a row is written without the column, or on which data
// of the schema begins; 0 if none is.
func (d Demand) Lacking(text string, wanted func(line int) bool) int {
	if d.Of != nil {
		if wanted(1) && d.lacks(text) {
			return 1
		}
		return 0
	}
	for _, at := range insertion.FindAllStringSubmatchIndex(text, -1) {
		line := 1 + strings.Count(text[:at[0]], "\n")
		if !wanted(line) || !strings.EqualFold(text[at[2]:at[3]], d.Table) {
			continue
		}
		columns := strings.FieldsFunc(strings.ToLower(text[at[4]:at[5]]), func(c rune) bool {
			return strings.ContainsRune(", \t\r\n\"`\\", c)
		})
		if len(columns) > 0 && !slices.Contains(columns, d.Column) &&
			!slices.ContainsFunc(columns, func(c string) bool { return strings.ContainsAny(c, "{}$%+?") }) {
			return line
		}
	}
	return 0
}
