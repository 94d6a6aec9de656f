package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"time"
)

// mostConnections are served at once. Further ones wait until one of them ends.
const mostConnections = 256

// attend serves each connection of l until ctx ends, which also has to end what serve does. It
// closes l, and returns when all is over: nil after the end of ctx, else why nothing more can be
// accepted.
func attend(ctx context.Context, l net.Listener, serve func(context.Context, net.Conn)) error {
	ctx, cancel := context.WithCancel(ctx)
	closed := make(chan struct{})
	context.AfterFunc(ctx, func() {
		_ = l.Close()
		close(closed)
	})
	var all sync.WaitGroup
	defer func() { cancel(); all.Wait(); <-closed }()
	places := make(chan struct{}, mostConnections)
	for faults := 0; ; {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		conn, err := l.Accept()
		if err == nil {
			faults = 0
			all.Add(1)
			go func() {
				defer func() { _ = conn.Close(); <-places; all.Done() }()
				serve(ctx, conn)
			}()
			continue
		}
		<-places
		faults++
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed), faults == mostFaults:
			return fmt.Errorf("accept connection on %q: %w", l.Addr(), err)
		}
		select {
		case <-time.After(faultPause): // too many files are open, or the other side went away
		case <-ctx.Done():
		}
	}
}

// How often accepting may go wrong in a row, and what is waited in between.
const (
	mostFaults = 100
	faultPause = 50 * time.Millisecond
)

// join carries bytes both ways until both sides said their last, one cannot be written to, or ctx ends.
// early is what of a was read already, and all that comes. It closes both.
func join(ctx context.Context, a, b net.Conn, early io.Reader) {
	end := func() { _ = a.Close(); _ = b.Close() }
	defer context.AfterFunc(ctx, end)()
	defer end()
	over := make(chan struct{})
	go func() { // waited for below
		defer close(over)
		pour(b, early, end)
	}()
	pour(a, b, end)
	<-over
}

// pour ends one direction when the other side has ended it, and both when it breaks.
func pour(to net.Conn, from io.Reader, end func()) {
	_, err := io.Copy(to, from)
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		end()
	}
}

// Forward takes connections on l and joins each with the Unix socket at path, until ctx ends. It closes l.
// Where to is a host with its port, the proxy at the socket is asked for that; where it is "" the client asks.
// A connection for which the socket or the host cannot be reached is closed.
// It returns nil after the end of ctx, when no connection is left.
func Forward(ctx context.Context, l net.Listener, path, to string) error {
	return attend(ctx, l, func(ctx context.Context, inside net.Conn) {
		dialer := net.Dialer{Timeout: dialLimit}
		outside, err := dialer.DialContext(ctx, "unix", path)
		if err != nil {
			return
		}
		if to != "" {
			if outside, err = ask(ctx, outside, to); err != nil {
				return
			}
		}
		join(ctx, inside, outside, inside)
	})
}

// ask has the proxy at the other end of conn reach a host with its port.
func ask(ctx context.Context, conn net.Conn, to string) (net.Conn, error) {
	host, number, err := net.SplitHostPort(to)
	port, ok := parsePort(number)
	if err != nil || !ok {
		_ = conn.Close()
		return nil, fmt.Errorf("reach %q: it is no host with its port", to)
	}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	return tunnel(ctx, conn, &url.URL{}, target{host, port})
}
