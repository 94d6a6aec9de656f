//go:build ignore

// Module gives the module an address, in go.mod and wherever one of its packages is named:
//
//	go run .ci/module.go example.org/team/delegate
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run .ci/module.go example.org/team/delegate")
	}
	if err := rename(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// rename changes the module's path in every file below the working directory, which is its root.
func rename(to string) error {
	if err := module.CheckPath(to); err != nil {
		return err
	}
	data, err := os.ReadFile("go.mod")
	if err != nil {
		return fmt.Errorf("read the module file: %w", err)
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return err
	}
	named, err := packages(file.Module.Mod.Path)
	if err != nil {
		return err
	}
	if err := file.AddModuleStmt(to); err != nil {
		return err
	}
	if data, err = file.Format(); err != nil {
		return err
	}
	err = eachFile(func(path string, mode fs.FileMode) error { return rewrite(path, mode, named, to) })
	if err != nil {
		return err
	}
	return os.WriteFile("go.mod", data, 0o644) // last, so that a second call goes on where one was cut short
}

// packages matches the path of a package of the module, wherever it stands: in an import, a command or a symbol.
func packages(of string) (*regexp.Regexp, error) {
	var folders []string
	err := eachFile(func(path string, _ fs.FileMode) error {
		if top, _, below := strings.Cut(filepath.ToSlash(path), "/"); below && filepath.Ext(path) == ".go" {
			folders = append(folders, regexp.QuoteMeta(top))
		}
		return nil
	})
	slices.Sort(folders)
	// What stands before it tells it from a path on the disk and from a branch.
	return regexp.MustCompile("(^|\\\\n|[\\s\"'`(=])" + regexp.QuoteMeta(of) + "/(" +
		strings.Join(slices.Compact(folders), "|") + `)\b`), err
}

func rewrite(path string, mode fs.FileMode, named *regexp.Regexp, to string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	next := named.ReplaceAll(data, []byte("${1}"+to+"/${2}"))
	if bytes.Equal(next, data) {
		return nil
	}
	if filepath.Ext(path) == ".go" { // the order of imports
		if next, err = format.Source(next); err != nil {
			return fmt.Errorf("format %q: %w", path, err)
		}
	}
	return os.WriteFile(path, next, mode)
}

// eachFile calls fn for the files of the working directory, without those of git and of other programs.
func eachFile(fn func(path string, mode fs.FileMode) error) error {
	return filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", ".agents", "node_modules"}, d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return fn(path, info.Mode().Perm())
	})
}
