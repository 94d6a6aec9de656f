package registry

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestFlagRoundTrip: each kind is read back as it was printed, with its text, and a person's words are kept.
func TestFlagRoundTrip(t *testing.T) {
	for kind := range flagKinds() {
		flag := kind.Flag()
		if strings.HasSuffix(string(kind), " ") {
			flag.Text = "timeout, as said"
		}
		if got := ParseFlag(flag.String()); got != flag {
			t.Errorf("%q is read as %+v, want %+v", flag, got, flag)
		}
	}
	for _, text := range []string{"", "look at this", "timeouts", "timeout ", "exit status ", "exit status",
		"Timeout"} {
		if got := ParseFlag(text); got != (Flag{Text: text}) || got.String() != text {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestFlags(t *testing.T) {
	mine := Flag{Text: "look at this"}
	timeout, near := FlagTimeout.Flag(), FlagTimeoutNear.Flag()
	exit := Flag{Kind: FlagExitStatus, Text: "3"}
	all := Flags{mine}.With(timeout, FlagFocus.Flag(), exit, mine, timeout)
	if want := "look at this; timeout; focus; exit status 3"; all.String() != want {
		t.Errorf("the flags are %q, want %q", all, want)
	}
	if !all.Has(FlagExitStatus) || all.Has(near.Kind) {
		t.Errorf("%q: it is not known what they have", all)
	}
	if got := all.With(near).AfterTurn(); got.String() != "look at this; focus" {
		t.Errorf("after the turn: %q", got)
	}
	if got := all.Without(FlagFocus, FlagTimeout); got.String() != "look at this; exit status 3" || len(all) != 4 {
		t.Errorf("without two kinds: %q of %q", got, all)
	}
	data, err := json.Marshal(all)
	if want := `["look at this","timeout","focus","exit status 3"]`; err != nil || string(data) != want {
		t.Errorf("JSON %s (%v), want %s", data, err, want)
	}
	var back Flags
	if err := json.Unmarshal(data, &back); err != nil || !slices.Equal(back, all) {
		t.Errorf("JSON is read back as %q (%v)", back, err)
	}
}
