package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"delegate/internal/project"
	"delegate/internal/view/page"

	"github.com/spf13/cobra"
)

// webOptions say where a page to review on is served.
type webOptions struct {
	web    bool
	listen string
}

// onLoopback is where the page is without --listen: a free port that other machines do not reach.
const onLoopback = "127.0.0.1:0"

func (o *webOptions) flags(c *cobra.Command) {
	c.Flags().BoolVar(&o.web, "web", false, "review on a page in the browser, until Ctrl-C")
	c.Flags().StringVar(&o.listen, "listen", onLoopback,
		"address of the page; beyond the loopback device it takes a passphrase, by TLS")
}

// reviewWeb serves the page until the person ends it, or nobody has visited it for an hour.
func (a *app) reviewWeb(ctx context.Context, o webOptions) error {
	if err := a.term.Nobody; err != nil {
		return err // the page takes answers, which only a person gives
	}
	p, who, err := a.control(ctx)
	if err != nil {
		return err
	}
	if who.Session == "" {
		return project.ErrNoSession
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return &usageError{fmt.Errorf("listen: %w", err), "delegate review"}
	}
	defer listener.Close()
	gate, err := page.NewGate(listener.Addr())
	if err != nil {
		return err
	}
	for _, link := range gate.Links(ownAddresses()) {
		a.printf("%s\n", link)
	}
	if gate.Remote() {
		a.printf("Passphrase: %s\nThe browser warns about the certificate. Its SHA-256 must be:\n%s\n",
			gate.Passphrase(), gate.Fingerprint())
	} else {
		a.printf("Anyone with this link can act as you. It opens the page on this machine only.\n")
	}
	a.printf("The page ends with Ctrl-C, or after an hour without a visit.\n")
	err = page.Serve(ctx, listener, page.Options{Project: p, Person: who, Findings: findingsInBackground(p)}, gate)
	if errors.Is(err, page.ErrIdle) {
		a.note("%s: it has ended", err)
		return nil
	}
	if err == nil && ctx.Err() != nil {
		return &exitError{exitDone} // Ctrl-C is how it ends
	}
	return err
}

// ownAddresses are those under which other machines may find this one.
func ownAddresses() (all []net.IP) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil // the person knows another way
	}
	for _, one := range addresses {
		if ip, is := one.(*net.IPNet); is && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			all = append(all, ip.IP)
		}
	}
	return all
}
