//go:build cgo

package syntax

// csharpLocal lists a local variable of a type, which may be left to its value.
func csharpLocal(r *reader, typ node, s site) {
	if !r.is(s.name, "identifier") || r.text(s.name) == "_" {
		return
	}
	text := r.written(typ)
	if r.is(typ, "implicit_type") {
		text = ""
	}
	r.local(text, s, blockLevel, functionLevel)
}

func csharpLambda(r *reader, n node) {
	r.open(n, functionLevel, r.at().key)
	if list := r.field(n, "parameters"); r.is(list, "parameter_list") {
		r.localParams(csharpParams(r, list))
	} else if list != 0 {
		r.local("", site{name: list}, functionLevel)
	}
}

// csharpQuery begins a query. A name after `into` stands for what comes out of its first part.
func csharpQuery(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	for c := range r.parts(n) {
		if r.is(c, "identifier") {
			csharpLocal(r, 0, site{name: c})
		}
	}
}

// csharpRange reads the name that a clause of a query gives to what it goes through.
func csharpRange(r *reader, n node) {
	name := r.field(n, "name")
	for c := range r.parts(n) {
		if name == 0 && r.is(c, "identifier") {
			name = c
		}
	}
	csharpLocal(r, r.field(n, "type"), site{name: name})
}

// csharpDesignation reads a type and a name: in a pattern, as an argument, or of what is caught.
func csharpDesignation(r *reader, n node) {
	typ, name := r.field(n, "type"), r.field(n, "name")
	if r.is(n, "declaration_pattern", "recursive_pattern") {
		r.useName(typ, Match)
	}
	csharpLocal(r, typ, site{name: name})
}

func csharpTuple(r *reader, n node) {
	for name := range r.inField(n, "name") {
		csharpLocal(r, 0, site{name: name})
	}
}

// csharpSubpattern reads the name of a property in a pattern as a member of the type that the pattern names.
func csharpSubpattern(r *reader, n node) {
	key := r.first(n)
	if !r.has(n, ":") || !r.is(key, "identifier") {
		return
	}
	typ := r.field(r.parent(r.parent(n)), "type")
	if typ == 0 {
		r.skip(key)
		return
	}
	r.mark(key).typ = csharpBare(r.written(typ))
	r.mark(key).use = Read
}

func csharpForEach(r *reader, n node) {
	r.open(n, blockLevel, r.at().key)
	csharpLocal(r, r.field(n, "type"), site{name: r.field(n, "left")})
}
