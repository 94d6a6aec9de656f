//go:build bench && linux

package record

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Sizes in the picture's units. Every span is stretched to its columns, so that they stand below
// each other whatever the font.
const (
	charWidth  = 8.4
	lineHeight = 18
	fontSize   = 14
	margin     = 14
	baseline   = 13.5
	pageWidth  = columns*charWidth + 2*margin
	pageHeight = rows*lineHeight + 2*margin
)

// drawing writes one SVG. Rows that look alike are drawn once.
type drawing struct {
	out   bytes.Buffer
	names map[string]string // of drawn rows by how they are drawn
}

// animate writes the whole film: all pictures lie below each other, and the window moves from one to the next. The
// fullest picture comes first and stays for a while, so that it is what a page shows that moves nothing: one that is
// printed, one whose reader asked for less motion. It needs no script and nothing from outside.
func animate(w io.Writer, f *film) error {
	const first = 3 * time.Second
	d := &drawing{names: map[string]string{}}
	var body, moves strings.Builder
	fmt.Fprintf(&body, "<g>%s</g>\n", d.picture(f.fullest()))
	last, length := 0, (first + f.length()).Seconds()
	for _, s := range f.shots {
		last += pageHeight
		fmt.Fprintf(&body, "<g transform=\"translate(0 %d)\">%s</g>\n", last, d.picture(s.picture))
		fmt.Fprintf(&moves, "%s%%{transform:translateY(%dpx)}", number(100*(first+s.at).Seconds()/length), -last)
	}
	d.head(f.title, fmt.Sprintf(`@keyframes film{0%%{transform:none}%s100%%{transform:translateY(%dpx)}}
.film{animation:film %ss step-end infinite}
@media print,(prefers-reduced-motion:reduce){.film{animation:none}}
`, moves.String(), -last, number(length)))
	fmt.Fprintf(&d.out, "<g class=\"film\">\n%s</g>\n", body.String())
	return d.end(w)
}

// fullest is the picture with the most rows, a screen of many colours before plain text, the latest of these.
func (f *film) fullest() (best picture) {
	most := -1
	for _, s := range f.shots {
		count := 0
		for _, spans := range s.picture.rows {
			if len(spans) > 0 {
				count += len(spans) + 4
			}
		}
		if count >= most {
			best, most = s.picture, count
		}
	}
	return best
}

// still writes one picture.
func still(w io.Writer, title string, p picture) error {
	d := &drawing{names: map[string]string{}}
	body := d.picture(p)
	d.head(title, "")
	fmt.Fprintf(&d.out, "%s\n", body)
	return d.end(w)
}

// number is a number in few digits.
func number(n float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(n, 'f', 3, 64), "0"), ".")
}

// head opens the picture. The drawn rows come before what uses them.
func (d *drawing) head(title, css string) {
	fmt.Fprintf(&d.out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %d" width="%s" role="img">
<title>%s</title>
<style>
text{font:%dpx ui-monospace,SFMono-Regular,"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;fill:%s;white-space:pre}
.b{font-weight:bold}.i{font-style:italic}.u{text-decoration:underline}
%s</style>
<defs>
<rect id="k" width="%s" height="%d" fill="%s" opacity=".6"/>
`, number(pageWidth), pageHeight, number(pageWidth), escape(title), fontSize, ink, css, number(charWidth), lineHeight,
		ink)
	drawn := make([]string, len(d.names))
	for row, name := range d.names {
		n, err := strconv.ParseInt(name[1:], 36, 0)
		if err != nil {
			panic("record: a row's name is r and a number: " + err.Error())
		}
		drawn[n] = fmt.Sprintf("<g id=\"%s\">%s</g>\n", name, row)
	}
	d.out.WriteString(strings.Join(drawn, ""))
	fmt.Fprintf(&d.out, `</defs>
<rect x=".5" y=".5" width="%s" height="%d" rx="8" fill="%s" stroke="%s"/>
<svg x="%d" y="%d" width="%s" height="%d" viewBox="0 0 %s %d">
`, number(pageWidth-1), pageHeight-1, ground, border, margin, margin, number(columns*charWidth), rows*lineHeight,
		number(columns*charWidth), rows*lineHeight)
}

func (d *drawing) end(w io.Writer) error {
	d.out.WriteString("</svg>\n</svg>\n")
	_, err := w.Write(d.out.Bytes())
	return err
}

// picture draws the rows and the cursor of one picture.
func (d *drawing) picture(p picture) string {
	var b strings.Builder
	for y, spans := range p.rows {
		if len(spans) > 0 {
			fmt.Fprintf(&b, `<use href="#%s" y="%d"/>`, d.row(spans), y*lineHeight)
		}
	}
	if p.row >= 0 {
		fmt.Fprintf(&b, `<use href="#k" x="%s" y="%d"/>`, number(float64(p.column)*charWidth), p.row*lineHeight)
	}
	return b.String()
}

// row names a drawn row.
func (d *drawing) row(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		x, width := number(float64(s.column)*charWidth), number(float64(s.width())*charWidth)
		if s.style.bg != "" {
			fmt.Fprintf(&b, `<rect x="%s" width="%s" height="%d" fill="%s"/>`, x, width, lineHeight, s.style.bg)
		}
		fmt.Fprintf(&b, `<text x="%s" y="%s" textLength="%s"%s>%s</text>`, x, number(baseline), width, look(s.style),
			escape(s.text))
	}
	name, found := d.names[b.String()]
	if !found {
		name = "r" + strconv.FormatInt(int64(len(d.names)), 36)
		d.names[b.String()] = name
	}
	return name
}

// look are the attributes of a style.
func look(s style) string {
	classes := ""
	for _, c := range []struct {
		on   bool
		name string
	}{{s.bold, "b"}, {s.italic, "i"}, {s.underline, "u"}} {
		if c.on {
			classes += " " + c.name
		}
	}
	attributes := ""
	if classes != "" {
		attributes = fmt.Sprintf(` class="%s"`, classes[1:])
	}
	if s.fg != "" {
		attributes += fmt.Sprintf(` style="fill:%s"`, s.fg)
	}
	return attributes
}

func escape(text string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic("record: a buffer takes everything: " + err.Error())
	}
	return b.String()
}
