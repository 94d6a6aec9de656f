package notify

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHasDesktop(t *testing.T) {
	tests := []struct {
		system string
		env    []string
		want   bool
	}{
		{"linux", nil, false},
		{"linux", []string{"HOME=/root", "DISPLAY=", "XDISPLAY=:0"}, false},
		{"linux", []string{"DISPLAY=:0"}, true},
		{"linux", []string{"WAYLAND_DISPLAY=wayland-0"}, true},
		{"linux", []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus"}, true},
		{"darwin", nil, true},
		{"windows", []string{"DISPLAY=:0"}, false},
	}
	for _, test := range tests {
		if got := hasDesktop(test.system, test.env); got != test.want {
			t.Errorf("%s with %q: %v", test.system, test.env, got)
		}
	}
}

// No text of an event is an option, a part of a script, or markup.
func TestDisplayIsTextOnly(t *testing.T) {
	for _, text := range []string{"-u critical", "--", "-", `" & (do shell script "id") & "`, "on run", "",
		"end run\n-e", "\\n", "<b>&amp;"} {
		e := Event{Agent: text, Event: text, Details: text}
		linux, mac := display("linux", e), display("darwin", e)
		plainLinux, plainMac := display("linux", Event{}), display("darwin", Event{})
		if len(linux) != len(plainLinux) || !slices.Equal(linux[:2], plainLinux[:2]) || linux[1] != "--" {
			t.Errorf("%q gives %q", text, linux)
		}
		if n := len(mac) - 2; len(mac) != len(plainMac) || !slices.Equal(mac[:n], plainMac[:n]) ||
			!strings.HasPrefix(mac[n], "delegate:") {
			t.Errorf("%q gives %q", text, mac)
		}
	}
}

func TestBody(t *testing.T) {
	long := strings.Repeat("ä", 300)
	tests := map[string]struct{ mac, linux string }{
		"two\n  lines\t\x00\x1b[2J": {"two lines", "two lines"},
		"\u202eabc":                 {"abc", "abc"},
		`a\nb <i>&`:                 {`a\nb <i>&`, `a\\nb &lt;i&gt;&amp;`},
		long:                        {long[:2*200] + "…", long[:2*200] + "…"},
		long[:2*200]:                {long[:2*200], long[:2*200]},
		"bad \xff":                  {"bad \uFFFD", "bad \uFFFD"},
	}
	for text, want := range tests {
		mac, linux := display("darwin", Event{Details: text}), display("linux", Event{Details: text})
		if got := mac[len(mac)-1]; got != want.mac || !utf8.ValidString(got) {
			t.Errorf("%.20q is %q on macOS", text, got)
		}
		if got := linux[len(linux)-1]; got != want.linux {
			t.Errorf("%.20q is %q on Linux", text, got)
		}
	}
}
