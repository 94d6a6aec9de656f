package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
)

// FuzzAnswer sends bytes to a proxy that lets one host through. Nothing else is reached by them, the name that is asked
// of the host is its own, and the answer comes to an end.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"CONNECT good.example.org:443 HTTP/1.1\r\n\r\nhello",
		"CONNECT other.example.org:443 HTTP/1.1\r\nHost: good.example.org:443\r\n\r\n",
		"GET http://good.example.org/ HTTP/1.1\r\nHost: other.example.org\r\n\r\n",
		"GET http://good.example.org@other.example.org/ HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: good.example.org\r\n\r\nGET http://other.example.org/ HTTP/1.1\r\n\r\n",
		"POST http://good.example.org/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n" +
			"0\r\n\r\nGET http://x/ HTTP/1.1\r\n\r\n",
		"CONNECT [::1]:443 HTTP/1.1\r\n\r\n",
		"CONNECT 127.1:443 HTTP/1.1\r\n\r\n", "GET http://127.0.0.1:80/ HTTP/1.0\r\n\r\n",
		"CONNECT good.example.org.:443 HTTP/1.1\r\n\r\n", "\x05\x01\x00",
		"GET http://GOOD.example.org:80/ HTTP/1.1\r\n\r\n", "",
		"CONNECT good.example.org:443\r\n\r\n", "GET http://good.example.org%00.other.example.org/ HTTP/1.1\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	const good = "93.184.215.14"
	f.Fuzz(func(t *testing.T, sent []byte) {
		synctest.Test(t, func(t *testing.T) {
			s := server{
				rules:    rules(t, "good.example.org"),
				refusals: refusals{report: func(string) {}},
				lookup: func(_ context.Context, name string) ([]netip.Addr, error) {
					if strings.TrimSuffix(strings.ToLower(name), ".") == "good.example.org" {
						return []netip.Addr{netip.MustParseAddr(good)}, nil
					}
					t.Errorf("%q: the name %q is looked up", sent, name)
					return nil, errors.New("no such host")
				},
				dial: func(_ context.Context, network, address string) (net.Conn, error) {
					if host, _, err := net.SplitHostPort(address); err != nil || host != good || network != "tcp" {
						t.Errorf("%q: %s %q is reached", sent, network, address)
					}
					far, near := net.Pipe()
					go host(t, far, sent)
					return near, nil
				},
				upstream: func(*url.URL) (*url.URL, error) { return nil, nil },
			}
			client, conn := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, client) }()
			go func() {
				_, _ = client.Write(sent)
				_ = client.Close()
			}()
			s.answer(t.Context(), conn)
			_ = conn.Close()
		})
	})
}

// host is the one that is let through: it answers one request, or takes what a tunnel brings.
func host(t *testing.T, conn net.Conn, sent []byte) {
	defer conn.Close()
	if bytes.HasPrefix(sent, []byte(http.MethodConnect)) {
		_, _ = io.Copy(io.Discard, io.LimitReader(conn, 1<<20))
		return
	}
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return // the client went away
	}
	at := url.URL{Host: request.Host}
	if name, _, _ := canonical(at.Hostname()); name != "good.example.org" {
		t.Errorf("%q: the host is asked for %q", sent, request.Host)
	}
	_, _ = io.Copy(io.Discard, request.Body)
	_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
}
