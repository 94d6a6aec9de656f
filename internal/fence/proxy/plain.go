package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// through asks the person's own proxy for the target. It speaks to proxies of the kinds http and https.
func (s *server) through(ctx context.Context, up *url.URL, t target) (net.Conn, error) {
	conn, err := s.dialProxy(ctx, up)
	if err != nil {
		return nil, err
	}
	return tunnel(ctx, conn, up, t)
}

// tunnel asks a proxy at the other end of conn, which it closes if there is none, for the target.
func tunnel(ctx context.Context, conn net.Conn, up *url.URL, t target) (net.Conn, error) {
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	from := bufio.NewReader(conn)
	answer, err := askProxy(conn, from, up, t)
	switch {
	case err != nil:
		_ = conn.Close()
		return nil, fmt.Errorf("ask proxy %q for %q: %w", up.Host, t, err)
	case answer.StatusCode != http.StatusOK:
		_ = conn.Close()
		return nil, fmt.Errorf("ask proxy %q for %q: it answers %q", up.Host, t, answer.Status)
	}
	return &read{Conn: conn, from: from}, nil
}

func (s *server) dialProxy(ctx context.Context, up *url.URL) (net.Conn, error) {
	ports := map[string]string{"http": "80", "https": "443"}
	port, spoken := ports[up.Scheme]
	if !spoken {
		return nil, fmt.Errorf("the proxy %q is of a kind that is not spoken: %q", up.Host, up.Scheme)
	}
	if up.Port() != "" {
		port = up.Port()
	}
	conn, err := s.dial(ctx, "tcp", net.JoinHostPort(up.Hostname(), port))
	if err != nil {
		return nil, fmt.Errorf("reach proxy %q: %w", up.Host, err)
	}
	if up.Scheme == "https" {
		secure := tls.Client(conn, &tls.Config{ServerName: up.Hostname()})
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("reach proxy %q: %w", up.Host, err)
		}
		return secure, nil
	}
	return conn, nil
}

func askProxy(conn net.Conn, from *bufio.Reader, up *url.URL, t target) (*http.Response, error) {
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: t.String()}, Host: t.String(),
		Header: http.Header{"User-Agent": {""}}}
	if up.User != nil {
		password, _ := up.User.Password()
		request.Header.Set("Proxy-Authorization",
			"Basic "+base64.StdEncoding.EncodeToString([]byte(up.User.Username()+":"+password)))
	}
	if err := request.Write(conn); err != nil {
		return nil, err
	}
	return http.ReadResponse(from, request)
}

// read is a connection of which some was read already.
type read struct {
	net.Conn
	from io.Reader
}

func (r *read) Read(p []byte) (int, error) { return r.from.Read(p) }

// CloseWrite ends one direction where the connection can do that.
func (r *read) CloseWrite() error {
	if half, ok := r.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return r.Conn.Close()
}

// hand sends a plain request on and brings the answer back. Nothing of the client's goes further
// than to the one host that its first line names.
func (s *server) hand(ctx context.Context, conn net.Conn, request *http.Request, t target) {
	up, err := s.upstream(t.url("http"))
	if err != nil {
		s.sayWhy(conn, t, err)
		return
	}
	carrier := &http.Transport{DisableKeepAlives: true, DisableCompression: true, TLSHandshakeTimeout: dialLimit,
		MaxResponseHeaderBytes: 1 << 20}
	carrier.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialLimit)
		defer cancel()
		if up != nil {
			return s.dial(ctx, network, address)
		}
		return s.direct(ctx, t)
	}
	if up != nil {
		carrier.Proxy = http.ProxyURL(up)
	}
	if strings.EqualFold(request.Header.Get("Expect"), "100-continue") {
		if _, err := io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return
		}
	}
	answer, err := carrier.RoundTrip(onward(ctx, request, t))
	if err != nil {
		s.sayWhy(conn, t, err)
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusSwitchingProtocols {
		s.sayWhy(conn, t, fmt.Errorf("%q switches to what was not asked for", t))
		return
	}
	dropHops(answer.Header)
	answer.Close = true
	if !request.ProtoAtLeast(1, 1) {
		answer.TransferEncoding = nil
	}
	_ = answer.Write(conn) // the client may have gone
}

// onward is the request as the host gets it.
func onward(ctx context.Context, request *http.Request, t target) *http.Request {
	out := request.Clone(ctx)
	out.URL.Host = strings.TrimSuffix(t.String(), ":80")
	out.Host = out.URL.Host
	out.RequestURI = ""
	dropHops(out.Header)
	out.Header.Del("Expect")
	if _, named := out.Header["User-Agent"]; !named {
		out.Header["User-Agent"] = []string{""} // none is added
	}
	return out
}

// dropHops takes away what is meant for the next machine only, the credentials for a proxy among it.
func dropHops(h http.Header) {
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate",
		"Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"} {
		h.Del(name)
	}
}
