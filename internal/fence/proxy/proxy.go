// Package proxy lets named hosts through to a process that has no network but its own loopback interface.
//
// Outside, Serve answers the requests of an HTTP proxy on a Unix socket. Inside, Forward hands the
// connections of a loopback port to that socket, and Environ tells programs of the port. What is
// asked for is held to Rules by its name; the name is resolved once, outside, each address is
// checked, and the checked address is the one that is connected to, so no answer of a name server
// can lead to a machine that no rule names. TLS stays end to end: inside an encrypted connection
// nothing is seen, so a host of the list that hands requests on to others does so.
//
// Where the person's own environment names a proxy (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), connections go through it.
// It resolves the names then, and which of their addresses it reaches is for that proxy to decide.
package proxy

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

// mostReported is how many refused hosts are reported.
const mostReported = 20

// How long a client may take to ask, and a host to be reached.
// Connections that stand are left alone: a model may think for long. They end with their sides, or with the context.
const (
	askLimit  = 10 * time.Second
	dialLimit = 30 * time.Second
)

// Serve answers HTTP CONNECT and plain HTTP proxy requests on l until ctx ends, and closes l.
// It returns nil after the end of ctx, when no connection is left.
//
// report is called for the first refusal of each of at most 20 hosts, never twice at once, with what
// was asked for as "host:port", or quoted and cut off where that is neither a name nor an address.
func Serve(ctx context.Context, l net.Listener, r Rules, report func(host string)) error {
	s := server{
		rules:    r,
		refusals: refusals{report: report},
		lookup: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		},
		dial: new(net.Dialer).DialContext,
		upstream: func(target *url.URL) (*url.URL, error) {
			return http.ProxyFromEnvironment(&http.Request{URL: target})
		},
	}
	return attend(ctx, l, s.answer)
}

// server is what answers; its functions are the ways to the world outside.
type server struct {
	rules    Rules
	refusals refusals
	lookup   func(ctx context.Context, name string) ([]netip.Addr, error)
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	upstream func(target *url.URL) (*url.URL, error)
}

// refusals are reported one after the other, each host once: programs try a host again and again by themselves.
type refusals struct {
	mu       sync.Mutex
	report   func(host string)
	reported []string
}

func (f *refusals) tell(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.reported) < mostReported && !slices.Contains(f.reported, host) {
		f.reported = append(f.reported, host)
		f.report(host)
	}
}

// Environ are the entries of a process's environment that lead its programs to the proxy at a port
// of its loopback interface. What is on that interface itself is reached directly.
func Environ(port int) []string {
	address := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	const direct = "localhost,127.0.0.1,::1"
	return []string{
		"HTTP_PROXY=" + address, "HTTPS_PROXY=" + address, "ALL_PROXY=" + address, "NO_PROXY=" + direct,
		"http_proxy=" + address, "https_proxy=" + address, "all_proxy=" + address, "no_proxy=" + direct,
		"NODE_USE_ENV_PROXY=1", // node's own fetch looks at the others only then
	}
}
