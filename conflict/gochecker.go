package conflict

import (
	"context"
	"path"

	"delegate/conflict/internal/gocheck"
)

// GoOptions say where packages outside of the tree are. The zero value is right for the machine's own Go.
type GoOptions struct {
	// GOROOT is the folder of the Go installation. "" is the one of the environment: $GOROOT, the
	// Go that built this program, the go in $PATH. Without any, the standard library counts as
	// unresolved.
	GOROOT string
	// ModCache is the folder of downloaded modules. "" is the one that the go command uses here.
	ModCache string
	// Visit is called before each package is checked, with its folder in the tree, "" for one
	// outside of it; nil for nothing.
	Visit func(folder string)
}

// Local are the options with the folders of this machine's own Go in place of "", as far as it has them.
func (o GoOptions) Local() GoOptions { return GoOptions(gocheck.Options(o).Local()) }

// GoChecker is Go's own type checker, which starts no program. It keeps what it learnt, so use one
// for many trees. It is for one caller at a time, and an endless package keeps it busy for ever:
// trees of others belong to a process that can be ended.
func GoChecker(o GoOptions) Checker {
	checker := gocheck.New(gocheck.Options(o))
	return Checker{
		Name: "Go's type checker", Quick: true, Endings: []string{".go"},
		Check: func(ctx context.Context, tree Tree, paths []string) (Report, error) {
			var folders []string
			for _, p := range paths {
				if path.Ext(p) == ".go" {
					folders = append(folders, path.Dir(p))
				}
			}
			found, err := checker.Check(ctx, tree.FS, folders)
			if err != nil {
				return Report{}, err
			}
			r := Report{Unresolved: found.Unresolved}
			for _, p := range found.Problems {
				r.Problems = append(r.Problems, Problem(p))
			}
			return r, nil
		},
	}
}
