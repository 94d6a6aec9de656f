package proxy

import (
	"net/netip"
	"strings"
	"testing"
)

func rules(t testing.TB, hosts ...string) Rules {
	t.Helper()
	r, err := ParseRules(hosts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParseRulesRefuses(t *testing.T) {
	for _, host := range []string{
		"", ".", "*", "*.", "*.*.org", "a b", "a..b", "-a.org", "a-.org", "user@a.org", "http://a.org", "a.org/",
		"a.org:", "a.org:0", "a.org:65536", "a.org:+80",
		"a.org:https", "a.org:80:90", "bücher.example", "127.1", "2130706433", "0x7f000001", "1.2.3.4.5", "010.0.0.1",
		"*.127.0.0.1", "[127.0.0.1]:80", "[::1", "fe80::1%eth0",
		"a.org\n", strings.Repeat("a", 64) + ".org", strings.Repeat("a.", 127) + "org",
	} {
		if r, err := ParseRules([]string{"ok.example.org", host}); err == nil {
			t.Errorf("%q is taken: %+v", host, r)
		} else if !strings.Contains(err.Error(), "parse host ") {
			t.Errorf("%q: the error does not name it: %v", host, err)
		}
	}
}

func TestAllow(t *testing.T) {
	tests := []struct {
		rule    string
		host    string
		port    int
		allowed bool
	}{
		{"api.example.org", "api.example.org", 443, true},
		{"api.example.org", "api.example.org", 22, true},
		{"api.example.org", "API.Example.ORG.", 443, true},
		{"API.example.org.", "api.example.org", 443, true},
		{"api.example.org", "api.example.org..", 443, false},
		{"api.example.org", "x.api.example.org", 443, false},
		{"api.example.org", "example.org", 443, false},
		{"api.example.org", "api.example.org.evil.net", 443, false},
		{"api.example.org", "evilapi.example.org", 443, false},
		{"api.example.org", "api.example.org\x00", 443, false},
		{"api.example.org", "api.example.org:443", 443, false},
		{"api.example.org", "user@api.example.org", 443, false},
		{"api.example.org:443", "api.example.org", 443, true},
		{"api.example.org:443", "api.example.org", 80, false},
		{"*.example.org", "a.example.org", 1, true},
		{"*.example.org", "a.b.example.org", 1, true},
		{"*.example.org", "example.org", 1, false},
		{"*.example.org", ".example.org", 1, false},
		{"*.example.org", "evilexample.org", 1, false},
		{"*.example.org", "a.example.org.evil.net", 1, false},
		{"*.example.org:8443", "a.example.org", 8443, true},
		{"*.example.org:8443", "a.example.org", 443, false},
		{"xn--bcher-kva.example", "XN--bcher-KVA.example", 443, true},
		{"xn--bcher-kva.example", "bücher.example", 443, false},
		{"localhost", "localhost", 80, true},
		{"localhost", "127.0.0.1", 80, false},
		{"localhost", "foo.localhost", 80, false},
		{"192.0.2.1", "192.0.2.1", 80, true},
		{"192.0.2.1", "::ffff:192.0.2.1", 80, true},
		{"192.0.2.1", "[::ffff:c000:201]", 80, true},
		{"192.0.2.1", "192.0.2.1.", 80, false},
		{"192.0.2.1", "192.0.2.01", 80, false},
		{"192.0.2.1", "3221225985", 80, false},
		{"[2001:db8::1]:443", "2001:DB8:0::1", 443, true},
		{"[2001:db8::1]:443", "2001:db8::1", 80, false},
		{"2001:db8::1", "[2001:db8::1]", 80, true},
		{"2001:db8::1", "2001:db8::1%eth0", 80, false},
		{"[2001:db8::1]", "2001:db8::1", 80, true},
	}
	for _, test := range tests {
		if got := rules(t, test.rule).Allow(test.host, test.port); got != test.allowed {
			t.Errorf("rule %q: %q on port %d is allowed: %v", test.rule, test.host, test.port, got)
		}
	}
	if (Rules{}).Allow("api.example.org", 443) {
		t.Error("no rule lets a host through")
	}
}

func TestPublicAddresses(t *testing.T) {
	for _, text := range []string{"1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1", "2a00::1",
		"::ffff:1.1.1.1", "64:ff9b::101:101"} {
		if !isPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s is not public", text)
		}
	}
	for _, text := range []string{
		"127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "0.1.2.3", "::", "10.0.0.1", "172.16.0.1", "192.168.1.1",
		"169.254.169.254", "100.64.0.1", "192.0.0.192", "198.18.0.1",
		"224.0.0.1", "255.255.255.255", "240.0.0.1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1",
		"::ffff:169.254.169.254", "::ffff:127.0.0.1", "::7f00:1",
		"64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2001:0:1::1", "fec0::1", "2001:db8::1",
	} {
		if isPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s counts as public", text)
		}
	}
}

// naiveAllows is the grammar of ParseRules read off directly, for names in ASCII letters.
func naiveAllows(rule, host string, port int) bool {
	name, number, limited := strings.Cut(rule, ":")
	if limited {
		want := 0
		for _, digit := range number {
			want = want*10 + int(digit-'0')
		}
		if want != port {
			return false
		}
	}
	wanted := strings.Split(strings.TrimSuffix(strings.ToLower(name), "."), ".")
	got := strings.Split(strings.TrimSuffix(strings.ToLower(host), "."), ".")
	if wanted[0] == "*" {
		wanted = wanted[1:]
		if len(got) <= len(wanted) {
			return false
		}
		got = got[len(got)-len(wanted):]
	}
	if len(got) != len(wanted) {
		return false
	}
	for i := range got {
		if got[i] != wanted[i] {
			return false
		}
	}
	return true
}

// FuzzRules holds Allow to the naive matcher, and both to what can be said of any text.
func FuzzRules(f *testing.F) {
	for _, seed := range [][2]string{{"api.example.org", "api.example.org"}, {"*.example.org:443", "a.example.org."},
		{"::1", "[::1]"}, {"10.0.0.1:80", "10.0.0.1"}, {"*.a", "b.*.a"}, {"a.1b", "a.1b"}} {
		f.Add(seed[0], seed[1], uint16(443))
	}
	f.Fuzz(func(t *testing.T, rule, host string, port uint16) {
		r, err := ParseRules([]string{rule})
		if err != nil {
			if r.Allow(host, int(port)) {
				t.Errorf("rule %q is refused and lets %q through", rule, host)
			}
			return
		}
		got := r.Allow(host, int(port))
		if got && strings.ContainsAny(host, " /@\\%*\r\n\x00") {
			t.Errorf("rule %q lets %q through, which is no host", rule, host)
		}
		name, addr, ok := canonical(host)
		switch {
		case !ok && got:
			t.Errorf("rule %q lets %q through, which is neither name nor address", rule, host)
		case addr.IsValid() && got && !r.rules[0].addr.IsValid():
			t.Errorf("rule %q lets the address %q through", rule, host)
		case ok && name != "" && !r.rules[0].addr.IsValid():
			if want := naiveAllows(rule, host, int(port)); got != want {
				t.Errorf("rule %q: %q on port %d is allowed: %v, want %v", rule, host, port, got, want)
			}
		}
		if again, _, ok := canonical(name); ok && again != name {
			t.Errorf("%q has two spellings: %q and %q", host, name, again)
		}
	})
}
