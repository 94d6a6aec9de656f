package keeper_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/fence/sandbox"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/scope"
)

// fetchVariable has this test binary ask a proxy for an address and print the answer.
const fetchVariable = "AGENT_TEST_FETCH"

func fetch(address string) int {
	client := http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
		proxy := os.Getenv("HTTP_PROXY")
		if proxy == "" {
			return nil, nil
		}
		return url.Parse(proxy)
	}}}
	answer, err := client.Get(address)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer answer.Body.Close()
	fmt.Println(answer.StatusCode)
	return 0
}

// enclosure is a fence around an empty worktree, and a place for a turn.
func enclosure(t *testing.T, mode sandbox.NetworkMode) (*keeper.Fence, agent.Place) {
	t.Helper()
	s := sandbox.Detect(context.Background())
	if !s.Namespaces {
		t.Skip("no namespaces here: ", s.Fault)
	}
	root := t.TempDir()
	place := agent.Place{Worktree: filepath.Join(root, "work"), AgentDir: filepath.Join(root, "desk"),
		Turn: filepath.Join(root, "turn")}
	for _, dir := range []string{filepath.Join(place.Worktree, "src"), place.AgentDir, place.Turn} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	limits, err := scope.New(scope.Config{Allowed: []string{"src/**"}})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := sandbox.Compile(limits, place.Worktree, nil)
	if err != nil {
		t.Fatal(err)
	}
	policy.Network.Mode, policy.Writable = mode, []string{place.AgentDir}
	f := &keeper.Fence{Policy: filepath.Join(place.Turn, "fence.json"), AgentDir: place.AgentDir, Network: mode,
		Support: s}
	if err := policy.Write(f.Policy); err != nil {
		t.Fatal(err)
	}
	return f, place
}

// TestNetworkThroughTheProxy holds that an agent with listed hosts reaches those, and nothing else by any way.
func TestNetworkThroughTheProxy(t *testing.T) {
	listed := httptest.NewServer(http.NotFoundHandler())
	defer listed.Close()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	f, place := enclosure(t, sandbox.Listed)
	policy, err := sandbox.Load(f.Policy)
	if err != nil {
		t.Fatal(err)
	}
	if policy.Network, err = f.Limit("sandbox.network", config.NetworkHosts, place.Turn,
		[]string{strings.TrimPrefix(listed.URL, "http://")}); err != nil {
		t.Fatal(err)
	}
	if err := policy.Write(f.Policy); err != nil {
		t.Fatal(err)
	}
	ask := func(address, proxy string) (string, int) {
		var out bytes.Buffer
		status, err := f.Run(t.Context(), run.Command{Path: run.Program(), Dir: place.Worktree,
			Stdout: &out, Stderr: &out, Env: []string{fetchVariable + "=" + address, "HTTP_PROXY=" + proxy}})
		if err != nil {
			t.Fatal(err)
		}
		return out.String(), status
	}
	socket := fmt.Sprintf("http://127.0.0.1:%d", policy.Network.Port)
	if out, status := ask(listed.URL, socket); status != 0 || !strings.Contains(out, "404") {
		t.Errorf("the listed host is not reached: %d, %s", status, out)
	}
	if out, status := ask(listed.URL, ""); status != 0 || !strings.Contains(out, "404") {
		t.Errorf("the listed host is not found on the loopback interface: %d, %s", status, out)
	}
	if out, _ := ask(other.URL, socket); !strings.Contains(out, "403") {
		t.Errorf("a host that is not listed: %s", out)
	}
	if out, status := ask(other.URL, other.URL); status == 0 {
		t.Errorf("reached beside the proxy: %s", out)
	}
	attempts, _, err := agentdir.Dir(place.AgentDir).ReadRefusals()
	if err != nil || len(attempts) != 1 || attempts[0].Layer != "network" {
		t.Errorf("reported %v, %v", attempts, err)
	}
}

// TestFenceTellsHowItsProgramEnded holds that statuses and faults come out of the fence as they are inside.
func TestFenceTellsHowItsProgramEnded(t *testing.T) {
	f, place := enclosure(t, sandbox.Open)
	sh := func(script string) (int, error) {
		return f.Run(t.Context(), run.Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: place.Worktree})
	}
	if status, err := sh("exit 7"); status != 7 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	if _, err := sh("kill -9 $$"); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a signal is told as %v", err)
	}
	if err := os.RemoveAll(place.Worktree); err != nil {
		t.Fatal(err)
	}
	if status, err := sh("true"); status != sandbox.StartFault || err == nil {
		t.Errorf("without a worktree: status %d, %v", status, err)
	}
}
