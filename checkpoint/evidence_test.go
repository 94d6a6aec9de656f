package checkpoint

import (
	"reflect"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	done := func(changes ...Change) Block { return Block{Status: Complete, Changes: changes} }
	files := func(pairs ...string) Evidence {
		e := Evidence{Files: map[string]Action{}, TestsSeen: true}
		for i := 0; i < len(pairs); i += 2 {
			e.Files[pairs[i]] = Action(pairs[i+1])
		}
		return e
	}
	for name, c := range map[string]struct {
		b    Block
		e    Evidence
		want []string
	}{
		"agree": {done(Change{"a", Created, ""}, Change{"b/c", Deleted, ""}),
			files("a", "created", "b/c", "deleted"), nil},
		"listed": {done(Change{"b", Created, ""}, Change{"a", Modified, ""}), files("a", "modified"),
			[]string{`"b" is listed as created, and git shows no change`}},
		"changed": {done(Change{"b", Created, ""}), files("b", "created", "z", "deleted", "a", "created"),
			[]string{`"a" was created and is not listed`, `"z" was deleted and is not listed`}},
		"action": {done(Change{"a", Created, ""}), files("a", "modified"),
			[]string{`"a" is listed as created, and git shows it as modified`}},
		"created, then more": {done(Change{"a", Created, ""}, Change{"a", Modified, ""}), files("a", "created"), nil},
		"decorated": {done(Change{"./a", Created, ""}, Change{"`b` (new)", Created, ""}, Change{"c:12-20", Created, ""},
			Change{"[d/e](d/e)", Created, ""}, Change{`x\y.go`, Created, ""}, Change{"**f**", Created, ""}),
			files("a", "created", "b", "created", "c", "created", "d/e", "created", "x/y.go", "created", "f",
				"created"), nil},
		"odd real names": {done(Change{"app/[id]/a (new)", Created, ""}, Change{"`q`", Created, ""}),
			files("app/[id]/a (new)", "created", "`q`", "created"), nil},
		"absolute": {done(Change{"/home/x/repo/src/a", Modified, ""}),
			files("a", "modified", "src/a", "modified"), []string{`"a" was modified and is not listed`}},
		"folder": {done(Change{"src/", Created, ""}), files("src/a", "created", "srcb", "created"),
			[]string{`"srcb" was created and is not listed`}},
		"empty folder": {done(Change{"docs/", Created, ""}), files("a", "created"),
			[]string{`"a" was created and is not listed`, `"docs" is listed as created, and git shows no change`}},
		"glob": {done(Change{"src/**/*_test.go", Created, ""}),
			files("src/a_test.go", "created", "src/x/y/b_test.go", "created", "src/b.go", "created"),
			[]string{`"src/b.go" was created and is not listed`}},
		"broken glob": {done(Change{"src/[", Created, ""}), files("src/a", "created"),
			[]string{`"src/["`, `"src/a"`}},
		"an empty table": {Block{Status: Blocked, Changes: []Change{}}, files("a", "created"),
			[]string{`"a" was created and is not listed`}},
		"no table":           {Block{Status: Complete}, files("a", "created"), nil},
		"no changes":         {done(), files(), []string{"the agent says COMPLETE, and git shows no changes"}},
		"no changes, not so": {Block{Status: Complete, Request: Continue}, files(), nil},
		"tests not seen": {Block{Status: Blocked, Tests: Tests{Executed: true, Result: Pass}}, Evidence{},
			[]string{"tests are claimed (PASS)"}},
		"result alone": {Block{Status: Blocked, Tests: Tests{Result: Fail}}, Evidence{},
			[]string{"tests are claimed (FAIL)"}},
		"tests skipped": {Block{Status: Blocked, Tests: Tests{Result: Skipped}}, Evidence{}, nil},
		"order": {Block{Status: Complete, Tests: Tests{Executed: true},
			Changes: []Change{{"z", Created, ""}, {"b", Created, ""}}}, Evidence{},
			[]string{`"b"`, `"z"`, "tests are claimed (executed)", "the agent says COMPLETE"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Differing(Compare(c.b.Claim(), c.e))
			ok := len(got) == len(c.want)
			for i := range got {
				ok = ok && strings.HasPrefix(got[i].String(), c.want[i])
			}
			if !ok {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if again := Differing(Compare(c.b.Claim(), c.e)); !reflect.DeepEqual(got, again) {
				t.Errorf("another order: %v", again)
			}
		})
	}
}

func TestCompareFile(t *testing.T) {
	seen := Evidence{Files: map[string]Action{"a": Created, "b": Deleted}}
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"whatever the action":    {`{"status": "completed", "files_modified": ["a", "./b"]}`, nil},
		"no list claims nothing": {`{"status": "completed"}`, nil},
		"an empty list claims": {`{"status": "failed", "files_modified": []}`,
			[]string{`"a" was created and is not listed`, `"b" was deleted and is not listed`}},
		"a file that is not": {`{"status": "completed", "files_modified": ["a", "b", "c"]}`,
			[]string{`"c" is listed as changed, and git shows no change`}},
		"tests that nobody saw": {`{"status": "completed", "files_modified": ["a", "b"], "tests_run": ["go test"]}`,
			[]string{"tests are claimed (executed)"}},
		"done, and nothing there": {`{"status": "completed", "files_modified": ["x"]}`,
			[]string{`"x" is listed`, "the agent says completed"}},
	} {
		file, err := ParseCompletion([]byte(c.file))
		if err != nil {
			t.Fatal(err)
		}
		e := seen
		if strings.Contains(name, "nothing there") {
			e = Evidence{}
		}
		got := Differing(Compare(file.Claim(), e))
		ok := len(got) == len(c.want)
		for i := range got {
			ok = ok && i < len(c.want) && strings.HasPrefix(got[i].String(), c.want[i])
		}
		if !ok {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestHostileGlobIsCheap(t *testing.T) {
	name := strings.Repeat("a/", 200) + "b"
	pattern := strings.Repeat("**/", 200) + "c"
	if globMatch(strings.Split(pattern, "/"), strings.Split(name, "/")) {
		t.Error("matched")
	}
}

func TestParseCompletion(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want Completion
		err  string
	}{
		"full":         {`{"status":"completed","summary":"s","files_modified":["a","b"],"tests_run":["go test"],"caveats":"c","extra":{"x":1}}`, Completion{Completed, "s", []string{"a", "b"}, []string{"go test"}, "c"}, ""},
		"list caveats": {`{"status":"failed","caveats":["a","b"]}`, Completion{Status: Failed, Caveats: "a; b"}, ""},
		"nulls": {`{"status":"failed","summary":null,"files_modified":null,"caveats":null}`,
			Completion{Status: Failed}, ""},
		"mark, case":    {"\ufeff{\"status\":\"Completed\"}\n", Completion{Status: Completed}, ""},
		"no status":     {`{"summary":"s"}`, Completion{}, `field "status" is missing`},
		"null status":   {`{"status":null}`, Completion{}, `field "status" is missing`},
		"wrong status":  {`{"status":"done"}`, Completion{}, `field "status" is "done"`},
		"number status": {`{"status":1}`, Completion{}, `field "status" is 1, want a string`},
		"files string": {`{"status":"failed","files_modified":"a"}`, Completion{},
			`field "files_modified" is "a", want a list of strings`},
		"caveat number": {`{"status":"failed","caveats":[1]}`, Completion{},
			`field "caveats" is [1], want a string or a list of strings`},
		"two objects": {`{"status":"failed"}{}`, Completion{}, "text after the object"},
		"no object":   {`["completed"]`, Completion{}, "read the object"},
		"empty":       {``, Completion{}, "read the object"},
		"null":        {`null`, Completion{}, `field "status" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseCompletion([]byte(c.data))
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if (err == nil) != (c.err == "") || (err != nil && !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error is %v, want %q", err, c.err)
			}
		})
	}
}

// TestCompareTurns holds that a claim of a later turn may speak of that turn or of the whole work, and of nothing else.
func TestCompareTurns(t *testing.T) {
	e := Evidence{TestsSeen: true, ClaimedBefore: map[string]bool{"a": true, "old": true, "kept": true},
		Files: map[string]Action{"a": Created, "old": Modified, "b": Created, "kept": Created, "hidden": Created},
		Turn:  map[string]Action{"a": Modified, "b": Created, "gone": Deleted}}
	rest := []Change{{"b", Created, ""}, {"hidden", Created, ""}}
	for name, c := range map[string]struct {
		changes []Change
		want    string
	}{
		"this turn":      {append(rest, Change{"a", Modified, ""}, Change{"gone", Deleted, ""}), ""},
		"the whole work": {append(rest, Change{"a", Created, ""}, Change{"old", Modified, ""}), ""},
		"not what was done": {append(rest, Change{"a", Deleted, ""}),
			`"a" is listed as deleted, and git shows it as created`},
		"made now, not modified": {append(rest[1:], Change{"a", Modified, ""}, Change{"b", Modified, ""}),
			`"b" is listed as modified`},
		"changed and left out": {rest, `"a" was created and is not listed`},
		"never listed": {append(rest[:1:1], Change{"a", Modified, ""}),
			`"hidden" was created and is not listed`},
		"neither now nor before": {append(rest, Change{"a", Modified, ""}, Change{"x", Deleted, ""}),
			`"x" is listed as deleted, and git shows no change`},
	} {
		got := Differing(Compare(Block{Status: Complete, Changes: c.changes}.Claim(), e))
		if len(got) > 1 || len(got) == 1 && !strings.HasPrefix(got[0].String(), c.want) ||
			(len(got) == 0) != (c.want == "") {
			t.Errorf("%s: %v, want %q", name, got, c.want)
		}
	}
}
