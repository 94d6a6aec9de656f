package resource_test

import (
	"testing"

	"delegate/internal/fence/resource"
)

func TestHeldInWords(t *testing.T) {
	limits := resource.Limits{Memory: 12 << 30, Processes: 4096, CPUWeight: 50}
	for want, held := range map[string]resource.Held{
		"memory 12 GiB, 4096 processes, cpu weight 50 (cgroup)": {Limits: limits,
			Controllers: []string{"memory", "pids", "cpu"}},
		"memory 12 GiB, 4096 processes (cgroup); not held: cpu weight 50": {Limits: limits,
			Controllers: []string{"memory", "pids"}},
		"4096 processes (rlimit); not held: memory 12 GiB, cpu weight 50, since there is none": {Limits: limits,
			PerNamespace: true, Fault: "there is none"},
		"not held: 20 processes, since there is none": {Limits: resource.Limits{Processes: 20}, Fault: "there is none"},
		"no limit is set (sandbox.limits)":            {},
	} {
		if got := held.String(); got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
}

func TestDefaultsAreRoomForABuild(t *testing.T) {
	l := resource.Defaults()
	if l.Processes < 4096 || l.CPUWeight != 50 || l.Memory != 0 && l.Memory < 4<<30 {
		t.Errorf("defaults are %+v", l)
	}
	if resource.Size(l.Memory) == "" || resource.Size(3<<29) != "1.5 GiB" || resource.Size(512) != "512 B" {
		t.Errorf("sizes: %q, %q", resource.Size(3<<29), resource.Size(512))
	}
}
