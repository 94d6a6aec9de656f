package setup

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/internal/land/suite"
	"delegate/internal/sys/run"
)

// pythonLimit is how long python may take to say whether it has a module.
const pythonLimit = 10 * time.Second

// Missing says of the programs of verify commands, as a person's shell would find them, which are not on this machine.
func (f Found) Missing(ctx context.Context, path string) (all []string) {
	for _, line := range suite.Lines(f.Verify) {
		words, known := suite.Words(line)
		if !known || strings.Contains(words[0], "/") {
			continue // what a tree brings itself
		}
		missing := ""
		program, err := run.Which(words[0], "/", path)
		switch {
		case err != nil:
			missing = words[0]
		case len(words) > 2 && words[1] == "-m" && !hasModule(ctx, program, words[2]):
			missing = words[2] + ", a module of " + words[0]
		}
		if missing != "" && !slices.Contains(all, missing) {
			all = append(all, missing)
		}
	}
	return all
}

// hasModule asks a python, away from every checkout and without what is a person's own, which tests do not see either.
func hasModule(ctx context.Context, python, module string) bool {
	ctx, cancel := context.WithTimeout(ctx, pythonLimit)
	defer cancel()
	const ask = "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec(sys.argv[1]) else 1)"
	err := run.Group(ctx, run.Command{Path: python, Args: []string{"-I", "-c", ask, module}, Dir: os.TempDir()})
	return run.ExitCode(err) != 1 // anything else says nothing of the module
}
