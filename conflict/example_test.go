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

// Example_analyzer looks at a pair with an analyzer of its own beside those of the package: calls of
// a function whose body the other side changes.
func Example_analyzer() {
	base := files(map[string]string{"go.mod": "module m\n", "a/a.go": "package a\n\nfunc Limit() int { return 1 }\n"})
	ours := files(map[string]string{"go.mod": "module m\n", "a/a.go": "package a\n\nfunc Limit() int { return 2 }\n"})
	theirs := files(map[string]string{"go.mod": "module m\n", "a/a.go": string(base["a/a.go"].Data),
		"b/b.go": "package b\n\nimport \"m/a\"\n\nvar most = a.Limit()\n"})
	both := files(map[string]string{"go.mod": "module m\n", "a/a.go": string(ours["a/a.go"].Data),
		"b/b.go": string(theirs["b/b.go"].Data)})
	pair := conflict.Pair{
		A: change.Set{Name: "ours", BaseFS: base, HeadFS: ours, Files: []change.File{{Path: "a/a.go",
			Kind: change.Modified, OldMode: change.ModeFile, NewMode: change.ModeFile}}},
		B: change.Set{Name: "theirs", BaseFS: base, HeadFS: theirs, Files: []change.File{{Path: "b/b.go",
			Kind: change.Added, NewMode: change.ModeFile}}},
		Merge: conflict.Merge{Clean: true, FS: both},
	}
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
	found, err := conflict.Run(context.Background(), conflict.Request{Pairs: []conflict.Pair{pair},
		Analyzers: append(conflict.Analyzers(), behaviour)})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range found[0] {
		fmt.Println(f.Severity, f.Certainty, f.Message)
	}
	// Output: warning suspected ours changes Limit, which theirs calls in b/b.go.
}
