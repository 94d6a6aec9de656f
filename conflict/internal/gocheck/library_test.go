package gocheck

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestBodiesOfTheLibraryAreNotFollowed holds that what only bodies of functions of the standard library name is not
// checked, and that types are told by their paths all the same where such a package has the name of another.
func TestBodiesOfTheLibraryAreNotFollowed(t *testing.T) {
	c := New(Options{ModCache: t.TempDir()})
	const text = "package a\n\nimport (\n\t\"math/rand\"\n\t\"mime/multipart\"\n)\n\n" +
		"var W *multipart.Writer\n\nvar S string = rand.New(nil)\n"
	tree := fstest.MapFS{"go.mod": {Data: []byte("module m\n\ngo 1.21\n")}, "a/a.go": {Data: []byte(text)}}
	r, err := c.Check(t.Context(), tree, []string{"a"})
	if err != nil || len(r.Unresolved) > 0 || len(r.Problems) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	random := c.library.nodes["crypto/rand"] // which makes boundaries of parts
	if random == nil || c.shapes[random.key] != nil || c.shapes[c.library.nodes["mime/multipart"].key] == nil {
		t.Error("a package is checked that only bodies name, or another is not")
	}
	if len(c.nameOnly(random).Imports()) == 0 {
		t.Error("what is below a package that is not checked has no names")
	}
	if got := r.Problems[0].Message; !strings.Contains(got, `*"math/rand".Rand`) {
		t.Errorf("it says %q, and there is crypto/rand as well", got)
	}
}
