package checkpoint

import (
	"reflect"
	"testing"
)

func seeds(f *testing.F) {
	for _, s := range surroundings() {
		f.Add([]byte(s), uint16(7))
	}
	for _, s := range []string{
		reportText, templateText,
		wrap("Status: BLOCKED\n## Blockers: ## Request\nMERGE"),
		wrap("Status: BLOCKED\n## Notes for Parent\n> a\n \u00a0b\n\u2028"),
		wrap("Status: PARTIAL\nSubtask: **x** | y\n## Test Results\nTests Run: 3 - 4\nFailed: -\n- z\n0"),
		wrap("Status: BLOCKED\n## Changes Made\n`a`|add|\\|\n- -> b|moved|\n"),
		"---\nAGENT CHECKPOINT: AGT-001\n---\nStatus: BLOCKED\n---\n## Request\nHELP\n---\n",
		"AGENT CHECKPOINT: AGT-001\r\n***\r\nStatus: BLOCKED\r\n",
	} {
		f.Add([]byte(s), uint16(3))
	}
}

// FuzzRoundTrip is B-6.
func FuzzRoundTrip(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte, _ uint16) {
		s := NewScanner("")
		for _, it := range append(s.Feed(text), s.Close()...) {
			if it.Kind == Valid {
				roundTrip(t, it.Block)
			}
		}
		// The same body, so that mutations need not keep a header alive.
		if b, err := Parse(wrap(string(text))); err == nil {
			roundTrip(t, b)
		}
	})
}

// FuzzScanner: no panic, the same items however the stream is cut.
func FuzzScanner(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte, cut uint16) {
		s := NewScanner("AGT-001")
		want := append(s.Feed(text), s.Close()...)
		for _, it := range want {
			if it.Line < 1 {
				t.Fatalf("no line: %+v", want)
			}
			if (it.Kind == Valid) != (it.Reason == "") {
				t.Fatalf("kind and reason: %+v", it)
			}
		}
		n := int(cut)%(len(text)+1) + 1
		got := feedIn(text, func() int { return n })
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("pieces of %d: %+v\nwant %+v", n, got, want)
		}
	})
}
