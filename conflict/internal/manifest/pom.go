package manifest

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"delegate/conflict/code"
)

// pom is Maven's project object model as far as it names packages.
type pom struct {
	XMLName  xml.Name  `xml:"project"`
	Group    string    `xml:"groupId"`
	Artifact string    `xml:"artifactId"`
	Version  string    `xml:"version"`
	Parent   *pomEntry `xml:"parent"`
	pomNeeds
	Profiles []pomNeeds `xml:"profiles>profile"`
}

// pomNeeds is what both a project and a profile of it can say.
type pomNeeds struct {
	Properties properties `xml:"properties"`
	Needed     []pomEntry `xml:"dependencies>dependency"`
	Managed    []pomEntry `xml:"dependencyManagement>dependencies>dependency"`
}

// pomEntry is a reference to an artifact.
type pomEntry struct {
	Group    string `xml:"groupId"`
	Artifact string `xml:"artifactId"`
	Version  string `xml:"version"`
	Scope    string `xml:"scope"`
	Optional string `xml:"optional"`
	line     int
}

// UnmarshalXML notes the line of the entry.
func (e *pomEntry) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	type plain pomEntry
	line, _ := d.InputPos()
	err := d.DecodeElement((*plain)(e), &start)
	e.line = line
	return err
}

// properties are a model's own variables.
type properties map[string]string

// UnmarshalXML reads one property an element; a later one of the same name counts.
func (p *properties) UnmarshalXML(d *xml.Decoder, _ xml.StartElement) error {
	if *p == nil {
		*p = properties{}
	}
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			var value string
			if err := d.DecodeElement(&value, &t); err != nil {
				return err
			}
			(*p)[t.Name.Local] = strings.TrimSpace(value)
		case xml.EndElement:
			return nil
		}
	}
}

func readPom(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: Maven}
	m, err := decodePom(data)
	if err != nil {
		return f, err
	}
	known := m.variables()
	f.Name = known.name(m.Group, m.Artifact)
	if m.Parent != nil {
		f.Add("parent", m.Parent.dependency(known))
	}
	for _, needs := range append([]pomNeeds{m.pomNeeds}, m.Profiles...) {
		for _, e := range needs.Managed {
			f.Add("managed", e.dependency(known))
		}
		for _, e := range needs.Needed {
			f.Add(e.group(), e.dependency(known))
		}
	}
	return f, nil
}

// decodePom reads the one element of the file.
func decodePom(data []byte) (pom, error) {
	var m pom
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = latinReader
	err := d.Decode(&m)
	for err == nil {
		var token xml.Token
		token, err = d.Token()
		if start, more := token.(xml.StartElement); more {
			err = fmt.Errorf("<%s> behind the end of <project>", start.Name.Local)
		}
	}
	if errors.Is(err, io.EOF) && m.XMLName.Local != "" {
		return m, nil
	}
	line, _ := d.InputPos()
	return m, faultAt(line, "%v", err)
}

// latinReader reads the encoding that old models are written in, beside UTF-8.
func latinReader(charset string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "iso-8859-1", "windows-1252", "us-ascii":
	default:
		return nil, fmt.Errorf("encoding %q is not read", charset)
	}
	data, err := io.ReadAll(input)
	text := make([]rune, len(data))
	for i, b := range data {
		text[i] = rune(b)
	}
	return strings.NewReader(string(text)), err
}

// variables are what ${…} can stand for without another file.
func (m *pom) variables() properties {
	all := properties{}
	for _, needs := range append([]pomNeeds{m.pomNeeds}, m.Profiles...) {
		for name, value := range needs.Properties {
			if _, given := all[name]; !given {
				all[name] = value
			}
		}
	}
	if m.Parent != nil {
		all["project.parent.groupId"], all["project.parent.version"] = m.Parent.Group, m.Parent.Version
		m.Group, m.Version = cmp.Or(m.Group, m.Parent.Group), cmp.Or(m.Version, m.Parent.Version)
	}
	all["project.groupId"], all["project.artifactId"], all["project.version"] = m.Group, m.Artifact, m.Version
	return all
}

// expand replaces ${…} as far as the variables are known. One replacement can bring in others,
// so their number and the length of the text are limited.
func (p properties) expand(text string) string {
	const most, longest = 32, 1024
	text = strings.TrimSpace(text)
	expanded, from := text, 0
	for range most {
		open := strings.Index(expanded[from:], "${")
		if open < 0 {
			return expanded
		}
		open += from
		name, rest, closed := strings.Cut(expanded[open+2:], "}")
		if !closed {
			return expanded
		}
		value, known := p[name]
		if !known {
			from = open + 2
			continue
		}
		if expanded = expanded[:open] + value + rest; len(expanded) > longest {
			return text
		}
		from = open
	}
	return text
}

// name is empty if a part of it is.
func (p properties) name(group, artifact string) string {
	group, artifact = p.expand(group), p.expand(artifact)
	if group == "" || artifact == "" {
		return ""
	}
	return group + ":" + artifact
}

func (e pomEntry) dependency(known properties) code.Dependency {
	return code.Dependency{Name: known.name(e.Group, e.Artifact), Version: known.expand(e.Version), Line: e.line}
}

func (e pomEntry) group() string {
	scope := strings.TrimSpace(e.Scope)
	switch {
	case scope != "" && scope != "compile":
		return scope
	case strings.TrimSpace(e.Optional) == "true":
		return "optional"
	}
	return ""
}
