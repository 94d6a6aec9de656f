package plain

import (
	"slices"
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

// Demand is a column of a table that each row has to give a value.
type Demand struct {
	Table, Column string
	Line          int
}

// Demands are the columns of a file of SQL that each row has to give a value. What is below a mark for going back is
// left out.
func Demands(name string, data []byte) (all []Demand) {
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

// Lacking returns the first of the wanted lines that writes a row without the column, or 0.
func (d Demand) Lacking(text string, wanted func(line int) bool) int {
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
