package proxy

import (
	"net"
	"net/netip"
	"slices"
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
