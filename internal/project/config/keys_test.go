package config

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestKeysAreTheOnesThatAreRead holds the table against the readers in fields.go, and its examples to what they accept.
func TestKeysAreTheOnesThatAreRead(t *testing.T) {
	source, err := os.ReadFile("fields.go")
	if err != nil {
		t.Fatal(err)
	}
	var read, listed []string
	section := ""
	for _, m := range regexp.MustCompile(`(field)?\{"([a-z_]+)", (section)?`).FindAllStringSubmatch(
		strings.Split(string(source), "func (r *reader) verify(")[0], -1) {
		switch {
		case m[1] != "" && m[3] != "": // a section in another, at its end
			section += m[2] + "."
		case m[3] != "":
			section = m[2] + "."
		case m[1] != "":
			read = append(read, section+m[2])
		default:
			read = append(read, m[2])
		}
	}
	for _, k := range Keys() {
		listed = append(listed, k.Name)
		if k.Group == "" || k.Type == "" || k.Default == "" || k.Meaning == "" {
			t.Errorf("%+v says too little", k)
		}
		first, _, _ := strings.Cut(k.Name, ".")
		if _, err := Parse("example", []byte(k.Example)); err != nil || !strings.HasPrefix(k.Example, first+": ") {
			t.Errorf("the example of %s: %q, %v", k.Name, k.Example, err)
		}
	}
	slices.Sort(read)
	slices.Sort(listed)
	if !slices.Equal(read, listed) {
		t.Errorf("keys.md tells of\n%q\nand fields.go reads\n%q", listed, read)
	}
}
