package manifest

func readCargo(data []byte) (File, error) {
	f := File{Ecosystem: Rust}
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
	return f, f.tables(tables)
}

func readCargoLock(data []byte) (File, error) {
	f := File{Ecosystem: Rust, Lock: true}
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
		f.addTo(group, Dependency{Name: p.value("name"), Version: p.value("version"), Line: p.line})
	}
	return f, err
}
