// Foreign is a program of another module that uses the packages that others can import.
package main

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"testing/fstest"

	"delegate/change"
	"delegate/checkpoint"
	"delegate/conflict"
	"delegate/registry"
	"delegate/scope"
	"delegate/worktree"
)

func main() {
	log.SetFlags(0)
	for _, show := range []func() error{scopes, blocks, changes, conflicts, sessions, worktrees} {
		if err := show(); err != nil {
			log.Fatal(err)
		}
	}
}

func scopes() error {
	api, err := scope.New(scope.Config{Allowed: []string{"api/**"}, Forbidden: []string{"api/generated/"}})
	if err != nil {
		return err
	}
	handlers, err := scope.New(scope.Config{Allowed: []string{"api/*_handler.go"}})
	if err != nil {
		return err
	}
	witness, meet := scope.Overlap(api, handlers)
	fmt.Println("scope:", meet, api.Check(witness).Allowed, api.Check("api/generated/x.go").Allowed)
	return nil
}

func blocks() error {
	block, err := checkpoint.Parse("═══\nAGENT CHECKPOINT: AGT-001\n═══\nStatus: COMPLETE\n\n" +
		"## Changes Made\n| File | Action | Description |\n|---|---|---|\n| limit/bucket.go | Modified | refill |\n\n" +
		"## Request\nMERGE\n═══\n")
	if err != nil {
		return err
	}
	fmt.Println("checkpoint:", block.Agent, block.Status, block.Request)
	return nil
}

func changes() error {
	file := change.File{Path: "a.txt", Kind: change.Modified, OldMode: change.ModeFile, NewMode: change.ModeFile}
	return change.Diff(os.Stdout, file, []byte("one\n"), []byte("two\n"), change.DiffOptions{})
}

// conflicts has one side change what the other begins to call.
func conflicts() error {
	tree := func(limit, caller string) fs.FS {
		all := fstest.MapFS{"go.mod": {Data: []byte("module m\n\ngo 1.26\n")}, "limit.go": {Data: []byte(limit)}}
		if caller != "" {
			all["caller.go"] = &fstest.MapFile{Data: []byte(caller)}
		}
		return all
	}
	const was, is = "package m\n\nfunc Limit(n int) int { return n }\n",
		"package m\n\nfunc Limit(n, burst int) int { return n + burst }\n"
	const caller = "package m\n\nfunc Call() int { return Limit(1) }\n"
	base := tree(was, "")
	found, err := conflict.Run(context.Background(), conflict.Request{
		Analyzers: conflict.Analyzers(),
		Pairs: []conflict.Pair{{
			A: change.Set{Name: "A", Base: "0", Head: "1", BaseFS: base, HeadFS: tree(is, ""),
				Files: []change.File{{Path: "limit.go", Kind: change.Modified, OldMode: change.ModeFile,
					NewMode: change.ModeFile, OldID: "a", NewID: "b"}}},
			B: change.Set{Name: "B", Base: "0", Head: "2", BaseFS: base, HeadFS: tree(was, caller),
				Files: []change.File{{Path: "caller.go", Kind: change.Added, NewMode: change.ModeFile, NewID: "c"}}},
			Merge: conflict.Merge{Clean: true, FS: tree(is, caller)},
		}},
	})
	if err != nil {
		return err
	}
	for _, f := range found[0] {
		fmt.Println("conflict:", f.Type, f.Blocking)
	}
	return nil
}

func sessions() error {
	doc, err := registry.Parse(registry.New())
	if err != nil {
		return err
	}
	fmt.Println("registry:", doc.State().Session == nil)
	return nil
}

func worktrees() error {
	folder, err := os.MkdirTemp("", "foreign")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if out, err := exec.Command("git", "init", "--quiet", folder).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, out)
	}
	repository, err := worktree.Open(context.Background(), folder)
	if err != nil {
		return err
	}
	all, err := repository.List(context.Background())
	if err != nil {
		return err
	}
	fmt.Println("worktree:", len(all))
	return nil
}
