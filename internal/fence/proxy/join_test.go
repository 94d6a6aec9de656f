package proxy

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// echo is a server that upgrades whatever it is asked, and then says everything back until the
// client has said its last.
func echo(t *testing.T) (port string) {
	_, port = started(t, httptest.NewServer, func(w http.ResponseWriter, _ *http.Request) {
		conn, from, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_, _ = io.Copy(conn, from)
		_, _ = io.WriteString(conn, "bye")
	})
	return port
}

// tunnel is a connection through the proxy; greeting is sent together with the request for it.
func (y *yard) tunnel(target, greeting string) (*net.TCPConn, *bufio.Reader) {
	y.Helper()
	conn, err := net.Dial("tcp", y.inside)
	if err != nil {
		y.Fatal(err)
	}
	y.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, "CONNECT "+target+" HTTP/1.1\r\nHost: "+target+"\r\n\r\n"+greeting); err != nil {
		y.Fatal(err)
	}
	from := bufio.NewReader(conn)
	answer, err := http.ReadResponse(from, &http.Request{Method: http.MethodConnect})
	if err != nil || answer.StatusCode != http.StatusOK {
		y.Fatalf("CONNECT %s: %v, %v", target, answer, err)
	}
	return conn.(*net.TCPConn), from
}

func TestUpgradeInATunnel(t *testing.T) {
	port := echo(t)
	y := newYard(t, "127.0.0.1")
	conn, from := y.tunnel("127.0.0.1:"+port,
		"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	answer, err := http.ReadResponse(from, nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("upgrade: %v, %v", answer, err)
	}
	text := strings.Repeat("to and fro ", 1000)
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	// The client has ended its direction; the server's goes on to its end.
	if said, err := io.ReadAll(from); err != nil || string(said) != text+"bye" {
		t.Errorf("%d bytes came back, want %d; %v", len(said), len(text)+3, err)
	}
	if got := y.raw("GET http://127.0.0.1:" + port +
		"/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"); got != "HTTP/1.1 502 Bad Gateway" {
		t.Errorf("an upgrade outside of a tunnel: %q", got)
	}
}

func TestTunnelsEndWithTheContext(t *testing.T) {
	port := echo(t)
	y := newYard(t, "127.0.0.1")
	_, from := y.tunnel("127.0.0.1:"+port, "")
	idle, err := net.Dial("tcp", y.inside)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	y.end()
	if _, err := from.ReadByte(); err == nil || isTimeout(err) {
		t.Errorf("the tunnel stands after the end: %v", err)
	}
	if _, err := net.Dial("tcp", y.inside); err == nil {
		t.Error("the forwarder listens after the end")
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

func TestNoMoreThanSoManyAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served, release, over := make(chan struct{}, 2*mostConnections), make(chan struct{}), make(chan error, 1)
	counted := &counter{Listener: l}
	go func() {
		over <- attend(ctx, counted, func(ctx context.Context, _ net.Conn) {
			served <- struct{}{}
			select {
			case <-release:
			case <-ctx.Done():
			}
		})
	}()
	for range mostConnections + 50 {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	eventually(t, "not all are served", func() bool { return len(served) == mostConnections })
	select {
	case release <- struct{}{}:
	case <-time.After(patience):
		t.Fatal("none is served")
	}
	eventually(t, "the last one is not served when another has ended", func() bool {
		return len(served) == mostConnections+1
	})
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if most := counted.most.Load(); most != mostConnections {
		t.Errorf("%d connections at once, want %d", most, mostConnections)
	}
}

// counter notes how many of its connections were open at once.
type counter struct {
	net.Listener
	open, most atomic.Int64 // most is written by the one that accepts
}

func (c *counter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.most.Store(max(c.most.Load(), c.open.Add(1)))
		conn = &counted{conn, c}
	}
	return conn, err
}

type counted struct {
	net.Conn
	by *counter
}

func (c *counted) Close() error {
	c.by.open.Add(-1)
	return c.Conn.Close()
}

func TestSlowClientsAreLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, conn := net.Pipe()
		defer client.Close()
		started := time.Now()
		go new(server).answer(t.Context(), conn)
		go func() { _, _ = io.WriteString(client, "CONNECT api.") }() // and no more
		line, err := bufio.NewReader(client).ReadString('\n')
		if took := time.Since(started); err != nil || !strings.HasPrefix(line, "HTTP/1.1 400 ") || took != askLimit {
			t.Errorf("after %s: %q, %v", took, line, err)
		}
	})
}

func TestClosedListenerIsAFault(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := Serve(t.Context(), l, Rules{}, nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("serving a closed listener: %v", err)
	}
}

// TestThroughThePersonsProxy puts a second proxy of the person's outside of the first.
func TestThroughThePersonsProxy(t *testing.T) {
	server, port := started(t, httptest.NewTLSServer, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "there")
	})
	var asked []string
	person := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		if r.Method != http.MethodConnect {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if strings.HasPrefix(r.RequestURI, "closed.") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		conn, from, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		out, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		join(r.Context(), conn, out, from)
	}))
	t.Cleanup(person.Close)
	y := newYard(t, "*.example.org")
	y.server.upstream = func(*url.URL) (*url.URL, error) {
		at, err := url.Parse(person.URL)
		at.User = url.UserPassword("me", "pw")
		return at, err
	}
	client := y.client(server)
	answer, err := client.Get("https://api.example.org:" + port)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if string(body) != "there" {
		t.Errorf("answered %q", body)
	}
	client.CloseIdleConnections()
	for text, want := range map[string]string{
		"CONNECT closed.example.org:443 HTTP/1.1\r\n\r\n":   "HTTP/1.1 502 Bad Gateway",
		"CONNECT elsewhere.net:443 HTTP/1.1\r\n\r\n":        "HTTP/1.1 403 Forbidden",
		"GET http://plain.example.org/x HTTP/1.1\r\n\r\n":   "HTTP/1.1 202 Accepted",
		"GET http://plain.elsewhere.net/x HTTP/1.1\r\n\r\n": "HTTP/1.1 403 Forbidden",
	} {
		if got := y.raw(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	login := " Basic " + base64.StdEncoding.EncodeToString([]byte("me:pw"))
	all := strings.Join(asked, "\n")
	for _, want := range []string{"CONNECT api.example.org:" + port + login, "CONNECT closed.example.org:443" + login,
		"GET http://plain.example.org/x" + login} {
		if !strings.Contains(all, want) {
			t.Errorf("the person's proxy was not asked %q, but\n%s", want, all)
		}
	}
	if strings.Contains(all, "elsewhere") || len(y.resolved) > 0 {
		t.Errorf("asked\n%s\nresolved %q", all, y.resolved)
	}
}
