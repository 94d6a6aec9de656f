package conflict_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"delegate/change"
	"delegate/conflict"
)

// files is a tree of files by their names.
func files(all map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range all {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// exampleOf is a pair in which ours changes the function a.Limit, and theirs adds a package that calls it.
func exampleOf(changed string) conflict.Pair {
	const old, caller = "package a\n\nfunc Limit() int { return 1 }\n",
		"package b\n\nimport \"m/a\"\n\nvar most = a.Limit()\n"
	base := files(map[string]string{"go.mod": "module m\n", "a/a.go": old})
	ours := files(map[string]string{"go.mod": "module m\n", "a/a.go": changed})
	theirs := files(map[string]string{"go.mod": "module m\n", "a/a.go": old, "b/b.go": caller})
	both := files(map[string]string{"go.mod": "module m\n", "a/a.go": changed, "b/b.go": caller})
	return conflict.Pair{
		A: change.Set{Name: "ours", BaseFS: base, HeadFS: ours, Files: []change.File{{Path: "a/a.go",
			Kind: change.Modified, OldMode: change.ModeFile, NewMode: change.ModeFile}}},
		B: change.Set{Name: "theirs", BaseFS: base, HeadFS: theirs, Files: []change.File{{Path: "b/b.go",
			Kind: change.Added, NewMode: change.ModeFile}}},
		Merge: conflict.Merge{Clean: true, FS: both},
	}
}

// One side removes a function and the other calls it. Git merges that, and the result does not compile.
func ExampleRun() {
	found, err := conflict.Run(context.Background(), conflict.Request{
		Pairs:     []conflict.Pair{exampleOf("package a\n")},
		Analyzers: conflict.Analyzers(),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range found[0] {
		fmt.Println(f.Severity, f.Certainty, f.Message)
	}
	// Output: warning suspected ours removes the function Limit, and new code of theirs calls it.
}

// An analyzer of the caller's own: it finds calls of a function whose body the other side changes.
func Example_analyzer() {
	behaviour := conflict.Analyzer{Name: "behaviour", Run: func(p conflict.Pair) ([]conflict.Finding, error) {
		return p.EachDirection(func(d *conflict.Direction) (found []conflict.Finding, err error) {
			for e := range d.Edits() {
				if uses := d.Uses(e); e.Kind == conflict.BodyChanged && len(uses) > 0 {
					found = append(found, d.Suspicion(conflict.APIConflict, e, uses, fmt.Sprintf(
						"%s changes %s, which %s calls in %s.", d.By().Name, e.Old.Key(), d.User().Name,
						uses[0].Path())))
				}
			}
			return found, nil
		})
	}}
	found, err := conflict.Run(context.Background(), conflict.Request{
		Pairs:     []conflict.Pair{exampleOf("package a\n\nfunc Limit() int { return 2 }\n")},
		Analyzers: append(conflict.Analyzers(), behaviour),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range found[0] {
		fmt.Println(f.Severity, f.Certainty, f.Message)
	}
	// Output: warning suspected ours changes Limit, which theirs calls in b/b.go.
}
