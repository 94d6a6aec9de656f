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
	var page bytes.Buffer
	if err := render(&page, newView(d)); err != nil {
		return fmt.Errorf("write report of %q: %w", d.Session.ID, err)
	}
	if _, err := io.WriteString(w, visible(page.String())); err != nil {
		return fmt.Errorf("write report of %q: %w", d.Session.ID, err)
	}
	return nil
}

func render(w io.Writer, v view) error {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return err
	}
	v.Style = template.CSS(style)
	names := registry.State{}
	for _, a := range v.Agents {
		names.Agents = append(names.Agents, a.Agent.Agent)
	}
	page, err := template.New("page.html").Funcs(template.FuncMap{
		"when": when, "approval": approval, "stamp": stamp, "took": took, "plural": plural, "number": number,
		"short": short, "word": word, "tone": tone, "mark": mark,
		"state": state, "named": names.WithNames,
		"onBranch": func(text string) string { return conflict.OnBranch(text, v.Session.Target) },
	}).ParseFS(files, "*.html")
	if err != nil {
		return err
	}
	return page.Execute(w, v)
}
