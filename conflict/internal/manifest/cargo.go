package manifest

import "delegate/conflict/code"

func readCargo(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: Rust}
	root, err := parseTOML(data)
	if err != nil {
		return f, err
	}
	f.Name = root.value("package", "name")
	targets, err := root.field("target").fields()
	if err != nil {
		return f, err
	}
	tables := []groupItem{{"workspace", root.field("workspace", "dependencies")}}
	for _, t := range append([]*item{root}, targets...) {
		tables = append(tables,
			groupItem{"", t.field("dependencies")},
			groupItem{"dev", t.field("dev-dependencies")}, groupItem{"dev", t.field("dev_dependencies")},
			groupItem{"build", t.field("build-dependencies")}, groupItem{"build", t.field("build_dependencies")})
	}
	return f, addTables(&f, tables)
}

func readCargoLock(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: Rust, Lock: true}
	root, err := parseTOML(data, "package", "name", "version", "source")
	if err != nil {
		return f, err
	}
	packages, err := root.field("package").elements()
	for _, p := range packages {
		group := ""
		if p.field("source") == nil {
			group = "local"
		}
		f.Add(group, code.Dependency{Name: p.value("name"), Version: p.value("version"), Line: p.line})
	}
	return f, err
}
