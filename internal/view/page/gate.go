package page

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base32"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Gate lets one person in: who has the secret that was made when the page began.
//
// The cookie that stands for it is sent only below a path that nobody else knows: browsers send cookies to all ports of
// an address, and on another one an agent's own server may listen.
type Gate struct {
	secret, cookie, token, base string
	address                     netip.AddrPort
	certificate                 *tls.Certificate // nil on the loopback device
	mu                          sync.Mutex
	visited                     func()
}

// NewGate is the gate of a page at an address. Beyond the loopback device it speaks TLS, and asks for the secret as a
// passphrase.
func NewGate(at net.Addr) (*Gate, error) {
	address, err := netip.ParseAddrPort(at.String())
	if err != nil {
		return nil, fmt.Errorf("address of the page: %w", err)
	}
	g := &Gate{secret: random(), cookie: random(), token: random(), base: "/" + random(), address: address}
	if !address.Addr().Unmap().IsLoopback() {
		g.secret = passphrase()
		g.certificate, err = newCertificate(time.Now())
	}
	return g, err
}

func random() string { return rand.Text() }

// passphrase is a secret that can be typed: 80 bits.
func passphrase() string {
	data := make([]byte, 10)
	rand.Read(data)
	text := strings.ToLower(base32.StdEncoding.EncodeToString(data))
	return strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:]}, "-")
}

// Remote says whether the page can be reached from other machines.
func (g *Gate) Remote() bool { return g.certificate != nil }

// Links are what the person opens, one or the other. On the loopback device the secret stands in it. A page at every
// address of the machine has one for each of those that others find it under.
func (g *Gate) Links(own []net.IP) (all []string) {
	if !g.Remote() {
		return []string{"http://" + g.address.String() + enterPath + "?secret=" + g.secret}
	}
	if !g.address.Addr().IsUnspecified() {
		return []string{"https://" + g.address.String() + "/"}
	}
	for _, ip := range own {
		all = append(all, "https://"+net.JoinHostPort(ip.String(), fmt.Sprint(g.address.Port()))+"/")
	}
	return all
}

// Passphrase is what a person types who opens the page of another machine.
func (g *Gate) Passphrase() string { return g.secret }

// Fingerprint is how the person tells the page's certificate from another's, as browsers show it.
func (g *Gate) Fingerprint() string {
	sum := sha256.Sum256(g.certificate.Certificate[0])
	return strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
}

func newCertificate(now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key of the page: %w", err)
	}
	number, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("make certificate of the page: %w", err)
	}
	about := &x509.Certificate{SerialNumber: number, Subject: pkix.Name{CommonName: "delegate review"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(30 * 24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	data, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make certificate of the page: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{data}, PrivateKey: key}, nil
}

const (
	noLink     = "Open the link that delegate review --web printed."
	enterPath  = "/enter"
	cookieName = "delegate-review"
	mostPosted = 1 << 20 // bytes of a form
	// slowestForm is how long one may take to arrive.
	slowestForm = 30 * time.Second
)

// policy is what the page may do in a browser.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// guard answers only who has the cookie, asks by an address of this page, and writes from a form of this page.
func (g *Gate) guard(inner http.Handler) http.Handler {
	below := http.StripPrefix(g.base, inner)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // without any, forms would come without their origin
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, mostPosted)
		switch {
		case !g.isOurs(r.Host):
			refuse(w, "The page is at another address. "+noLink, http.StatusMisdirectedRequest)
		case r.URL.Path == enterPath, g.Remote() && r.URL.Path == "/":
			g.enter(w, r)
		case !strings.HasPrefix(r.URL.Path, g.base+"/") || !g.isKnown(r):
			refuse(w, noLink, http.StatusForbidden)
		case r.Method == http.MethodPost && (!g.isSame(r) || !equal(posted(w, r).Get("token"), g.token)):
			refuse(w, "The form does not come from this page. Reload the page and send it again.", http.StatusForbidden)
		default:
			if r.URL.Path != g.base+"/events" {
				g.visit()
			}
			below.ServeHTTP(w, r)
		}
	})
}

// posted is a form, for which nobody has a connection wait long.
func posted(w http.ResponseWriter, r *http.Request) url.Values {
	answer := http.NewResponseController(w)
	_ = answer.SetReadDeadline(time.Now().Add(slowestForm)) // where there is none to set, nobody waits
	_ = r.ParseForm()                                       // what cannot be read has no token
	_ = answer.SetReadDeadline(time.Time{})
	return r.PostForm
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// isOurs refuses names that somebody else could have lead here: a host is a number, or localhost.
func (g *Gate) isOurs(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil || port != fmt.Sprint(g.address.Port()) {
		return false
	}
	if name == "localhost" {
		return !g.Remote()
	}
	address, err := netip.ParseAddr(name)
	return err == nil && (g.Remote() || address.Unmap().IsLoopback())
}

func (g *Gate) isKnown(r *http.Request) bool {
	c, err := r.Cookie(cookieName)
	return err == nil && equal(c.Value, g.cookie)
}

// isSame says whether a form was sent from this page and no other.
func (g *Gate) isSame(r *http.Request) bool {
	scheme := "http://"
	if g.Remote() {
		scheme = "https://"
	}
	return r.Header.Get("Origin") == scheme+r.Host
}

func (g *Gate) onVisit(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.visited = do
}

func (g *Gate) visit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.visited != nil {
		g.visited()
	}
}

// enter takes the secret for the cookie, and leads to the page by an address without it. That goes by a page of its
// own: what follows a redirect from elsewhere would come without a strict cookie.
func (g *Gate) enter(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	given, refused := r.URL.Query().Get("secret"), ""
	if g.Remote() {
		given = ""
		if r.Method == http.MethodPost && g.isSame(r) {
			given = posted(w, r).Get("secret")
			refused = wrongPassphrase
		}
	}
	if !equal(strings.TrimSpace(strings.ToLower(given)), strings.ToLower(g.secret)) {
		if !g.Remote() {
			refuse(w, noLink, http.StatusForbidden)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, head+passphraseForm, refused)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: g.cookie, Path: g.base, HttpOnly: true, Secure: g.Remote(),
		SameSite: http.SameSiteStrictMode})
	fmt.Fprintf(w, head+`<meta http-equiv="refresh" content="0;url=%s/"><p><a href="%s/">To the page</a>`, g.base, g.base)
}

// refuse answers with words of ours.
func refuse(w http.ResponseWriter, words string, status int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprint(w, head+"<p>"+words)
}

const head = `<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width"><title>Review</title>`

const wrongPassphrase = `<p role="alert">The passphrase is wrong. Type the one that delegate review --web printed.</p>`

const passphraseForm = `%s<form method="post" action="/enter"><p><label>Passphrase ` +
	`<input name="secret" type="password" autocomplete="off" autocapitalize="none" autofocus></label> ` +
	`<button>Open the page</button></form>`
