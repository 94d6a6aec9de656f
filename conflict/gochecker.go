package conflict

import (
	"context"
	"path"
	"strings"

	"delegate/conflict/internal/gocheck"
)

// GoOptions says where GoChecker finds packages outside of the tree. The zero value uses the Go installation of the
// machine. GOROOT and ModCache are folders; if they are empty, GOROOT and the module cache of the machine are used, as
// the method Local fills them in. Visit, if it is not nil, is called before each package is checked, with its folder in
// the tree.
type GoOptions = gocheck.Options

// GoChecker returns a Checker that runs go/types in this process, without the go command. It caches packages, so use
// one for many trees. It must not be used by several goroutines at once. Malicious source can keep it busy without an
// end: for trees from others, run it in a process that can be killed.
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
