package proxy

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// isPublic reports whether the address is one of the internet's at large.
// All others (this machine, its networks, a cloud's metadata, tunnels to any of them) are reached
// only where a rule names them.
func isPublic(addr netip.Addr) bool {
	if addr = addr.Unmap(); translated().Contains(addr) {
		bytes := addr.As16()
		addr = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	return !slices.ContainsFunc(special(), func(p netip.Prefix) bool {
		return p.Contains(addr)
	}) && (addr.Is4() || unicast6().Contains(addr))
}

// translated are IPv4 addresses as networks write them that have IPv6 only.
func translated() netip.Prefix { return netip.MustParsePrefix("64:ff9b::/96") }

// unicast6 is what of IPv6 is given out to the internet.
func unicast6() netip.Prefix { return netip.MustParsePrefix("2000::/3") }

// special are the blocks that no one of the internet's hosts has, or that lead to addresses of the other kinds.
func special() []netip.Prefix {
	var all []netip.Prefix
	for _, block := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		all = append(all, netip.MustParsePrefix(block))
	}
	return all
}

// ownAddresses are those of this machine's interfaces: a service that listens on all of them is
// reached by a public one too.
func ownAddresses() []netip.Addr {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil // the blocks are refused all the same
	}
	var all []netip.Addr
	for _, a := range list {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			all = append(all, prefix.Addr().Unmap().WithZone(""))
		}
	}
	return all
}

// Rules says which hosts may be reached. The zero value lets nothing through.
type Rules struct{ rules []rule }

// rule is one host of the list: a name, or an address.
type rule struct {
	name  string // canonical; "" for an address
	below bool   // everything below the name, not the name itself
	addr  netip.Addr
	port  int // 0 is any
}

// ParseRules reads a list of hosts. Each is one of these, with ":PORT" behind it if only that port
// is meant, else any port is:
//
//	api.example.org     this name
//	*.example.org       every name below it, not the name itself
//	192.0.2.1           this address; an IPv6 address with a port is written in brackets
//	localhost           this machine
//
// Names are compared without regard to case or a dot at the end. International names are given as
// they go over the wire (xn--…). A name whose addresses are private needs a rule for these
// addresses too. The error quotes the first host that is none.
func ParseRules(hosts []string) (Rules, error) {
	var r Rules
	for _, host := range hosts {
		one, err := parseRule(host)
		if err != nil {
			return Rules{}, fmt.Errorf("parse host %q: %w", host, err)
		}
		r.rules = append(r.rules, one)
	}
	return r, nil
}

// Local are the hosts of the list that are a port of this machine's loopback interface, as "host:port". A program looks
// for such a one there and not through a proxy.
func (r Rules) Local() (all []string) {
	for _, one := range r.rules {
		switch {
		case one.port == 0 || one.below:
		case one.addr.IsLoopback():
			all = append(all, target{one.addr.String(), one.port}.String())
		case one.name == "localhost":
			all = append(all, target{one.name, one.port}.String())
		}
	}
	return all
}

func parseRule(text string) (rule, error) {
	host, port, err := splitPort(text)
	if err != nil {
		return rule{}, err
	}
	one := rule{port: port}
	host, one.below = strings.CutPrefix(host, "*.")
	name, addr, ok := canonical(host)
	switch {
	case !ok:
		return rule{}, fmt.Errorf("%q is neither a name such as api.example.org nor an address; international names "+
			"begin with xn--", host)
	case addr.IsValid() && one.below:
		return rule{}, fmt.Errorf("nothing lies below the address %q", host)
	}
	one.name, one.addr = name, addr
	return one, nil
}

// splitPort takes the port off; 0 is none. An IPv6 address without brackets has no port.
func splitPort(text string) (host string, port int, err error) {
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 || strings.HasSuffix(text, "]") || strings.Count(text, ":") > 1 && !strings.HasPrefix(text, "[") {
		return text, 0, nil
	}
	port, ok := parsePort(text[colon+1:])
	if !ok {
		return "", 0, fmt.Errorf("%q is no port from 1 to 65535", text[colon+1:])
	}
	return text[:colon], port, nil
}

// parsePort accepts decimal digits only: no sign, no name of a service.
func parsePort(text string) (int, bool) {
	port, err := strconv.ParseUint(text, 10, 16)
	return int(port), err == nil && port > 0
}

// Longest names, as the domain name system has them.
const (
	longestName  = 253
	longestLabel = 63
)

// canonical is a host in the one spelling that is compared: a name in lower case without its last dot, or an address.
// Whatever a resolver could read as an address although it is not written like one (127.1, 0x7f000001) is neither.
func canonical(host string) (name string, addr netip.Addr, ok bool) {
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		return "", addr.Unmap(), closed && err == nil && addr.Is6() && addr.Zone() == ""
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return "", addr.Unmap(), addr.Zone() == ""
	}
	name = strings.ToLower(strings.TrimSuffix(host, "."))
	if len(name) == 0 || len(name) > longestName {
		return "", netip.Addr{}, false
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if !isLabel(label) {
			return "", netip.Addr{}, false
		}
	}
	if last := labels[len(labels)-1]; last[0] >= '0' && last[0] <= '9' {
		return "", netip.Addr{}, false
	}
	return name, netip.Addr{}, true
}

func isLabel(label string) bool {
	if label == "" || len(label) > longestLabel || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(label, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// Allow reports whether a connection to the host, a name or an address, may be asked for.
// It says nothing about the addresses that a name turns out to have.
func (r Rules) Allow(host string, port int) bool {
	name, addr, ok := canonical(host)
	if !ok {
		return false
	}
	if addr.IsValid() {
		return r.allowAddr(addr, port)
	}
	return slices.ContainsFunc(r.rules, func(one rule) bool {
		if one.name == "" || !one.onPort(port) {
			return false
		}
		if one.below {
			return strings.HasSuffix(name, "."+one.name)
		}
		return name == one.name
	})
}

// allowAddr reports whether a rule names the address itself.
func (r Rules) allowAddr(addr netip.Addr, port int) bool {
	return slices.ContainsFunc(r.rules, func(one rule) bool {
		return one.addr.IsValid() && one.addr == addr && one.onPort(port)
	})
}

func (one rule) onPort(port int) bool { return one.port == 0 || one.port == port }
