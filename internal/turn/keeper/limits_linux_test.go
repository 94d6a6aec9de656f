package keeper_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/fence/resource"
	"delegate/internal/fence/sandbox"
	"delegate/internal/turn/keeper"
)

// TestLimitsOfATurn holds that a turn's processes are in a group of their own, that its end tells which limits they
// met, and that no group is left.
func TestLimitsOfATurn(t *testing.T) {
	limits := resource.Limits{Memory: 64 << 20, Processes: 60}
	group, held := resource.Make(limits)
	if group == nil {
		t.Skip("no control group can be made here: ", held.Fault)
	}
	groups := filepath.Dir(group.Dir().Name())
	group.Close()
	f, place := enclosure(t, sandbox.Open)
	f.Limits = limits
	l := prepare(t, "sh", "-c", "head -c 300m /dev/zero | tail -n 1 >/dev/null; echo on; i=0; "+
		"while [ $i -lt 60 ]; do sleep 600 >/dev/null 2>&1 & i=$((i+1)); done; echo all")
	spec, err := l.Spec()
	if err != nil {
		t.Fatal(err)
	}
	spec.Fence, spec.Dir = f, place.Worktree
	if l.Turn, err = keeper.Prepare(l.Dir, "the prompt\n", spec); err != nil {
		t.Fatal(err)
	}
	l.keep()
	exit := l.ended()
	if exit.Met.Killed == 0 || exit.Met.Refused == 0 || strings.Contains(l.output(), "all") {
		t.Errorf("met %+v, and printed %s", exit.Met, l.output())
	}
	record, err := l.Record()
	if err != nil || record.Resources == nil || !record.Resources.Whole() {
		t.Fatalf("its record says %+v, %v", record.Resources, err)
	}
	left, err := filepath.Glob(filepath.Join(groups, fmt.Sprintf("delegate-%d-*", record.Keeper.PID)))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
