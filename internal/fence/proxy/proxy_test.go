package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long anything that has to happen may take.
const patience = 10 * time.Second

// yard is a proxy outside, a forwarder inside, and names that all mean this machine.
type yard struct {
	*testing.T
	server
	inside string // address of the forwarder
	socket string
	end    func()

	mu       sync.Mutex
	reported []string
	resolved []string
	dialled  []string
	answers  map[string][]netip.Addr // others are 127.0.0.1
}

func newYard(t *testing.T, hosts ...string) *yard {
	t.Helper()
	before := runtime.NumGoroutine()
	dir, err := os.MkdirTemp("", "p") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	y := &yard{T: t, socket: filepath.Join(dir, "s"), answers: map[string][]netip.Addr{}}
	y.server = server{rules: rules(t, hosts...), lookup: y.resolve, dial: y.reach,
		upstream: func(*url.URL) (*url.URL, error) {
			return nil, nil
		}}
	y.refusals.report = func(host string) { y.mu.Lock(); defer y.mu.Unlock(); y.reported = append(y.reported, host) }
	ctx, cancel := context.WithCancel(context.Background())
	outside, err := net.Listen("unix", y.socket)
	if err != nil {
		t.Fatal(err)
	}
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	y.inside = inside.Addr().String()
	over := make(chan error, 2)
	go func() { over <- attend(ctx, outside, y.answer) }()
	go func() { over <- Forward(ctx, inside, y.socket, "") }()
	y.end = sync.OnceFunc(func() {
		cancel()
		for range 2 {
			select {
			case err := <-over:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(patience):
				t.Fatal("it goes on after the end of its context")
			}
		}
	})
	t.Cleanup(func() {
		y.end()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= before })
	})
	return y
}

func eventually(t *testing.T, fault string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(fault)
		}
	}
}

func (y *yard) resolve(_ context.Context, name string) ([]netip.Addr, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.resolved = append(y.resolved, name)
	if addrs, ok := y.answers[name]; ok {
		return addrs, nil
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// reach connects to this machine only: nothing that a fault of the proxy asks for gets out.
func (y *yard) reach(ctx context.Context, network, address string) (net.Conn, error) {
	y.mu.Lock()
	y.dialled = append(y.dialled, address)
	y.mu.Unlock()
	if host, _, err := net.SplitHostPort(address); err != nil || host != "127.0.0.1" {
		return nil, errors.New("no traffic to " + address)
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// client is a program inside. It believes no certificate but those of the test's servers.
func (y *yard) client(server *httptest.Server) *http.Client {
	carrier := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", User: url.UserPassword("who", "secret"),
		Host: y.inside})}
	if server != nil && server.TLS != nil {
		carrier.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		carrier.TLSClientConfig.ServerName = "example.com" // whom the test's certificate names
	}
	y.Cleanup(carrier.CloseIdleConnections)
	return &http.Client{Transport: carrier, Timeout: patience}
}

// raw sends text to the forwarder and answers the status line that comes back.
func (y *yard) raw(text string) string {
	y.Helper()
	conn, err := net.Dial("tcp", y.inside)
	if err != nil {
		y.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(conn, text) // may be cut short by the answer
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line)
}

func (y *yard) wantReported(hosts ...string) {
	y.Helper()
	y.mu.Lock()
	defer y.mu.Unlock()
	if fmt.Sprint(y.reported) != fmt.Sprint(hosts) {
		y.Errorf("told %q, want %q", y.reported, hosts)
	}
}

func (y *yard) wantDialled(addresses ...string) {
	y.Helper()
	y.mu.Lock()
	defer y.mu.Unlock()
	if fmt.Sprint(y.dialled) != fmt.Sprint(addresses) {
		y.Errorf("dialled %q, want %q", y.dialled, addresses)
	}
}

func started(t *testing.T, start func(http.Handler) *httptest.Server, h http.HandlerFunc) (server *httptest.Server,
	port string) {
	t.Helper()
	server = start(h)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return server, at.Port()
}

func TestEncryptedThroughConnect(t *testing.T) {
	server, port := started(t, httptest.NewTLSServer, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d", r.Host, r.Header.Get("Proxy-Authorization"), len(body))
	})
	y := newYard(t, "api.example.org", "127.0.0.1:"+port)
	answer, err := y.client(server).Post("https://API.example.org:"+port, "text/plain",
		strings.NewReader(strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); string(body) != "API.example.org:"+port+"  1048576" {
		t.Errorf("the server saw %q", body)
	}
	y.wantReported()
	if _, err := y.client(server).Get("https://other.example.org:" + port); err == nil {
		t.Error("a host that is not on the list is reached")
	}
	y.wantReported("other.example.org:" + port)
	y.wantDialled("127.0.0.1:" + port)
}

func TestPlainRequests(t *testing.T) {
	server, port := started(t, httptest.NewServer, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s %v %q %s", r.Method, r.Host, r.URL, r.Header["Authorization"],
			r.Header["Proxy-Authorization"], body))
		http.Redirect(w, r, "http://elsewhere.example.org/", http.StatusFound)
	})
	y := newYard(t, "api.example.org:"+port, "127.0.0.1:"+port)
	client := y.client(server)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, length := range []string{"one", "two"} { // one connection each
		request, _ := http.NewRequest(http.MethodPut, "http://api.example.org:"+port+"/p?q=1",
			io.MultiReader(strings.NewReader(length)))
		request.Header.Set("Expect", "100-continue")
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if got, want := answer.Header.Get("X-Seen"), "PUT api.example.org:"+port+" /p?q=1 [] [] "+length; got != want {
			t.Errorf("the server saw %q, want %q", got, want)
		}
		if answer.StatusCode != http.StatusFound {
			t.Errorf("answered %v", answer)
		}
	}
	if got := y.raw("GET http://user:pw@api.example.org:" + port + "/ HTTP/1.0\r\n\r\n"); got != "HTTP/1.1 302 Found" {
		t.Errorf("an old client gets %q", got)
	}
	y.wantReported()
}

func TestHopsAreDropped(t *testing.T) {
	h := http.Header{"Connection": {"keep-alive, X-Hop", "x-other"}, "X-Hop": {"1"}, "X-Other": {"1"},
		"Proxy-Authorization": {"x"}, "Upgrade": {"x"}, "X-Stays": {"1"}}
	if dropHops(h); len(h) != 1 || h.Get("X-Stays") != "1" {
		t.Errorf("left: %v", h)
	}
}

func TestFirstLineDecides(t *testing.T) {
	_, port := started(t, httptest.NewServer, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Host, "api.example.org:") || r.Header.Get("Host") != "" {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	y := newYard(t, "api.example.org", "127.0.0.1:"+port)
	if got := y.raw("GET http://API.example.org.:" + port +
		"/ HTTP/1.1\r\nHost: evil.example.net\r\n\r\n"); got != "HTTP/1.1 200 OK" {
		t.Errorf("with another Host header: %q", got)
	}
	if got := y.raw("GET http://evil.example.net:" + port +
		"/ HTTP/1.1\r\nHost: api.example.org\r\n\r\n"); got != "HTTP/1.1 403 Forbidden" {
		t.Errorf("a Host header lets another host through: %q", got)
	}
	y.wantReported("evil.example.net:" + port)
}

func TestOddRequests(t *testing.T) {
	y := newYard(t, "api.example.org", "*.example.net")
	const refused, bad = "HTTP/1.1 403 Forbidden", "HTTP/1.1 400 Bad Request"
	tests := []struct{ name, text, want string }{
		{"no list has it", "CONNECT 192.0.2.7:443 HTTP/1.1\r\n\r\n", refused},
		{"an address in disguise", "CONNECT 2130706433:80 HTTP/1.1\r\n\r\n", refused},
		{"an address in disguise", "CONNECT 127.1:80 HTTP/1.1\r\n\r\n", refused},
		{"an IPv6 address", "CONNECT [::1]:80 HTTP/1.1\r\n\r\n", refused},
		{"an address with a zone", "CONNECT [fe80::1%25lo]:80 HTTP/1.1\r\n\r\n", bad},
		{"no port", "CONNECT api.example.org HTTP/1.1\r\n\r\n", bad},
		{"port 0", "CONNECT api.example.org:0 HTTP/1.1\r\n\r\n", bad},
		{"a user", "CONNECT me:secret@api.example.org:443 HTTP/1.1\r\n\r\n", bad},
		{"a path", "CONNECT api.example.org:443/x HTTP/1.1\r\n\r\n", bad},
		{"a path alone", "CONNECT /x HTTP/1.1\r\n\r\n", bad},
		{"no proxy request", "GET / HTTP/1.1\r\nHost: api.example.org\r\n\r\n", bad},
		{"another scheme", "GET https://api.example.org/ HTTP/1.1\r\n\r\n", bad},
		{"two hosts", "GET http://api.example.org/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", bad},
		{"two lengths", "POST http://api.example.org/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
			bad},
		{"no HTTP", "\x16\x03\x01\x02\x00\r\n\r\n", bad},
		{"a large head", "GET http://api.example.org/ HTTP/1.1\r\nX: " + strings.Repeat("x", largestHead) + "\r\n\r\n",
			"HTTP/1.1 431 Request Header Fields Too Large"},
		{"a long line", "CONNECT " + strings.Repeat("x", 4*largestHead),
			"HTTP/1.1 431 Request Header Fields Too Large"},
	}
	for _, test := range tests {
		if got := y.raw(test.text); got != test.want {
			t.Errorf("%s: answered %q, want %q", test.name, got, test.want)
		}
	}
	y.mu.Lock()
	if strings.Contains(fmt.Sprint(y.reported), "secret") {
		t.Errorf("credentials are told: %q", y.reported)
	}
	y.mu.Unlock()
	y.wantDialled()
}

func TestNamesThatLeadInside(t *testing.T) {
	y := newYard(t, "api.example.org", "localhost", "twice.example.org")
	var all []netip.Addr
	for _, text := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "::1", "::ffff:127.0.0.1",
		"fd00:ec2::254"} {
		all = append(all, netip.MustParseAddr(text))
	}
	y.answers["api.example.org"] = all
	if got := y.raw("CONNECT api.example.org:80 HTTP/1.1\r\n\r\n"); got != "HTTP/1.1 403 Forbidden" {
		t.Errorf("a name with inner addresses: %q", got)
	}
	if got := y.raw("GET http://api.example.org/ HTTP/1.1\r\n\r\n"); got != "HTTP/1.1 403 Forbidden" {
		t.Errorf("a name with inner addresses, plain: %q", got)
	}
	y.wantReported("api.example.org:80")
	y.wantDialled()

	// What is dialled is the address that was checked, and the name is asked for once.
	y.answers["twice.example.org"] = []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("198.41.0.4")}
	if got := y.raw("CONNECT twice.example.org:443 HTTP/1.1\r\n\r\n"); got != "HTTP/1.1 502 Bad Gateway" {
		t.Errorf("an address that does not answer: %q", got)
	}
	y.wantDialled("198.41.0.4:443")
	y.mu.Lock()
	if fmt.Sprint(y.resolved) != "[api.example.org api.example.org twice.example.org]" {
		t.Errorf("resolved %q", y.resolved)
	}
	y.mu.Unlock()

	_, port := started(t, httptest.NewServer, func(http.ResponseWriter, *http.Request) {})
	if got := y.raw("GET http://localhost:" + port + "/ HTTP/1.1\r\n\r\n"); got != "HTTP/1.1 200 OK" {
		t.Errorf("localhost, which is on the list: %q", got)
	}
}

// TestRefusalsAreReportedSparingly holds that a host which a program tries again and again is reported once, and that
// nobody fills the report with hosts.
func TestRefusalsAreReportedSparingly(t *testing.T) {
	y := newYard(t)
	y.raw("CONNECT " + strings.Repeat("ü", 400) + ":443 HTTP/1.1\r\n\r\n")
	for i := range 2 * (mostReported + 5) {
		if got := y.raw("CONNECT h" + strconv.Itoa(i/2) +
			".example.org:443 HTTP/1.1\r\n\r\n"); got != "HTTP/1.1 403 Forbidden" {
			t.Fatalf("refusal %d: %q", i, got)
		}
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if len(y.reported) != mostReported || y.reported[2] != "h1.example.org:443" {
		t.Fatalf("reported %q", y.reported)
	}
	if first := y.reported[0]; !strings.HasPrefix(first, `"`) || len(first) > 6*longestReported {
		t.Errorf("reported %q", first)
	}
}

func TestEnviron(t *testing.T) {
	got := strings.Join(Environ(8118), "\n")
	for _, want := range []string{
		"HTTP_PROXY=http://127.0.0.1:8118", "https_proxy=http://127.0.0.1:8118", "ALL_PROXY=http://127.0.0.1:8118",
		"no_proxy=localhost,127.0.0.1,::1", "NODE_USE_ENV_PROXY=1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}
