package conflict

import (
	"context"
	"path"
	"strings"

	"delegate/conflict/internal/gocheck"
)

// GoOptions say where packages outside of the tree are: GOROOT and ModCache are folders, "" those of the machine's
// own Go, which Local fills in. Visit is called before each package is checked, with its folder in the tree.
// The zero value is right for the machine's own Go.
type GoOptions = gocheck.Options

// GoChecker is Go's own type checker, which starts no program. It keeps what it learnt, so use one
// for many trees. It is for one caller at a time, and an endless package keeps it busy for ever:
// trees of others belong to a process that can be ended.
func GoChecker(o GoOptions) Checker {
	checker := gocheck.New(o)
	within := func(ctx context.Context, tree, landing Tree, paths []string) (Report, bool, error) {
		var folders []string
		for _, p := range paths {
			if path.Ext(p) == ".go" {
				folders = append(folders, path.Dir(p))
			}
		}
		report, conclusive, err := checker.CheckWithin(ctx, tree.FS, landing.FS, folders)
		for i, name := range report.Unresolved {
			report.Unresolved[i] = "it cannot load the package " + name
			if host, _, _ := strings.Cut(name, "/"); strings.Contains(host, ".") {
				report.Unresolved[i] += " (is it downloaded? go mod download)"
			}
		}
		return report, conclusive, err
	}
	return Checker{
		Name: "Go's type checker", Quick: true, SeesCycles: true, Endings: []string{".go"}, Within: within,
		Check: func(ctx context.Context, tree Tree, paths []string) (Report, error) {
			report, _, err := within(ctx, tree, Tree{}, paths)
			return report, err
		},
	}
}
