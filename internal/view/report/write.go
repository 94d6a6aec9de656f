package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"

	"delegate/conflict"
	"delegate/registry"
)

//go:embed page.html agent.html graphs.html style.css
var files embed.FS

// Write writes the page.
// The error is that of w.
func Write(w io.Writer, d Data) error {
	v := newView(d)
	v.Style = template.CSS(Style())
	names := registry.State{Session: &d.Session}
	for _, a := range v.Agents {
		names.Agents = append(names.Agents, a.Agent.Agent)
	}
	page, err := Templates(names)
	if err == nil {
		err = Show(w, page, "page.html", v)
	}
	if err != nil {
		return fmt.Errorf("write report of %q: %w", d.Session.ID, err)
	}
	return nil
}

// Show writes what a template makes of data, as text in which nothing acts.
func Show(w io.Writer, parts *template.Template, name string, data any) error {
	var page bytes.Buffer
	if err := parts.ExecuteTemplate(&page, name, data); err != nil {
		return err
	}
	_, err := io.WriteString(w, Visible(page.String()))
	return err
}

// Style is how all of it looks.
func Style() string {
	style, _ := files.ReadFile("style.css") // it is embedded
	return string(style)
}

// Templates are the parts of a report, also for those who show a session in another way. Agents are called by their
// names in the state.
func Templates(state registry.State) (*template.Template, error) {
	return template.New("page.html").Funcs(template.FuncMap{
		"when": when, "approval": approval, "stamp": stamp, "took": took, "plural": plural, "number": number,
		"short": short, "word": word, "tone": tone, "mark": mark,
		"differ": differ, "agree": agree,
		"state": wordOf, "named": state.WithNames,
		"onBranch": func(text string) string { return conflict.OnBranch(text, state.Session.Target) },
	}).ParseFS(files, "*.html")
}
