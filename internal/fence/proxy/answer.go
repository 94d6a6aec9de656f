package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// largestHead is how much a client may send before its request is complete, its body aside.
const largestHead = 64 << 10

// target is what a client asks for.
type target struct {
	host string // canonical, without brackets
	port int
}

func (t target) String() string { return net.JoinHostPort(t.host, strconv.Itoa(t.port)) }

// url is the target for those who choose a way by it.
func (t target) url(scheme string) *url.URL { return &url.URL{Scheme: scheme, Host: t.String()} }

// refusedError says that no rule lets a target through, or none of its addresses.
type refusedError struct{ target target }

func (e *refusedError) Error() string {
	return fmt.Sprintf("%q is not on the list of hosts, or none of its addresses may be reached", e.target)
}

// answer serves the one request of a connection: what comes after it belongs to the tunnel, or is a new connection's.
func (s *server) answer(ctx context.Context, conn net.Conn) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	head := &bounded{r: conn, left: largestHead}
	from := bufio.NewReader(head)
	_ = conn.SetReadDeadline(time.Now().Add(askLimit))
	request, err := http.ReadRequest(from)
	switch {
	case errors.Is(err, errLargeHead):
		say(conn, http.StatusRequestHeaderFieldsTooLarge, "the request is too large")
		return
	case err != nil:
		say(conn, http.StatusBadRequest, "this is no request to a proxy")
		return
	}
	head.left = unbounded
	_ = conn.SetReadDeadline(time.Time{})
	t, fault := asked(request)
	if fault != "" {
		say(conn, http.StatusBadRequest, fault)
		return
	}
	if !s.rules.Allow(t.host, t.port) {
		s.refuse(conn, t)
		return
	}
	if request.Method == http.MethodConnect {
		s.connect(ctx, conn, from, t)
		return
	}
	s.hand(ctx, conn, request, t)
}

// asked finds what a request is for, by its first line alone; a Host header that says something else does not count.
func asked(request *http.Request) (t target, fault string) {
	host, port := request.URL.Hostname(), request.URL.Port()
	switch {
	case host == "":
		return t, "the request names no host"
	case request.Method == http.MethodConnect && request.RequestURI != request.URL.Host:
		return t, "CONNECT takes a host and a port, nothing else"
	case request.Method == http.MethodConnect:
	case request.URL.Scheme != "http":
		return t, "only http is forwarded; ask for anything else with CONNECT"
	case port == "" && !strings.HasSuffix(request.URL.Host, ":"):
		port = "80"
	}
	var ok bool
	if t.port, ok = parsePort(port); !ok {
		return t, "the request names no port"
	}
	t.host = host
	if name, addr, ok := canonical(host); ok {
		if t.host = name; addr.IsValid() {
			t.host = addr.String()
		}
	}
	return t, ""
}

// longestReported is how much is told of a host that is none.
const longestReported = 100

func (s *server) refuse(conn net.Conn, t target) {
	host := t.String()
	if _, _, ok := canonical(t.host); !ok {
		host = strconv.QuoteToASCII(host[:min(len(host), longestReported)])
	}
	s.refusals.tell(host)
	say(conn, http.StatusForbidden, (&refusedError{t}).Error())
}

// connect joins the client with the host that it asked for.
func (s *server) connect(ctx context.Context, conn net.Conn, from io.Reader, t target) {
	out, err := s.reach(ctx, t)
	if err != nil {
		s.sayWhy(conn, t, err)
		return
	}
	defer out.Close()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	join(ctx, conn, out, from)
}

func (s *server) sayWhy(conn net.Conn, t target, err error) {
	if refused := (*refusedError)(nil); errors.As(err, &refused) {
		s.refuse(conn, t)
		return
	}
	say(conn, http.StatusBadGateway, fmt.Sprintf("%q cannot be reached", t))
}

// reach is a connection to the target: through the person's proxy if there is one for it, else to one of its addresses.
func (s *server) reach(ctx context.Context, t target) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	up, err := s.upstream(t.url("https"))
	if err != nil {
		return nil, fmt.Errorf("choose proxy for %q: %w", t, err)
	}
	if up != nil {
		return s.through(ctx, up, t)
	}
	return s.direct(ctx, t)
}

// direct resolves the target and connects to the first of the addresses that may be reached and answers.
func (s *server) direct(ctx context.Context, t target) (net.Conn, error) {
	addrs, err := s.resolve(ctx, t)
	if err != nil {
		return nil, err
	}
	own := ownAddresses()
	var faults []error
	for _, addr := range addrs {
		addr = addr.Unmap()
		if !s.reachable(t, addr, own) {
			continue
		}
		conn, err := s.dial(ctx, "tcp", netip.AddrPortFrom(addr, uint16(t.port)).String())
		if err == nil {
			return conn, nil
		}
		faults = append(faults, err)
	}
	if len(faults) == 0 {
		return nil, &refusedError{t}
	}
	return nil, fmt.Errorf("reach %q: %w", t, errors.Join(faults...))
}

func (s *server) resolve(ctx context.Context, t target) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(t.host); err == nil {
		return []netip.Addr{addr}, nil
	}
	addrs, err := s.lookup(ctx, t.host)
	if err != nil {
		return nil, fmt.Errorf("resolve %q: %w", t.host, err)
	}
	return addrs, nil
}

// reachable reports whether the target, which a rule names, may be looked for at the address. own
// are those of this machine.
func (s *server) reachable(t target, addr netip.Addr, own []netip.Addr) bool {
	if s.rules.allowAddr(addr, t.port) || t.host == "localhost" && addr.IsLoopback() {
		return true
	}
	return isPublic(addr) && !slices.Contains(own, addr)
}

// What a client may still send after a refusal, so that it reads the answer before it finds the connection closed.
const (
	mostDrained = 256 << 10
	drainLimit  = time.Second
)

// say answers with words of our own and ends the connection.
func say(conn net.Conn, status int, why string) {
	text := "delegate: " + why + "\n"
	_ = conn.SetWriteDeadline(time.Now().Add(askLimit))
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n"+
		"Connection: close\r\n\r\n%s",
		status, http.StatusText(status), len(text), text)
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = conn.SetReadDeadline(time.Now().Add(drainLimit))
		_, _ = io.CopyN(io.Discard, conn, mostDrained)
	}
}

var errLargeHead = errors.New("request head is too large")

// unbounded lets everything through.
const unbounded = -1

// bounded reads at most left bytes, if that is not unbounded, and then gives errLargeHead.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == unbounded {
		return b.r.Read(p)
	}
	if b.left == 0 {
		return 0, errLargeHead
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
