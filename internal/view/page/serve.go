// Package page serves a session to its person's browser: what waits, what each agent did, and comments on its lines
// that go back to it.
//
// It reads what the other reading commands read, and writes through internal/control and the person's own notes of a
// review. It lands nothing, starts nothing and pushes nothing: it imports no package that could, and a test at the root
// holds that. What agents wrote is text on it, by the templates; the policy of each answer forbids every script but the
// one that is embedded here, which the page can be read without.
package page

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/project"
)

// Options say whose page it is.
type Options struct {
	Project *project.Project
	Person  control.Control
	// Findings looks for conflicts between the agents of the active session.
	Findings func(context.Context) ([]conflict.Finding, error)
}

// idleAfter is how long a page lives without a visit. A page that stays open and is not looked at is none.
const idleAfter = time.Hour

// ErrIdle says that a page ended since nobody visited it.
var ErrIdle = errors.New("nobody has visited the page for an hour")

// server answers the requests of one page.
type server struct {
	Options
	gate *Gate
	known
	mu   sync.Mutex
	said map[string]string // what acts came to, until it was shown once
}

// newServer is the page behind its gate.
func newServer(o Options, g *Gate) http.Handler {
	s := &server{Options: o, gate: g, said: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.list)
	mux.HandleFunc("GET /agent", s.agent)
	mux.HandleFunc("GET /file", s.file)
	mux.HandleFunc("GET /conflicts", s.conflicts)
	mux.HandleFunc("GET /remarks", s.remarks)
	mux.HandleFunc("GET /transcript", s.transcript)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /report", s.report)
	mux.HandleFunc("GET /style.css", s.style)
	mux.HandleFunc("GET /page.js", s.script)
	mux.HandleFunc("POST /comment", s.comment)
	mux.HandleFunc("POST /viewed", s.viewed)
	mux.HandleFunc("POST /do", s.do)
	return g.guard(mux)
}

// Serve serves a page until ctx ends, or with ErrIdle when it was not visited for a time.
func Serve(ctx context.Context, l net.Listener, o Options, g *Gate) error {
	within, leave := context.WithCancel(ctx)
	defer leave()
	handler := newServer(o, g)
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return within },
		ErrorLog: log.New(io.Discard, "", 0)} // who calls wrongly does not write on the person's terminal
	defer context.AfterFunc(within, func() { web.Close() })()
	idle := time.AfterFunc(idleAfter, leave)
	defer idle.Stop()
	g.onVisit(func() { idle.Reset(idleAfter) })
	if g.certificate != nil {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*g.certificate},
			MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	}
	err := web.Serve(l)
	switch {
	case ctx.Err() != nil:
		return nil
	case within.Err() != nil:
		return ErrIdle
	}
	return fmt.Errorf("serve page: %w", err)
}
