package source_test

import (
	"fmt"

	"delegate/conflict/source"
)

func ExampleParse() {
	f, ok := source.Parse("a.go", []byte("package a\n\nimport \"io\"\n\nfunc Copy(to io.Writer) {}\n"))
	fmt.Println(ok, f.Package, f.Imports[0].Module, f.Definitions[0].Key(), f.Definitions[0].Params)
	// Output: true a io Copy [{to io.Writer false false false false}]
}

func ExampleParseManifest() {
	m, err := source.ParseManifest("go.mod", []byte("module m\n\nrequire example.org/x v1.2.3\n"))
	fmt.Println(m.Ecosystem, m.Name, m.Dependencies[0].Name, m.Dependencies[0].Version, err)
	// Output: Go m example.org/x v1.2.3 <nil>
}
