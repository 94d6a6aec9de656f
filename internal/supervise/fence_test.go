package supervise

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/fence/resource"
	"delegate/internal/turn/keeper"
)

func TestLimitsThatWereMetAreReported(t *testing.T) {
	turn := keeper.Turn{Dir: t.TempDir()}
	if flags := metLimits(turn, resource.Met{Killed: 2}); flags != nil {
		t.Errorf("of a turn that nothing is known of: %v", flags)
	}
	held := resource.Held{Limits: resource.Limits{Memory: 8 << 30, Processes: 4096}}
	data, err := json.Marshal(keeper.Record{Resources: &held})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(turn.Dir, "keeper.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if flags := metLimits(turn, resource.Met{}); flags != nil {
		t.Errorf("nothing was met, and told is %v", flags)
	}
	want := "memory limit: the kernel killed 2 of its processes at 8 GiB (sandbox.limits.memory); " +
		"process limit: new processes were refused 3 times at 4096 (sandbox.limits.processes)"
	if flags := metLimits(turn, resource.Met{Killed: 2, Refused: 3}); flags.String() != want {
		t.Errorf("told\n%s\nwant\n%s", flags, want)
	}
}
