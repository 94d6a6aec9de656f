package checkpoint

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// vocabulary is pieces that mean something to the grammar; random texts of them reach what random bytes do not.
func vocabulary() []string {
	return []string{
		"\n", "\n", "\n", "\n", "\r\n", "\r", " ", "\t", "> ", "- ", "* ", "**", "`", "_", "#", "## ", "### ", ":",
		": ", "|", "| ", `\`, `\|`,
		headerRule, "---", "===", "***", "~~~", "###", "AGENT CHECKPOINT: AGT-001", "AGENT CHECKPOINT: AGT-002",
		"AGENT CHECKPOINT",
		"Status", "Status: COMPLETE", "Status: BLOCKED", "Progress: 5%", "Subtask: x", "Subtask", "Changes Made",
		"## Changes Made\n", "|a|created|x|\n",
		"| a -> b | moved | y |", "|---|---|---|", "File", "Action", "Tests Run", "## Tests Run\n", "## Test Results\n",
		"Executed: Y", "Tests Run: 3", "Result: PASS (x)",
		"Failed: a", "Details: d", "Blockers", "## Blockers\n", "## Questions for Parent\n", "## Issues Encountered\n",
		"## Notes for Parent\n", "## Request\n",
		"Request: ", "MERGE", "HELP", "None", "n/a", "0", "text", "; ", "\u00a0", "\ufeff", "\u2028", "\xff", "\xc2",
		"\x1b[1m", "\x1b]0;t", "\x07", "```", "word ", "é", "✅",
	}
}

func randomText(rng *rand.Rand, most int) string {
	words := vocabulary()
	var w strings.Builder
	for range rng.IntN(most) + 1 {
		w.WriteString(words[rng.IntN(len(words))])
	}
	return w.String()
}

// TestGeneratedRoundTrip is B-6 over texts made of the grammar's own words.
func TestGeneratedRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	parsed := 0
	for range 40000 {
		text := "Status: BLOCKED\n" + randomText(rng, 40)
		rule := []string{headerRule, "---", "***", "####"}[rng.IntN(4)]
		b, err := Parse(ruled(wrap(text), rule))
		if err != nil {
			continue
		}
		parsed++
		again, err := Parse(b.String())
		if err != nil || !reflect.DeepEqual(again, b) {
			t.Fatalf("body %q\nfirst %+v\nagain %+v\nerror %v\n%s", text, b, again, err, b)
		}
	}
	if parsed < 4000 {
		t.Errorf("only %d texts parsed; the property shows little", parsed)
	}
}

// TestGeneratedStreams: any cut and any restart give the same items, over streams of the grammar's own words.
func TestGeneratedStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	found := map[Kind]int{}
	for range 6000 {
		var w strings.Builder
		for range 4 {
			if rng.IntN(2) == 0 {
				w.WriteString("\n" + headerRule + "\nAGENT CHECKPOINT: AGT-001\n" + headerRule + "\nStatus: BLOCKED\n")
			}
			w.WriteString(randomText(rng, 15))
			if rng.IntN(2) == 0 {
				w.WriteString("\n" + headerRule + "\n")
			}
		}
		text := w.String()
		want := scanAll(t, "AGT-001", text)
		for _, it := range want {
			found[it.Kind]++
		}
		n := rng.IntN(20)
		if got := feedIn([]byte(text), func() int {
			return n
		}); !reflect.DeepEqual(got, want) {
			t.Fatalf("stream %q in pieces of %d: %+v\nwant %+v", text, n, got, want)
		}
		for range 4 {
		}
	}
	if found[Valid] < 500 || found[Malformed] < 500 {
		t.Errorf("found %v; the property shows little", found)
	}
}
