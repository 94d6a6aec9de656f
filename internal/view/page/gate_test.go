package page

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func gateAt(t *testing.T, address string) *Gate {
	t.Helper()
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGate(at)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// asked is a request as a browser would send it to a gate, with what a case changes of it.
func (g *Gate) asked(method, path string, form url.Values) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	r.Host = g.address.String()
	r.AddCookie(&http.Cookie{Name: cookieName, Value: g.cookie})
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+r.Host)
	}
	return r
}

// TestGuard holds who is let in: who has the cookie, by an address of the page, and for a change from its own form.
func TestGuard(t *testing.T) {
	g := gateAt(t, "127.0.0.1:4711")
	var reached bool
	guarded := g.guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	form := url.Values{"token": {g.token}}
	head := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	large := url.Values{"text": {strings.Repeat("x", mostPosted)}, "token": {g.token}}
	for name, c := range map[string]struct {
		method, path string
		form         url.Values
		change       func(*http.Request)
		want         int
	}{
		"the person":             {"GET", g.base + "/", nil, nil, 200},
		"localhost":              {"GET", g.base + "/", nil, host("localhost:4711"), 200},
		"the person's form":      {"POST", g.base + "/do", form, nil, 200},
		"a name led here":        {"GET", g.base + "/", nil, host("evil.example:4711"), 421},
		"another address":        {"GET", g.base + "/", nil, host("192.0.2.1:4711"), 421},
		"another port":           {"GET", g.base + "/", nil, host("127.0.0.1:80"), 421},
		"no host":                {"GET", g.base + "/", nil, host(""), 421},
		"no cookie":              {"GET", g.base + "/", nil, head("Cookie", ""), 403},
		"another cookie":         {"GET", g.base + "/", nil, head("Cookie", cookieName+"=x"), 403},
		"another path":           {"GET", "/", nil, nil, 403},
		"beside the path":        {"GET", g.base + "x/", nil, nil, 403},
		"a form without token":   {"POST", g.base + "/do", nil, nil, 403},
		"a token in the address": {"POST", g.base + "/do?token=" + g.token, nil, nil, 403},
		"another token":          {"POST", g.base + "/do", url.Values{"token": {"x"}}, nil, 403},
		"a form from elsewhere":  {"POST", g.base + "/do", form, head("Origin", "http://127.0.0.1:80"), 403},
		"a form from a sandbox":  {"POST", g.base + "/do", form, head("Origin", "null"), 403},
		"a form without origin":  {"POST", g.base + "/do", form, head("Origin", ""), 403},
		"a form that is too big": {"POST", g.base + "/do", large, nil, 403},
	} {
		t.Run(name, func(t *testing.T) {
			r := g.asked(c.method, c.path, c.form)
			if c.change != nil {
				c.change(r)
			}
			reached = false
			w := httptest.NewRecorder()
			guarded.ServeHTTP(w, r)
			if w.Code != c.want || reached != (c.want == 200) {
				t.Errorf("answered with %d, reached: %v; want %d", w.Code, reached, c.want)
			}
			for _, secret := range []string{g.secret, g.cookie, g.token, g.base} {
				if !reached && strings.Contains(w.Body.String(), secret) {
					t.Errorf("the refusal tells a secret: %s", w.Body)
				}
			}
			if !reached && !strings.Contains(w.Body.String(), `name="viewport"`) {
				t.Errorf("a phone shows this as on a wide screen: %s", w.Body)
			}
			if w.Header().Get("Content-Security-Policy") != policy {
				t.Error("an answer without the policy")
			}
		})
	}
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("the policy is %q", policy)
	}
}

// TestEnter holds that the secret, and nothing else, gives the cookie, which other paths never see.
func TestEnter(t *testing.T) {
	here, there := gateAt(t, "127.0.0.1:4711"), gateAt(t, "0.0.0.0:4711")
	if here.Remote() || !there.Remote() {
		t.Fatal("what is beyond the loopback device is not told apart")
	}
	if links, want := here.Links(nil), "http://127.0.0.1:4711/enter?secret="+here.secret; !slices.Equal(links,
		[]string{want}) {
		t.Errorf("the links are %q, want %q", links, want)
	}
	links := there.Links([]net.IP{net.IPv4(192, 0, 2, 1)})
	if !slices.Equal(links, []string{"https://192.0.2.1:4711/"}) {
		t.Errorf("the links to every address are %q", links)
	}
	enter := func(g *Gate, r *http.Request) *http.Response {
		r.Header.Del("Cookie")
		w := httptest.NewRecorder()
		g.guard(http.NotFoundHandler()).ServeHTTP(w, r)
		return w.Result()
	}
	secret := func(g *Gate) url.Values { return url.Values{"secret": {g.secret}} }
	asForm := func(g *Gate, scheme string, form url.Values) *http.Request {
		r := g.asked("POST", enterPath, form)
		r.Host = "192.0.2.1:4711"
		r.Header.Set("Origin", scheme+"://192.0.2.1:4711")
		return r
	}
	capitals := strings.ToUpper(there.secret)
	for name, c := range map[string]struct {
		gate *Gate
		r    *http.Request
		in   bool
	}{
		"link":                   {here, here.asked("GET", enterPath+"?"+secret(here).Encode(), nil), true},
		"no secret":              {here, here.asked("GET", enterPath, nil), false},
		"another secret":         {here, here.asked("GET", enterPath+"?secret=x", nil), false},
		"passphrase":             {there, asForm(there, "https", secret(there)), true},
		"passphrase, capitals":   {there, asForm(there, "https", url.Values{"secret": {capitals}}), true},
		"another passphrase":     {there, asForm(there, "https", url.Values{"secret": {"aaaa-aaaa-aaaa-aaaa"}}), false},
		"passphrase elsewhere":   {there, asForm(there, "http", secret(there)), false},
		"passphrase in the link": {there, there.asked("GET", enterPath+"?"+secret(there).Encode(), nil), false},
	} {
		t.Run(name, func(t *testing.T) {
			answer := enter(c.gate, c.r)
			cookies := answer.Cookies()
			if !c.in {
				if answer.StatusCode != http.StatusForbidden || len(cookies) != 0 {
					t.Errorf("answered with %s and %v", answer.Status, cookies)
				}
				body, _ := io.ReadAll(answer.Body)
				if said := strings.Contains(string(body), wrongPassphrase); said != (name == "another passphrase") {
					t.Errorf("says that the passphrase is wrong: %t: %s", said, body)
				}
				return
			}
			if answer.StatusCode != http.StatusOK || len(cookies) != 1 {
				t.Fatalf("answered with %s and %v", answer.Status, cookies)
			}
			if k := cookies[0]; k.Path != c.gate.base || !k.HttpOnly || k.SameSite != http.SameSiteStrictMode ||
				k.Secure != c.gate.Remote() {
				t.Errorf("the cookie is %v", k)
			}
		})
	}
}

// silent is a listener on which nobody calls.
type silent struct {
	closed chan struct{}
	once   *sync.Once
}

func newSilent() silent { return silent{make(chan struct{}), &sync.Once{}} }

func (l silent) Accept() (net.Conn, error) { <-l.closed; return nil, net.ErrClosed }

func (l silent) Close() error { l.once.Do(func() { close(l.closed) }); return nil }

func (l silent) Addr() net.Addr { return &net.TCPAddr{} }

// TestIdle holds that a page ends an hour after the last visit, for which a page that is only left open is none.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateAt(t, "127.0.0.1:4711")
		began := time.Now()
		ended := make(chan error, 1)
		go func() { ended <- Serve(t.Context(), newSilent(), Options{}, g) }()
		time.Sleep(idleAfter - time.Minute)
		open := g.guard(http.NotFoundHandler())
		open.ServeHTTP(httptest.NewRecorder(), g.asked("GET", g.base+"/agent", nil))
		time.Sleep(idleAfter - time.Minute)
		open.ServeHTTP(httptest.NewRecorder(), g.asked("GET", g.base+"/events", nil))
		open.ServeHTTP(httptest.NewRecorder(), g.asked("GET", "/elsewhere", nil))
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("it ended within an hour: %v", err)
		default:
		}
		if err := <-ended; !errors.Is(err, ErrIdle) || time.Since(began) != 2*idleAfter-time.Minute {
			t.Errorf("after %v it ended with %v", time.Since(began), err)
		}
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if err := Serve(ctx, newSilent(), Options{}, g); err != nil {
			t.Errorf("who ends it gets %v", err)
		}
	})
}
