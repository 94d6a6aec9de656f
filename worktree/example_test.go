package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"delegate/worktree"
)

// gitIn runs git in a folder, with a name of its own and no configuration of the person's.
func gitIn(dir string, args ...string) {
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Pat", "-c", "user.email=pat@example.org"},
		args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("git %v: %v: %s", args, err, out))
	}
}

// must ends the example where something does not go as it should.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A second worktree with a branch of its own, and what was changed on that branch.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "worktree-example-")
	must(err)
	defer os.RemoveAll(folder)
	main := filepath.Join(folder, "main")
	must(os.Mkdir(main, 0o755))
	gitIn(main, "init", "-q", "-b", "main")
	must(os.WriteFile(filepath.Join(main, "limit.txt"), []byte("4\n"), 0o600))
	gitIn(main, "add", ".")
	gitIn(main, "commit", "-q", "-m", "A limit")

	r, err := worktree.Open(ctx, main)
	must(err)
	defer r.Close()
	made, err := r.Create(ctx, filepath.Join(folder, "beside"), "topic", "main")
	must(err)
	must(os.WriteFile(filepath.Join(made.Path, "limit.txt"), []byte("8\n"), 0o600))
	gitIn(made.Path, "commit", "-q", "-a", "-m", "A higher limit")

	all, err := r.List(ctx)
	must(err)
	for _, w := range all {
		fmt.Println(w.Branch, filepath.Base(w.Path))
	}
	set, err := r.Changes(ctx, made.Commit, "topic")
	must(err)
	for _, f := range set.Files {
		after, err := fs.ReadFile(set.HeadFS, f.Path)
		must(err)
		fmt.Printf("%s: %q\n", f.Path, after)
	}
	_, err = r.Create(ctx, filepath.Join(folder, "again"), "topic", "main")
	var exists *worktree.ExistsError
	fmt.Println(errors.As(err, &exists), err)
	must(r.Remove(ctx, made.Path))
	fmt.Println(errors.Is(r.Remove(ctx, made.Path), worktree.ErrGone))
	// Output:
	// main main
	// topic beside
	// limit.txt: "8\n"
	// true branch "topic" exists already
	// true
}
