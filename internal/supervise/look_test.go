//go:build linux

package supervise

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/long"
	"delegate/registry"
)

// TestLookSeesNothingHidden holds that git, which reads an agent's files while the agent works on
// them, cannot be led to what is hidden from the agent. A filter of the person's that reads it
// stands for a link that is there for a moment only.
func TestLookSeesNothingHidden(t *testing.T) {
	t.Parallel()
	if s := sandbox.Detect(t.Context()); !s.Namespaces {
		t.Skip("no namespaces here: ", s.Fault)
	}
	secret := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(secret, []byte("the key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDelegation(t, "echo own > a.txt; sleep 300", fmt.Sprintf("sandbox: {hidden: [%q]}\n", secret))
	git := d.git
	git("config", "filter.x.clean", "cat "+secret)
	info := filepath.Join(d.Main, ".git", "info")
	if err := os.MkdirAll(info, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(info, "attributes"), []byte("*.txt filter=x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	a := d.agent("AGT-001")
	d.until("its file", func() bool { _, err := os.Stat(filepath.Join(a.Worktree, "a.txt")); return err == nil })
	state := d.state()
	target, err := d.Target(t.Context(), *state.Session)
	if err != nil {
		t.Fatal(err)
	}
	work, err := d.Preview(t.Context(), state.Session.ID, a, target)
	if err != nil {
		t.Fatal(err)
	}
	if text := git("show", work.Head+":a.txt"); strings.Contains(text, "key") {
		t.Errorf("the look read %q", text)
	}
	d.abortSession()
}

// TestSetupHasTheNetworkOfVerify holds that setup commands, which run what earlier agents wrote,
// reach no more than verify commands.
func TestSetupHasTheNetworkOfVerify(t *testing.T) {
	long.Only(t)
	t.Parallel()
	if s := sandbox.Detect(t.Context()); !s.Namespaces {
		t.Skip("no namespaces here: ", s.Fault)
	}
	outside, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	for keys, own := range map[string]bool{"network: none": true, "network: none, verify_network: open": false} {
		t.Run(keys, func(t *testing.T) {
			d := newDelegation(t, "exit 0", "setup: readlink /proc/self/ns/net >set-up\nsandbox: {"+keys+"}\n")
			d.begin(1)
			file, inside := filepath.Join(d.WorkPath(d.agent("AGT-001").Name, 1), "set-up"), ""
			d.until("setup", func() bool {
				data, err := os.ReadFile(file)
				inside = strings.TrimSpace(string(data))
				return err == nil && inside != ""
			})
			if (inside != outside) != own {
				t.Errorf("setup has the network %q, outside is %q", inside, outside)
			}
		})
	}
}
