package project_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/registry"
)

const ported = "DEL-20260102-150405"

// harbour is a project whose claims go to a table of the test's own.
func harbour(t *testing.T, state string, ports config.Ports) *project.Project {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", state)
	b := newBox(t, map[string]string{"a": "a\n"})
	p, err := project.Open(context.Background(), b.Dir, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.Config.Ports = ports
	return p
}

func portsOf(t *testing.T, p *project.Project, session, id string) project.Ports {
	t.Helper()
	found, err := p.Ports(context.Background(), session, registry.Agent{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestPortsAreNobodyElses takes every range there is, in turns for two repositories and two sessions of one of them.
func TestPortsAreNobodyElses(t *testing.T) {
	state := t.TempDir()
	few := config.Ports{First: 27000, Each: 640} // nine ranges below 32768
	one, two := harbour(t, state, few), harbour(t, state, few)
	owner := map[int]string{}
	for i := range 4 {
		for name, p := range map[string]*project.Project{"one": one, "two": two} {
			id := fmt.Sprintf("AGT-%03d", i+1)
			got := portsOf(t, p, ported, id)
			if got.Count != 640 || got.First < 27000 || got.First+640 > 32768 || (got.First-27000)%640 != 0 {
				t.Errorf("%s %s has %+v", name, id, got)
			}
			if other, taken := owner[got.First]; taken {
				t.Errorf("%s %s has the ports of %s", name, id, other)
			}
			owner[got.First] = name + " " + id
			if again := portsOf(t, p, ported, id); again != got || p.KeptPorts(ported, id) != got {
				t.Errorf("%s %s had %+v, and then %+v", name, id, got, again)
			}
		}
	}
	// A later session of a repository has all its ranges to itself again; those of the other stay.
	for i := range 5 {
		if got := portsOf(t, one, "DEL-20260103-000000",
			fmt.Sprintf("AGT-%03d", i+1)); strings.HasPrefix(owner[got.First], "two") {
			t.Errorf("a new session was given the ports of %s", owner[got.First])
		}
	}
	// With all ranges claimed the oldest claim gives way, and nobody is left without ports.
	if got := portsOf(t, two, ported, "AGT-009"); got.Count != 640 {
		t.Errorf("the agent after the last range has %+v", got)
	}
}

func TestPortsOfWhatIsGoneAreFree(t *testing.T) {
	state := t.TempDir()
	only := config.Ports{First: 32000, Each: 700} // one range
	gone := harbour(t, state, only)
	first := portsOf(t, gone, ported, "AGT-001")
	if err := os.RemoveAll(gone.Private); err != nil {
		t.Fatal(err)
	}
	if got := portsOf(t, harbour(t, state, only), ported, "AGT-001"); got != first {
		t.Errorf("the only range is %+v, and %+v was given", first, got)
	}
	if data, _ := os.ReadFile(filepath.Join(state, "delegate", "ports.json")); strings.Count(string(data),
		"owner") != 1 {
		t.Errorf("the table is\n%s", data)
	}
}

func TestPortsThatSomebodyListensOn(t *testing.T) {
	for _, address := range []string{"127.0.0.1:31100", "0.0.0.0:31100", "[::1]:31100", "[::]:31100"} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("cannot listen on %s here: %v", address, err)
			continue
		}
		p := harbour(t, t.TempDir(), config.Ports{First: 31000, Each: 800}) // two ranges
		for _, id := range []string{"AGT-001", "AGT-002"} {
			if got := portsOf(t, p, ported, id); got.First != 31800 {
				t.Errorf("with a server on %s, %s has %+v", address, id, got)
			}
		}
		p = harbour(t, t.TempDir(), config.Ports{First: 31000, Each: 1000}) // one
		if got, err := p.Ports(context.Background(), ported, registry.Agent{ID: "AGT-001"}); err == nil ||
			!strings.Contains(err.Error(), "ports.first") {
			t.Errorf("with a server in the only range: %+v, %v", got, err)
		}
		_ = listener.Close()
	}
}

func TestNoPorts(t *testing.T) {
	state := t.TempDir()
	p := harbour(t, state, config.Ports{First: 20000})
	if got := portsOf(t, p, ported, "AGT-001"); got != (project.Ports{}) {
		t.Errorf("each: 0 gives %+v", got)
	}
	if _, err := os.Stat(filepath.Join(state, "delegate")); err == nil {
		t.Error("each: 0 writes a table")
	}
}

func TestUniqueName(t *testing.T) {
	p := harbour(t, t.TempDir(), config.Ports{})
	for main, want := range map[string]string{
		"/home/ada/My App_2":                   "my-app-2-del-20260102-150405-agt-007",
		"/home/ada/.数":                         "repository-del-20260102-150405-agt-007",
		"/home/ada/" + strings.Repeat("x", 99): strings.Repeat("x", 35) + "-del-20260102-150405-agt-007",
	} {
		p.Main = main
		got := p.UniqueName(ported, "AGT-007")
		if got != want || len(got) > 63 || !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*[a-z0-9]$`).MatchString(got) {
			t.Errorf("in %q the name is %q, want %q", main, got, want)
		}
	}
}
