package keeper

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"delegate/internal/agentdir"
	"delegate/internal/config"
	"delegate/internal/proxy"
	"delegate/internal/sandbox"
)

// proxyPort is the port of the loopback interface inside at which the proxy is found. The interface is the agent's own.
const proxyPort = 3128

// proxySocket is the proxy's socket in a turn's folder.
const proxySocket = "proxy.sock"

// Limit gives what runs behind the fence the network of the configuration in place of the person's, for the policy.
// key is the configuration's, for the error where this machine cannot hold that.
func (f *Fence) Limit(key, network, turn string, hosts []string) (sandbox.Network, error) {
	switch {
	case network == config.NetworkOpen:
		return sandbox.Network{}, nil
	case !f.Support.Namespaces:
		return sandbox.Network{}, fmt.Errorf("%s: %s cannot be held here: %s", key, network, f.Support.Fault)
	case network == config.NetworkNone:
		f.Network = sandbox.None
		return sandbox.Network{Mode: sandbox.None}, nil
	}
	f.Network = sandbox.Listed
	port, err := f.AllowHosts(turn, hosts)
	return sandbox.Network{Mode: sandbox.Listed, Port: port}, err
}

// AllowHosts adds a way out of a fence without a network: to the named hosts, through a proxy that
// the turn's keeper runs. The port of the loopback interface inside at which it is found is the answer.
func (f *Fence) AllowHosts(turn string, hosts []string) (port int, err error) {
	if _, err := proxy.ParseRules(hosts); err != nil {
		return 0, fmt.Errorf("sandbox.hosts: %w", err)
	}
	f.Proxy, f.Hosts = strconv.Itoa(proxyPort)+":"+filepath.Join(turn, proxySocket), hosts
	return proxyPort, nil
}

// serveProxy runs the proxy of a turn until the answered function is called. What it refuses is
// reported in the agent's folder.
func (f *Fence) serveProxy(turn string) (end func(), err error) {
	if f == nil || f.Proxy == "" {
		return func() {}, nil
	}
	rules, err := proxy.ParseRules(f.Hosts)
	if err != nil {
		return nil, err
	}
	_ = os.Remove(filepath.Join(turn, proxySocket)) // of a keeper that was killed
	dir, err := os.Open(turn)
	if err != nil {
		return nil, fmt.Errorf("open network: %w", err)
	}
	l, err := net.Listen("unix", throughFolder(dir))
	if err != nil {
		_ = dir.Close()
		return nil, fmt.Errorf("open network: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends when the answered function is called, which waits for it
		defer close(done)
		_ = proxy.Serve(ctx, l, rules, func(host string) {
			if f.AgentDir == "" {
				return // of no agent; its client is told
			}
			_ = agentdir.Dir(f.AgentDir).Report(agentdir.Refusal{Time: time.Now().UTC(), Layer: "network",
				Operation: "connect", Path: host,
				Pattern: "sandbox.hosts"})
		})
	}()
	return func() {
		cancel()
		<-done
		_ = dir.Close()
	}, nil
}

// throughFolder is a path of the socket that is short enough for one, however deep the folder lies.
func throughFolder(dir *os.File) string {
	return "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + proxySocket
}
