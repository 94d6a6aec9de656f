package page

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"delegate/internal/view/report"
	"delegate/internal/view/status"
	"delegate/registry"
)

// hostile is text that acts in a browser, or on whoever reads it, if anything lets it.
const hostile = `</script><script>owned()</script>"><img src=http://evil.example/ onerror=owned()>` +
	`</textarea></pre><svg onload='owned()'><form action=//evil.example><button value="` +
	"javascript:owned() {{.Session}} <!-- ]]> \x1b[31m \x07 \u202egnp.exe\u2066 \u2028 \u00ad \xff"

// TestNothingActs holds that what agents wrote is text wherever it stands on a page: with hostile words in every place
// the page has the same elements with the same attributes as with harmless ones.
func TestNothingActs(t *testing.T) {
	harmless, owned := pages("plain"), pages(hostile)
	for name, data := range owned {
		t.Run(name, func(t *testing.T) {
			template, _, _ := strings.Cut(name, " ")
			page, want := shown(t, template, data, hostile), shown(t, template, harmless[name], "plain")
			if !strings.Contains(page, "owned()") {
				t.Error("the words are not on the page at all")
			}
			if got, want := elements(page), elements(want); !slices.Equal(got, want) {
				t.Errorf("elements are\n%q\nwithout hostile words\n%q", got, want)
			}
			for _, r := range page {
				if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) || r == '\u2028' {
					t.Errorf("%U is on the page", r)
				}
			}
			leads := regexp.MustCompile(`(?i)\b(href|src|action)="\s*(javascript:|//|http)`)
			if found := leads.FindString(page); found != "" {
				t.Errorf("leads away: %s", found)
			}
		})
	}
}

// elements are the tags of a page without the values of their attributes, which the templates quote.
func elements(page string) (all []string) {
	values := regexp.MustCompile(`"[^"]*"`)
	for _, tag := range regexp.MustCompile(`<[/!a-zA-Z](?:"[^"]*"|[^">])*>`).FindAllString(page, -1) {
		all = append(all, values.ReplaceAllString(tag, `""`))
	}
	return all
}

func shown(t *testing.T, template string, data any, words string) string {
	t.Helper()
	var page bytes.Buffer
	parts, err := (&server{}).templates(registry.State{Session: &registry.Session{Target: words},
		Agents: []registry.Agent{{ID: "AGT-001", Name: words}}})
	if err == nil {
		err = report.Show(&page, parts, template, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// pages are the templates that are shown by themselves, with the words in every place, for each kind of what waits and
// each sort of line.
func pages(words string) map[string]any {
	all := map[string]any{
		"list": &frame{}, "live": &live{}, "agent-top": &agentPage{}, "agent-rest": &agentPage{},
		"remarks-page": &remarksPage{}, "remarks-live": &remarksPage{},
		"conflicts-page": &conflictsPage{}, "conflicts-live": &conflictsPage{},
	}
	for _, kind := range []status.PointKind{status.CheckpointPoint, status.CompletePoint, status.FailedPoint,
		status.StalledPoint, status.AskPoint, status.ViolationPoint, status.ConflictPoint, status.OrderPoint} {
		all["point "+string(kind)] = &pointView{Point: status.Point{Kind: kind}}
	}
	for _, sort := range []report.Sort{report.Same, report.Old, report.New, report.Where} {
		rows := []lineView{{Line: report.Line{Sort: sort}}}
		all["file-page one column, "+string(sort)] = &filePage{File: fileView{Rows: rows}}
		all["file-page side by side, "+string(sort)] = &filePage{File: fileView{Rows: slices.Clone(rows),
			look: look{Split: true}}}
	}
	for _, data := range all {
		fill(reflect.ValueOf(data).Elem(), words, 4)
		switch p := data.(type) {
		case *agentPage:
			for i := range p.Files {
				own(&p.Files[i])
			}
		case *filePage:
			own(&p.File)
		}
	}
	return all
}

// own leads the parts of a file to it.
func own(f *fileView) {
	for i := range f.Above {
		f.Above[i].in = f
	}
	for i := range f.Rows {
		f.Rows[i].in = f
		if !slices.Contains([]report.Sort{report.Same, report.Old, report.Where}, f.Rows[i].Sort) {
			f.Rows[i].Sort = report.New
		}
		for j := range f.Rows[i].Comments {
			f.Rows[i].Comments[j].in = f
		}
	}
	f.Pairs = nil
	f.pair()
}

// fill puts words into every text of a value that has none, with two of whatever there can be many of.
func fill(v reflect.Value, words string, deep int) {
	switch v.Kind() {
	case reflect.String:
		if v.Len() == 0 {
			v.SetString(words)
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Slice:
		if v.Len() == 0 && deep > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			fill(v.Index(i), words, deep-1)
		}
	case reflect.Pointer:
		if v.IsNil() && deep > 0 {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			fill(v.Elem(), words, deep-1)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() && v.Type() != reflect.TypeFor[time.Time]() {
				fill(field, words, deep)
			}
		}
	}
}

// TestElementsCanDiffer holds that the comparison sees what a template that does not escape would let through.
func TestElementsCanDiffer(t *testing.T) {
	for _, page := range []string{"<p>%s</p>", `<p title="%s"></p>`, "<textarea>%s</textarea>"} {
		if slices.Equal(elements(fmt.Sprintf(page, hostile)), elements(fmt.Sprintf(page, "plain"))) {
			t.Errorf("in %s nothing is seen", page)
		}
	}
}
