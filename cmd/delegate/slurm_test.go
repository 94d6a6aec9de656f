//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSlurm plays what a person does with turns that run on a real Slurm, of which these tests may kill what they like.
func TestSlurm(t *testing.T) {
	if os.Getenv(slurmVariable) == "" {
		t.Skip("there is no Slurm for tests; .ci/slurm installs and starts one, and says what to set")
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(scriptFolder, "slurm"), RequireUniqueNames: true, Condition: condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv(slurmVariable, os.Getenv(slurmVariable))
			env.Setenv("SLURM_CONF", filepath.Join(os.Getenv(slurmVariable), "slurm.conf"))
			return setUp(env)
		},
	})
}

// slurmVariable names the folder of a Slurm for tests: its configuration, and its daemons' process ids.
const slurmVariable = "DELEGATE_TEST_SLURM"
